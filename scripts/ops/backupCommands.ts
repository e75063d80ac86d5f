import type { ReprojectReply } from '../../worker/schemas/ops.ts'
import { acting, type Call, type Command } from './command.ts'
import { rows } from './text.ts'

export const backupCommands: Record<string, Command> = {
  reproject: {
    usage: 'reproject [--dry-run] [--from <cursor>]',
    options: ['from'],
    switches: ['dry-run'],
    help: `Rebuilds what D1 has of the accounts from the accounts themselves: owners, credentials of agents, lists, claim links,
webhooks, suspensions. Prints where it is; --from goes on there. --dry-run says what would change.`,
    args: [0, 0],
    ...acting,
    run: async (call, { reason, options, switches = [] }, say) => {
      const isDry = switches.includes('dry-run')
      const data = await reprojectAll(call, { reason, dryRun: isDry }, options.from, say)
      const lines = Object.keys(data.rows).map((table) => [
        table,
        `${data.rows[table]} rows`,
        `${data.changed[table] ?? 0} ${isDry ? 'would change' : 'changed'}`,
      ])
      const problems = data.problems.map(({ userId, problem }) => `problem  ${userId}  ${problem}`)
      return { data, text: [`${data.accounts} accounts`, rows(lines), ...problems].filter(Boolean).join('\n') }
    },
  },
}

async function reprojectAll(
  call: Call,
  body: { reason: string; dryRun: boolean },
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
    for (const part of ['rows', 'changed'] as const)
      for (const [table, n] of Object.entries(reply[part])) sum[part][table] = (sum[part][table] ?? 0) + n
    if (cursor !== null) say(`${sum.accounts} accounts; to go on from here: --from ${cursor}`)
  } while (cursor !== null)
  return sum
}
