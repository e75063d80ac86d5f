import { failsRow } from '#domain/runs/rowRefusal.ts'
import { minuteMs } from '#domain/time.ts'
import { nextTurn } from '../../durable/turns.ts'
import { ok, type Refused, type Result, refuse } from '../../result.ts'
import { freshHead, isNodeTrouble, unreachable } from '../core/chainHeads.ts'
import type { Context } from '../core/context.ts'
import { runs } from '../core/spender.ts'
import { freshStop } from '../core/stop.ts'
import type { RunRow, RunRowRow, WalletRow } from '../core/storage/rows.ts'
import type { Store } from '../core/storage/store.ts'
import { audit } from '../ledger/audit.ts'
import { type Accepted, accept } from '../payments/accept.ts'
import { type Gathered, type Need, NeedResolver } from '../payments/needs.ts'
import { readSlots } from '../payments/slots.ts'
import { loadSessionKey } from '../wallets/sessionKeys.ts'
import { changedContact, rowOf, termsOfRow, unhold, unsettledOf } from './rows.ts'

/** Rows per turn of one run. */
const turnRows = 25
/** When the next turn is due: after one that has paid rows, and after one that could not. */
const nextTurnMs = 1_000
const retryMs = 30_000 // 30 seconds

/** Pays the next rows of a run. Returns when the next turn is due (ms); null if no row of it waits. */
export async function payNext(ctx: Context, runId: string): Promise<number | null> {
  const { store } = ctx
  const run = store.payoutRun(runId)
  if (run?.status !== 'RUNNING' || !hasWaitingRows(store, runId)) return null
  const wallet = store.wallet(run.wallet_id)!
  const room = await roomFor(ctx, wallet)
  if (typeof room === 'object') return waitFor(ctx, run, room)
  const messagesFrom = run.waits_code === 'message_limit' ? (run.waits_until ?? 0) : 0
  const rows = waitingRows(ctx, runId, Math.min(room, turnRows), messagesFrom <= ctx.now())
  if (rows.length === 0 && room > 0) return messagesFrom
  const resolver = new NeedResolver(ctx)
  /** Why messages could not be sent: to any recipient, or to one. */
  let noMoreMessages: Refused | null = null
  let noMessage: Refused | null = null
  let done = 0
  for (const row of rows) {
    if (noMoreMessages && row.to_address === null) continue
    const decide = (gathered: Gathered) => payRow(ctx, runId, row.n, gathered)
    const paid = await resolver.decide(decide, { terms: termsOfRow(run, row) }).catch(nodeTrouble)
    if (!paid.ok && failsRow(paid)) failRow(ctx, runId, row.n, paid)
    else if (!paid.ok && paid.code === 'message_limit') {
      noMessage = paid
      // The limit of one recipient holds up their own row only.
      if (!ofOneRecipient.includes(paid.refusal?.rule ?? '')) noMoreMessages = paid
    } else if (!paid.ok) return waitFor(ctx, run, paid)
    if (paid.ok || failsRow(paid)) done += 1
    await nextTurn()
  }
  if (noMoreMessages || (noMessage && done === 0)) return waitFor(ctx, run, noMoreMessages ?? noMessage!, done > 0)
  if (messagesFrom <= ctx.now()) noteWait(ctx, runId, null)
  return ctx.now() + nextTurnMs
}

const ofOneRecipient = ['limits.recipient_messages', 'limits.new_account_messages']

/** The next rows that wait: all of them, or only those that need no message. */
const waitingRows = ({ store }: Context, runId: string, most: number, withMessages: boolean): RunRowRow[] =>
  store.all<RunRowRow>(
    `SELECT * FROM run_row WHERE run_id = ? AND status = 'waiting' ${withMessages ? '' : 'AND to_address IS NOT NULL'}
     ORDER BY n LIMIT ?`,
    runId,
    most,
  )

const hasWaitingRows = (store: Store, runId: string): boolean =>
  store.first("SELECT 1 FROM run_row WHERE run_id = ? AND status = 'waiting' LIMIT 1", runId) !== null

/**
 * How many payments may be signed now. Rows are handed over only then: a payment that could not be signed would be given up after
 * some minutes, and a row can wait.
 */
async function roomFor(ctx: Context, wallet: WalletRow): Promise<number | Refused> {
  const { store, limits } = ctx
  try {
    await Promise.all([freshHead(ctx, wallet.chain_id), freshStop(ctx)])
    await loadSessionKey(ctx, store.wallet(wallet.id)!)
    const session = store.session(wallet.id)
    // Without one, the decision about the next row says why.
    const slots = session ? readSlots(ctx, session, await freshHead(ctx, wallet.chain_id)).of(runs) : 1
    return Math.max(0, Math.min(slots, limits.runUnsettled - unsettledOf(store, null)))
  } catch (error) {
    return nodeTrouble(error)
  }
}

function nodeTrouble(error: unknown): Refused {
  if (isNodeTrouble(error)) return unreachable
  throw error
}

/**
 * Hands over one row: its amount goes from what the run holds to a payment, by the same decision as any payment, or nothing changes.
 * Its place in the run is its key, so that it is paid once.
 */
export function payRow(ctx: Context, runId: string, n: number, gathered: Gathered): Result<Accepted | null> | Need {
  const { store } = ctx
  return store.attempt((): Result<Accepted | null> | Need => {
    const [run, row] = [store.payoutRun(runId)!, rowOf(store, runId, n)!]
    // It was stopped in the meantime.
    if (run.status !== 'RUNNING' || row.status !== 'waiting') return ok(null)
    const changed = changedContact(ctx, row)
    if (changed !== null) return refuse('contact_changed', `${changed} has changed since this run was made.`)
    unhold(ctx, run, row.amount)
    const contact = row.contact_id === null ? null : { id: row.contact_id, name: row.contact_name! }
    const input = { key: `${runId}/${n}`, terms: termsOfRow(run, row), contact }
    const paid = accept(ctx, { principal: { type: 'run', runId, row: n }, ...input }, gathered)
    if ('need' in paid || !paid.ok) return paid
    store.run(
      "UPDATE run_row SET status = 'handed_over', payment_id = ? WHERE run_id = ? AND n = ?",
      ...[paid.value.payment.id, runId, n],
    )
    return paid
  })
}

/** Its recipient or amount was refused: the row has failed, and its amount is released. */
export function failRow(ctx: Context, runId: string, n: number, { code, message }: Refused): void {
  const { store } = ctx
  store.transaction(() => {
    const [run, row] = [store.payoutRun(runId)!, rowOf(store, runId, n)!]
    if (run.status !== 'RUNNING' || row.status !== 'waiting') return
    unhold(ctx, run, row.amount)
    store.run(
      "UPDATE run_row SET status = 'failed', error_code = ?, error_message = ? WHERE run_id = ? AND n = ?",
      ...[code, message, runId, n],
    )
    audit(store, ctx.now(), 'run.row_failed', runId, { row: n, code })
  })
}

/** Shows why the run waits. Returns when to try again (ms): soon if `isMoving`, because other rows may go on. */
function waitFor(ctx: Context, run: RunRow, refused: Refused, isMoving = false): number {
  const until = refused.refusal?.resets_at ? Date.parse(refused.refusal.resets_at) : null
  noteWait(ctx, run.id, { code: refused.code, message: refused.message, until })
  const now = ctx.now()
  if (isMoving) return now + nextTurnMs
  return until === null ? now + retryMs : Math.max(now + nextTurnMs, Math.min(until, now + 15 * minuteMs))
}

function noteWait(
  { store }: Context,
  id: string,
  wait: { code: string; message: string; until: number | null } | null,
): void {
  const { code = null, message = null, until = null } = wait ?? {}
  const run = store.payoutRun(id)
  if (run?.status !== 'RUNNING' || (run.waits_code === code && run.waits_text === message)) return
  store.update('run', id, { waits_code: code, waits_text: message, waits_until: until })
}
