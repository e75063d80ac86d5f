/** The command line signs in at the running stack: a person allows it by the API, as on the consent page. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Connection, ConnectionRequest, EnteredDevice } from '#schemas/connection.ts'
import { run } from '../../sdk/src/cli/run.ts'
import { pause } from '../../sdk/src/pause.ts'
import { addressFor } from '../support/stackClient.ts'
import { createAgent, bursar as owner, url } from './gateway.ts'

const { sender } = await createAgent()
const home = mkdtempSync(join(tmpdir(), 'bursar-login-'))
afterAll(() => rmSync(home, { recursive: true }))
const file = join(home, 'bursar/login.json')
const kept = () => JSON.parse(readFileSync(file, 'utf8'))

/** Runs a command. `allow` is called with the code that it shows; its polls then do not wait. */
async function bursar(args: string[], allow?: (userCode: string) => Promise<unknown>) {
  const [out, err]: [string[], string[]] = [[], []]
  let allowed: Promise<unknown> | undefined
  const code = await run(args, {
    environment: { XDG_CONFIG_HOME: home },
    isTerminal: false,
    out: (text) => out.push(text),
    err(text) {
      err.push(text)
      const { user_code: userCode } = JSON.parse(text) as { user_code?: string }
      if (userCode) allowed = allow?.(userCode)
    },
    write: () => {},
    signal: new AbortController().signal,
    clock: { now: Date.now, pause: (ms, signal) => (allowed ? allowed.then(() => undefined) : pause(ms, signal)) },
  })
  return { code, json: out.length > 0 ? JSON.parse(out.join('')) : null, err: err.join('\n') }
}

/** Answers as a person would who types the code at /device: a new agent in the proposed group. */
async function allowAsOwner(userCode: string) {
  const token = await sender.token()
  const { requestId } = await owner.api<EnteredDevice>('/connections/device', { token, body: { userCode } })
  const path = `/connections/requests/${requestId}`
  const { proposed } = await owner.api<ConnectionRequest>(path, { token })
  const policyGroup = { type: 'new', walletId: sender.wallet.id, ...proposed.group }
  const body = { agent: { type: 'new', name: proposed.agentName, policyGroup }, password: sender.password }
  await owner.api(`${path}/allow`, { token, body })
}

const connections = async (): Promise<Connection[]> => owner.api('/connections', { token: await sender.token() })

test('bursar login is allowed by code, pays, renews its token also at once, and ends when it is revoked @login-11', async () => {
  expect(await bursar(['budget'])).toMatchObject({ code: 5 })
  const signedIn = await bursar(['login', '--url', url], allowAsOwner)
  expect(signedIn.code, signedIn.err).toBe(0)
  expect(signedIn.json).toMatchObject({ url, agent: { name: 'Bursar CLI' } })
  const paid = await bursar(['pay', addressFor('the command line'), '0.5', '--wait', 'sent'])
  expect([paid.code, paid.json?.status], paid.err).toEqual([0, 'CONFIRMED'])
  expect(await bursar(['pay', addressFor('the command line'), '6'])).toMatchObject({ code: 4 })

  writeFileSync(file, JSON.stringify({ ...kept(), freshUntil: 0 }))
  const first = kept().refreshToken
  const all = await Promise.all(Array.from({ length: 4 }, () => bursar(['budget'])))
  expect(all.map(({ code, err }) => [code, err])).toEqual(Array(4).fill([0, '']))
  expect(kept().refreshToken).not.toBe(first)
  writeFileSync(file, JSON.stringify({ ...kept(), accessToken: 'not accepted' }))
  expect(await bursar(['budget'])).toMatchObject({ code: 0 })

  const [connection] = await connections()
  expect(connection).toMatchObject({ app: { kind: 'command_line' }, destination: { type: 'device' } })
  await owner.api(`/connections/${connection!.id}`, { method: 'DELETE', token: await sender.token() })
  const ended = await bursar(['pay', addressFor('the command line'), '0.5'])
  expect([ended.code, JSON.parse(ended.err).error.code]).toEqual([5, 'login_ended'])
})

test('bursar logout ends the connection at Bursar @login-12', async () => {
  expect(await bursar(['login', '--url', url], allowAsOwner)).toMatchObject({ code: 0 })
  expect(await connections()).toHaveLength(1)
  expect(await bursar(['logout'])).toMatchObject({ code: 0, json: { url } })
  expect(await connections()).toEqual([])
  expect(await bursar(['budget'])).toMatchObject({ code: 5 })
})
