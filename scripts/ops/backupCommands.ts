import type { ReprojectReply, RestoreExportReply } from '../../worker/schemas/ops.ts'
import { acting, type Call, type Command, rows, UsageError } from './command.ts'

export const backupCommands: Record<string, Command> = {
  reproject: {
    usage: 'reproject [--dry-run] [--from <cursor>]',
    options: ['from'],
    switches: ['dry-run'],
    help: `Rebuilds D1's data about accounts from the accounts themselves: owners, credentials of agents, lists, claim links,
webhooks, suspensions. Prints its position; --from resumes there. --dry-run shows what would change.`,
    args: [0, 0],
    ...acting,
    run: async (call, { reason, options, switches = [] }, say) => {
      const isDry = switches.includes('dry-run')
      const data = await reprojectAll(call, { reason, dryRun: isDry }, options.from, say)
      return { data, text: reprojectText(data, isDry) }
    },
  },
  'd1-restored': {
    usage: 'd1-restored [--dry-run] [--from <cursor>]',
    options: ['from'],
    switches: ['dry-run'],
    help: `For use after D1 was restored to an earlier time: ends all login sessions, codes and links, does what reproject does,
and asks owners to confirm whitelisted contacts that they had changed since. --from resumes after the sessions.`,
    args: [0, 0],
    ...acting,
    run: async (call, { reason, options, switches = [] }, say) => {
      const isDry = switches.includes('dry-run')
      let sessions = 0
      if (options.from === undefined) {
        let left: number
        do {
          const reply: { ended: number; left: number } = await call('POST', '/end-sessions', { reason, dryRun: isDry })
          left = reply.left
          sessions += reply.ended
          say(`${sessions} sessions`)
        } while (left > 0)
      }
      const data = await reprojectAll(call, { reason, dryRun: isDry, restored: true }, options.from, say)
      const ended = `${sessions} sessions ${isDry ? 'would end' : 'ended'}`
      return { data: { sessions, ...data }, text: `${ended}\n${reprojectText(data, isDry)}` }
    },
  },
  'restore-export': {
    usage: 'restore-export [<export>] [--dry-run] [--from <part>]',
    options: ['from'],
    switches: ['dry-run'],
    help: `Writes to D1 what it lacks from the newest daily export, or from the named one: passwords, contacts, layouts,
passcodes, operators' actions and stops. Run it after reproject. --dry-run shows what would change.`,
    args: [0, 1],
    ...acting,
    run: async (call, { args: [run], reason, options, switches = [] }, say) => {
      const isDry = switches.includes('dry-run')
      const from = Number(options.from ?? 0)
      if (!Number.isSafeInteger(from) || from < 0) throw new UsageError(`${options.from} is not the number of a part.`)
      const data = await restoreAll(call, { reason, dryRun: isDry, ...(run !== undefined && { run }) }, from, say)
      const lines = Object.keys(data.changed).map((table) => [
        table,
        table in data.rows ? `${data.rows[table]} rows` : '',
        `${data.changed[table]} ${isDry ? 'would be written' : 'written'}`,
      ])
      return { data, text: [`export ${data.run}, started ${data.startedAt}`, rows(lines)].join('\n') }
    },
  },
}

function reprojectText(data: ReprojectReply, isDry: boolean): string {
  const tables = new Set([...Object.keys(data.rows), ...Object.keys(data.changed)])
  const lines = [...tables].map((table) => [
    table,
    table in data.rows ? `${data.rows[table]} rows` : '',
    `${data.changed[table] ?? 0} ${isDry ? 'would change' : 'changed'}`,
  ])
  const problems = data.problems.map(({ userId, problem }) => `problem  ${userId}  ${problem}`)
  return [`${data.accounts} accounts`, rows(lines), ...problems].filter(Boolean).join('\n')
}

async function restoreAll(
  call: Call,
  body: { reason: string; dryRun: boolean; run?: string },
  from: number,
  say: (line: string) => void,
): Promise<RestoreExportReply> {
  let reply = await call<RestoreExportReply>('POST', '/restore-export', { ...body, from })
  const sum = reply
  while (reply.next !== null) {
    say(`${reply.next} of ${reply.parts} parts; to resume from here: ${reply.run} --from ${reply.next}`)
    // The same export, even if a newer one is finished meanwhile.
    reply = await call('POST', '/restore-export', { ...body, run: sum.run, from: reply.next })
    for (const part of ['rows', 'changed'] as const) add(sum[part], reply[part])
  }
  return { ...sum, next: null }
}

function add(sums: Record<string, number>, more: Record<string, number>): void {
  for (const [name, n] of Object.entries(more)) sums[name] = (sums[name] ?? 0) + n
}

async function reprojectAll(
  call: Call,
  body: { reason: string; dryRun: boolean; restored?: true },
  from: string | undefined,
  say: (line: string) => void,
): Promise<ReprojectReply> {
  const sum: ReprojectReply = { accounts: 0, rows: {}, changed: {}, problems: [], cursor: null }
  let cursor: string | null = from ?? null
  do {
    const reply: ReprojectReply = await call('POST', '/reproject', { ...body, ...(cursor !== null && { cursor }) })
    cursor = reply.cursor
    sum.accounts += reply.accounts
    sum.problems.push(...reply.problems)
    for (const part of ['rows', 'changed'] as const) add(sum[part], reply[part])
    if (cursor !== null) say(`${sum.accounts} accounts; to resume from here: --from ${cursor}`)
  } while (cursor !== null)
  return sum
}
