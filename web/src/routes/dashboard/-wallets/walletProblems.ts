import { messageOf } from '#web/lib/apiError.ts'

/** The specified messages for the server's limits on wallets; other messages are returned unchanged. */
export function creationProblem(error: unknown, fallback: string): string {
  const message = messageOf(error, fallback)
  const active = /maximum of (?:(\d+) )?active wallets/i.exec(message)
  if (active)
    return `You are currently limited to ${active[1] ?? '6'} active wallets at a time. Please contact support with any questions.`
  if (/monthly wallet creation limit/i.test(message))
    return `You have reached your monthly wallet creation limit of ${/\d+/.exec(message)?.[0] ?? '10'}.`
  return message
}
