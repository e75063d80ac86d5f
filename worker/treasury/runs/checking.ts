import { createHash } from 'node:crypto'
import { canonicalJson } from '#domain/json.ts'
import { minPayout, minPayoutText } from '#domain/payment.ts'
import { type KnownRecipients, paidKey, runVerdicts, samePaidMs, type Verdict } from '#domain/runs/warnings.ts'
import { paidTo } from '../approvals/approvalRules.ts'
import type { Context, RecipientLookup } from '../core/context.ts'
import { fromColumn } from '../core/storage/columns.ts'
import { lookAlikeOf } from '../core/storage/paidRecipients.ts'
import type { RunRow, RunRowRow, WalletRow } from '../core/storage/rows.ts'
import { statusIn } from '../core/storage/statuses.ts'
import { audit } from '../ledger/audit.ts'
import { recordChange } from '../outbox/changes.ts'
import { forbiddenRecipient, lookUpRecipient, recipientState, smsRefusal } from '../payments/recipients.ts'
import { groupRules } from './groupRules.ts'
import { recipientOfRow, rowsOf } from './rows.ts'

/** Rows per step. */
const stepRows = 100

/** Checks the next rows of a draft. Returns the run if all of its rows are checked now. */
export async function checkNext(ctx: Context, run: RunRow): Promise<RunRow | null> {
  const { store } = ctx
  const wallet = store.wallet(run.wallet_id)!
  const rows = store.all<RunRowRow>(
    'SELECT * FROM run_row WHERE run_id = ? AND n > ? ORDER BY n LIMIT ?',
    run.id,
    run.checked,
    stepRows,
  )
  const found = await lookUp(ctx, wallet, rows)
  return store.transaction(() => {
    // It was cancelled, or another call has checked these rows.
    const now = store.payoutRun(run.id)
    if (now?.status !== 'DRAFT' || now.checked !== run.checked) return null
    const refusedByGroup = groupRules(ctx, run)
    for (const row of rows.filter(({ status }) => status === 'waiting')) {
      const problem = problemOf(ctx, wallet, row, found) ?? refusedByGroup(row)
      const [status, problems] = problem === null ? ['waiting', []] : ['left_out', [problem]]
      const known = problem === null ? JSON.stringify(knownOf(ctx, row)) : null
      store.run(
        'UPDATE run_row SET status = ?, problems = ?, known = ? WHERE run_id = ? AND n = ?',
        ...([status, JSON.stringify(problems), known, row.run_id, row.n] as const),
      )
    }
    const checked = run.checked + rows.length
    store.update('run', run.id, { checked })
    return checked === run.rows ? finishCheck(ctx, { ...now, checked }) : null
  })
}

/** Asks the chain about addresses that are not known yet; one request has several of them. */
async function lookUp(ctx: Context, wallet: WalletRow, rows: RunRowRow[]): Promise<Map<string, RecipientLookup>> {
  const unknown = rows.filter(
    ({ status, to_address }) =>
      status === 'waiting' && to_address !== null && recipientState(ctx, wallet, to_address, null) === null,
  )
  const found = await Promise.all(
    unknown.map(async ({ to_address }) => [to_address!, await lookUpRecipient(ctx, wallet, to_address!)] as const),
  )
  return new Map(found)
}

function problemOf(
  ctx: Context,
  wallet: WalletRow,
  row: RunRowRow,
  found: Map<string, RecipientLookup>,
): string | null {
  const { to_address, recipient_phone, amount } = row
  if (to_address === null && fromColumn(amount) < minPayout) return `${minPayoutText}.`
  const refused =
    (to_address && forbiddenRecipient(ctx, wallet, to_address)) || (recipient_phone && smsRefusal(ctx, recipient_phone))
  if (refused) return refused.message
  const state = to_address && (found.get(to_address) ?? recipientState(ctx, wallet, to_address, null))
  if (state === 'blocked') return 'The issuer of USDC has blocked this address.'
  return state === 'screened' ? 'This service can’t pay this address.' : null
}

/** What is noticeable about the rows together, and the hash of what will be decided on. */
function finishCheck(ctx: Context, run: RunRow): RunRow {
  const { store } = ctx
  const rows = rowsOf(store, run.id).filter(({ status }) => status === 'waiting')
  const resolved = rows.map((row) => ({
    ...{ line: row.line, recipient: keyOf(row), amount: fromColumn(row.amount), reference: row.reference },
  }))
  const verdicts = runVerdicts(resolved, allKnown(rows), ctx.now()).map((each, i) => {
    const textsOf = (level: Verdict['level']) =>
      each.filter((verdict) => verdict.level === level).map(({ text }) => text)
    return { run: run.id, n: rows[i]!.n, problems: textsOf('error'), warnings: textsOf('warning') }
  })
  // One statement: a thousand would hold up the account's other calls.
  store.run(
    `UPDATE run_row SET known = NULL, problems = value ->> 'problems', warnings = value ->> 'warnings',
       status = iif(value ->> 'problems' = '[]', status, 'left_out')
     FROM json_each(?) WHERE run_id = value ->> 'run' AND n = value ->> 'n'`,
    JSON.stringify(verdicts),
  )
  const hash = hashOf(run, rowsOf(store, run.id))
  store.update('run', run.id, { hash })
  audit(store, ctx.now(), 'run.checked', run.id, { hash })
  recordChange(ctx, `run:${run.id}`)
  return { ...run, hash }
}

const keyOf = (row: RunRowRow): string => recipientOfRow(row)!.toLowerCase()

/** What this account knows of a row's recipient; times in ms. */
type Known = { isPaid: boolean; lookAlike: string | null; samePaidAt: number | null; changedBy: string | null }

function knownOf(ctx: Context, row: RunRowRow): Known {
  const { store, now } = ctx
  const { at } = store.first<{ at: number | null }>(
    'SELECT max(last_at) AS at FROM paid_recipient WHERE recipient = ?',
    keyOf(row),
  )!
  return {
    isPaid: at !== null,
    lookAlike: row.to_address && lookAlikeOf(store, row.to_address),
    samePaidAt: at === null ? null : samePaidAt(ctx, row, now() - samePaidMs),
    changedBy: row.contact_by !== null && (at ?? 0) < row.contact_at! ? row.contact_by : null,
  }
}

function allKnown(rows: RunRowRow[]): KnownRecipients {
  const known = { paid: new Set<string>(), lookAlikes: new Map<string, string>(), samePaid: new Map<string, number>() }
  const changed = new Map<string, string>()
  for (const row of rows) {
    const recipient = keyOf(row)
    const { isPaid, lookAlike, samePaidAt, changedBy } = JSON.parse(row.known!) as Known
    if (isPaid) known.paid.add(recipient)
    if (lookAlike !== null) known.lookAlikes.set(recipient, lookAlike)
    if (samePaidAt !== null) known.samePaid.set(paidKey(recipient, fromColumn(row.amount)), samePaidAt)
    if (changedBy !== null) changed.set(recipient, changedBy)
  }
  return { ...known, changedBy: changed }
}

function samePaidAt({ store }: Context, row: RunRowRow, since: number): number | null {
  const { to_address: address, recipient_email: email, recipient_phone: phone } = row
  const [where, ...values] = paidTo({ address, email, phone, seller: null })
  const same = `SELECT accepted_at AS at FROM payment WHERE ${where} AND amount = ? AND accepted_at > ?
    AND status IN ${statusIn.alive} ORDER BY accepted_at DESC LIMIT 1`
  return store.first<{ at: number }>(same, ...values, row.amount, since)?.at ?? null
}

/** Covers everything that whoever decides is shown. */
const hashOf = ({ id, title, wallet_id }: RunRow, rows: RunRowRow[]): string =>
  createHash('sha256')
    .update(
      canonicalJson({
        ...{ id, title, wallet: wallet_id },
        rows: rows.map((row) => [
          row.n,
          row.status,
          recipientOfRow(row),
          row.amount,
          row.memo,
          row.reference,
          row.problems,
          row.warnings,
        ]),
      }),
    )
    .digest('hex')
