/**
 * Stand-ins for Resend and Twilio on the loopback interface: they accept what the Worker sends, check its credentials, and
 * show it at `/` and `/messages?to=…` instead of delivering it. Messages are stored in a file.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { type LocalServer, serveLocally } from './server.ts'

export type InboxOptions = {
  port: number
  /** The file of messages, one JSON object per line. */
  path: string
  resendKey: string
  twilio: { accountSid: string; authToken: string }
}

/** `to` is an email address or a phone number. `at` is ISO 8601 UTC. */
export type ReceivedMessage = {
  key: string | null
  to: string
  channel: 'email' | 'sms'
  subject: string
  text: string
  at: string
}

export async function startInbox({ port, path, resendKey, twilio }: InboxOptions): Promise<LocalServer> {
  const messages: ReceivedMessage[] = existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as ReceivedMessage)
    : []
  const keep = (message: Omit<ReceivedMessage, 'at'>) => {
    const kept = { ...message, at: new Date().toISOString() }
    appendFileSync(path, `${JSON.stringify(kept)}\n`, { mode: 0o600 })
    messages.push(kept)
  }
  const sendSms = `/2010-04-01/Accounts/${twilio.accountSid}/Messages.json`
  const twilioCredentials = `Basic ${Buffer.from(`${twilio.accountSid}:${twilio.authToken}`).toString('base64')}`

  return serveLocally(port, async (request) => {
    const { pathname, searchParams } = new URL(request.url)
    const is = (method: string, path: string) => request.method === method && pathname === path

    if (is('POST', '/emails')) {
      if (request.headers.get('authorization') !== `Bearer ${resendKey}`)
        return Response.json({ name: 'validation_error', message: 'API key is invalid' }, { status: 401 })
      const { to, subject, text } = (await request.json()) as { to: string; subject: string; text: string }
      const key = request.headers.get('idempotency-key')
      // As Resend does, accepts a repeated key but keeps no second message.
      if (key === null || !messages.some((message) => message.key === key))
        keep({ key, to, channel: 'email', subject, text })
      return Response.json({ id: crypto.randomUUID() })
    }
    if (is('POST', sendSms)) {
      if (request.headers.get('authorization') !== twilioCredentials)
        return Response.json({ code: 20003, message: 'Authenticate' }, { status: 401 })
      const form = new URLSearchParams(await request.text())
      keep({ key: null, to: form.get('To') ?? '', channel: 'sms', subject: 'SMS', text: form.get('Body') ?? '' })
      return Response.json({ sid: `SM${crypto.randomUUID().replaceAll('-', '')}`, status: 'queued' }, { status: 201 })
    }
    if (is('GET', '/messages')) {
      const to = searchParams.get('to')
      return Response.json(messages.filter((message) => to === null || message.to === to).reverse())
    }
    if (is('GET', '/'))
      return new Response(asText(messages), { headers: { 'content-type': 'text/plain; charset=utf-8' } })
    return Response.json({ message: 'Not found' }, { status: 404 })
  })
}

/** Newest first. Plain text, so that nothing in a message is taken for markup. */
const asText = (messages: ReceivedMessage[]) =>
  messages.length === 0
    ? 'Nothing has been sent yet.\n'
    : messages
        .toReversed()
        .map(({ to, channel, subject, text, at }) => `${at}  ${channel} to ${to}\n${subject}\n\n${text}\n`)
        .join('\n----\n\n')
