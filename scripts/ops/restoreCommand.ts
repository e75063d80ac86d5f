import type { UserRestoreReply } from '../../worker/schemas/ops.ts'
import { acting, type Command, rows, UsageError } from './command.ts'

const acts = ['freeze', 'back', 'continue', 'unfreeze'] as const
/** Pause between two calls, while blocks become final. */
const pauseMs = 15_000 // 15 seconds

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const counted = (counts: Record<string, number>) => rows(Object.entries(counts).map(([name, n]) => [name, String(n)]))

function textOf({ step, doing, waitsUntil, finalAt, counts, unexplained, list }: UserRestoreReply): string {
  return [
    `${step}: ${doing}`,
    waitsUntil && `the finalized block is from ${finalAt}; it must be later than ${waitsUntil}`,
    counted(counts),
    ...unexplained.map(({ what, ref, detail }) => `unexplained  ${what} ${ref}  ${detail}`),
    list && `The account stays frozen. Check each; continue --accept ${list} accepts exactly these.`,
  ]
    .filter(Boolean)
    .join('\n')
}

export const restoreCommands: Record<string, Command> = {
  'restore-user': {
    usage:
      'restore-user <id> freeze|back|continue|unfreeze [--to <time>] [--unsent] [--accept <list>] [--dry-run] [--once]',
    options: ['to', 'accept'],
    switches: ['dry-run', 'unsent', 'once'],
    help: `Restores one account's Treasury to an earlier time. freeze: stops all work of the account. back --to: restores the
object; --unsent: even if D1 lacks some of its data. continue: reads what has happened since, and reopens the account; run it
again whenever it ends early. It prints what it cannot explain, and the name of that list; --accept <list>: reopens the
account with exactly these. --once: does not wait. unfreeze: reopens an account that was not restored. --dry-run shows what
would change.`,
    args: [2, 2],
    ...acting,
    run: async (call, { args: [id, act], reason, options, switches = [] }, say) => {
      if (!(acts as readonly (string | undefined)[]).includes(act))
        throw new UsageError(`The second argument must be one of: ${acts.join(', ')}`)
      if (act === 'back' && options.to === undefined)
        throw new UsageError('back needs a time, such as --to 2026-11-20T09:30:00Z')
      if (act !== 'continue' && options.accept !== undefined)
        throw new UsageError('--accept works only with continue, which prints the list to accept.')
      const body = {
        act,
        reason,
        ...(options.to !== undefined && { to: options.to }),
        dryRun: switches.includes('dry-run'),
        ...(options.accept !== undefined && { accept: options.accept }),
        unsent: switches.includes('unsent'),
      }
      const path = `/users/${encodeURIComponent(id!)}/restore`
      let data = await call<UserRestoreReply>('POST', path, body)
      while (act === 'continue' && !body.dryRun && !switches.includes('once')) {
        if (data.step !== 'waiting' && data.step !== 'importing') break
        say(textOf(data))
        if (data.step === 'waiting') await wait(pauseMs)
        data = await call('POST', path, { ...body, again: true })
      }
      return { data, text: textOf(data) }
    },
  },
}
