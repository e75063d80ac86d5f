/** Payout runs of an account in memory. */
import type { ReadRow } from '#domain/runs/row.ts'
import { failsRow } from '../../worker/domain/runs/rowRefusal.ts'
import type { Decider } from '../../worker/treasury/approvals/rpcTypes.ts'
import type { RunRow, RunRowRow } from '../../worker/treasury/core/storage/rows.ts'
import type { Gathered } from '../../worker/treasury/payments/needs.ts'
import { checkNext } from '../../worker/treasury/runs/checking.ts'
import { createRun } from '../../worker/treasury/runs/create.ts'
import { approveRun, denyRun, stopRun, submitRun } from '../../worker/treasury/runs/decide.ts'
import { finishIfDone } from '../../worker/treasury/runs/end.ts'
import { failRow, payRow } from '../../worker/treasury/runs/pay.ts'
import { termsOfRow } from '../../worker/treasury/runs/rows.ts'
import { addressOf, payoutDraft, usdc } from './build.ts'
import type { MemoryTreasury } from './memoryTreasury.ts'

export const decidedBy = (userId: string): Decider => ({ userId, name: userId, sessionId: 'ses_1', passwordAt: 0 })

/** A row as the reader returns it; a number stands for an address, other texts for emails or `contact:` names. */
export function readRow(line: number, to: number | string, amount: string, reference: string | null = null): ReadRow {
  const written = { to: String(to), amount, name: '', memo: '', reference: reference ?? '' }
  if (amount === 'bad') return { line, written, row: null, problem: 'The amount is no number.' }
  const recipient =
    typeof to === 'number'
      ? ({ type: 'address', address: addressOf(to) } as const)
      : to.startsWith('contact:')
        ? ({ type: 'contact', name: to.slice(8) } as const)
        : ({ type: 'email', email: to } as const)
  return {
    line,
    written,
    problem: null,
    row: { line, to: recipient, amount: usdc(amount), name: null, memo: null, reference },
  }
}

export function runsOf({ context, store }: MemoryTreasury) {
  Object.assign(context.chains[8453], { isBlacklisted: () => Promise.resolve(false) })
  const runNow = (id: string): RunRow => store.payoutRun(id)!
  const rows = (id: string) => store.all<RunRowRow>('SELECT * FROM run_row WHERE run_id = ? ORDER BY n', id)
  return {
    runNow,
    rows,
    create: (read: ReadRow[], over: Partial<Parameters<typeof createRun>[1]> = {}) =>
      createRun(context, {
        ...{ title: 'November', walletId: 'wal', from: { rows: read }, contacts: {}, again: false, key: null },
        by: decidedBy('usr_test'),
        ...over,
      }),
    async check(id: string) {
      while (runNow(id).status === 'DRAFT' && runNow(id).hash === null) await checkNext(context, runNow(id))
    },
    submit: (id: string, who = 'usr_test') => submitRun(context, id, decidedBy(who)),
    approve: (id: string, who = 'usr_test', over: Partial<Parameters<typeof approveRun>[2]> = {}) => {
      const known: Gathered = { draft: null, lookup: null, refresh: 'done', arriving: usdc('0'), grants: {} }
      const input = { hash: runNow(id).hash ?? '', by: decidedBy(who), passwordChecked: true, ...over }
      return approveRun(context, id, input, known)
    },
    deny: (id: string, who = 'usr_test') =>
      denyRun(context, id, { hash: runNow(id).hash ?? '', by: decidedBy(who), reason: null }),
    stop: (id: string) => stopRun(context, id),
    finish: (id: string) => finishIfDone(context, id),
    /** Hands over a row as a turn does, with all that it needs. */
    payRow(id: string, n: number, lookup: 'clear' | 'blocked' = 'clear') {
      const row = rows(id)[n - 1]!
      const terms = termsOfRow(runNow(id), row)
      const gathered: Gathered = {
        draft: row.to_address === null ? payoutDraft({ amount: row.amount }) : null,
        lookup: row.to_address === null ? null : { address: row.to_address, found: lookup },
        ...{ refresh: 'done', arriving: usdc('0'), grants: {} },
      }
      const paid = payRow(context, id, n, gathered)
      if ('need' in paid) throw new Error(`needs ${paid.need} for ${String(terms.amount)}`)
      if (!paid.ok && failsRow(paid)) failRow(context, id, n, paid)
      return paid
    },
  }
}
