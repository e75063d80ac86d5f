import type { RestoreState, UserRestoreReply } from '../../worker/schemas/ops.ts'
import { acting, type Command, UsageError } from './command.ts'

const acts = ['status', 'freeze', 'back', 'continue', 'unfreeze'] as const
/** Pause between two calls, while blocks become final. */
const pauseMs = 15_000 // 15 seconds
const goesOn: readonly RestoreState[] = ['rolled_back', 'waiting', 'copying', 'scanning']

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const textOf = ({ state, doing, waitsUntil, finalAt, unexplained, list }: UserRestoreReply): string =>
  [
    `${state}: ${doing}`,
    waitsUntil && `the finalized block is from ${finalAt}; it must be later than ${waitsUntil}`,
    ...unexplained.map(({ what, ref, detail }) => `${what}  ${ref}  ${detail}`),
    list && `The account stays closed. Check each line; continue --accept ${list} accepts exactly these.`,
  ]
    .filter(Boolean)
    .join('\n')

export const restoreCommands: Record<string, Command> = {
  'restore-user': {
    usage: 'restore-user <id> status|freeze|back|continue|unfreeze [--to <time>] [--lost] [--accept <list>] [--once]',
    options: ['to', 'accept'],
    switches: ['lost', 'once'],
    help: `Restores one account whose Treasury is damaged or lost. freeze: stops all work of the account, and makes sure that
History has all its changes. back: rolls the object back --to a time; without --to, after a copy of its file was restored. --lost:
the object is lost, and History may lack something. continue: copies from History and reads the chain until the account opens;
the cron does the same, a little each minute. It prints what it cannot explain, and the name of that list; --accept <list>: opens
the account with exactly these. --once: does not wait. unfreeze: opens an account that was not rolled back.`,
    args: [2, 2],
    ...acting,
    run: async (call, { args: [id, act], reason, options, switches = [] }, say) => {
      if (!(acts as readonly (string | undefined)[]).includes(act))
        throw new UsageError(`The second argument must be one of: ${acts.join(', ')}`)
      const onlyWith = (allowed: string, given: boolean, name: string) => {
        if (given && act !== allowed) throw new UsageError(`--${name} works only with ${allowed}.`)
      }
      onlyWith('back', options.to !== undefined, 'to')
      onlyWith('back', switches.includes('lost'), 'lost')
      onlyWith('continue', options.accept !== undefined, 'accept')
      const body = { act, reason, lost: switches.includes('lost'), ...options }
      const path = `/users/${encodeURIComponent(id!)}/restore`
      let data = await call<UserRestoreReply>('POST', path, body)
      while (act === 'continue' && !switches.includes('once') && goesOn.includes(data.state)) {
        say(textOf(data))
        await wait(pauseMs)
        data = await call('POST', path, { ...body, again: true })
      }
      return { data, text: textOf(data) }
    },
  },
}
