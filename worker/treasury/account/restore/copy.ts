import { cancelText } from '#domain/approval.ts'
import { kindOf } from '#domain/kinds/kinds.ts'
import type { RecoverableCursor, RecoverableRow } from '../../../history/api.ts'
import { historyOf } from '../../../historyOf.ts'
import type { Context } from '../../core/context.ts'
import { emptyColumns } from '../../core/storage/newPayment.ts'
import type { PaymentRow, PayoutRow } from '../../core/storage/rows.ts'
import { audit } from '../../ledger/audit.ts'
import { takeAllNumbers } from '../../ledger/purchaseNumbers.ts'
import { recordChange } from '../../outbox/changes.ts'
import type {
  RecoverablePayment,
  RecoverablePayout,
  RecoverableRequest,
} from '../../outbox/delivery/recoverableRows.ts'
import { enqueuePayout } from '../../outbox/enqueue.ts'
import { restored, stopQueued } from '../../payments/cancel.ts'
import { codeReplayMs, newCode } from '../../payments/payouts/codes.ts'
import { storedPayoutKey } from '../../payments/payouts/keys.ts'
import { stopAllRuns } from '../../runs/end.ts'
import { matchRows } from '../../runs/restored.ts'
import { rescanFrom } from '../../settlement/scan.ts'
import { recompute } from './recompute.ts'
import type { Progress, Unexplained } from './rpcTypes.ts'

/** Payments per step. */
const pageSize = 100

type Code = Awaited<ReturnType<typeof newCode>>

/**
 * Copies one page of History's rows, in one transaction, and after the last page ends what was never signed. Returns the
 * cursor of the next page, or null. Safe to repeat.
 */
export async function copyPage(
  ctx: Context,
  { cursor, until }: Progress,
): Promise<{ next: RecoverableCursor | null; unexplained: Unexplained[] }> {
  const { store, env, userId } = ctx
  const rows = await historyOf(env, userId).recoverableRows(cursor, pageSize)
  const codes = new Map<string, Code>()
  for (const { id, payout } of rows)
    if (payout !== null && store.payout(id) === null)
      codes.set(id, await newCode(ctx, id, (JSON.parse(payout) as PayoutRow).code_version + 1))
  const last = rows.at(-1)
  return store.transaction(() => {
    const unexplained = rows.flatMap((row) => copyRow(ctx, until, row, codes.get(row.id)))
    if (last && rows.length === pageSize) return { next: { createdAt: last.createdAt, id: last.id }, unexplained }
    endUnsigned(ctx, until)
    recompute(store, ctx.now())
    takeAllNumbers(store)
    const open = "SELECT wallet_id AS id, min(first_block) AS block FROM payment WHERE status = 'PROCESSING' GROUP BY 1"
    for (const { id, block } of store.all<{ id: string; block: number }>(open)) rescanFrom(ctx, id, block)
    return { next: null, unexplained }
  })
}

function copyRow(
  ctx: Context,
  until: Progress['until'],
  { recoverable, payout }: RecoverableRow,
  code?: Code,
): Unexplained[] {
  const { store } = ctx
  const { row, request } = JSON.parse(recoverable) as RecoverablePayment
  const id = row.id!
  const here = store.payment(id)
  // A request that was never accepted is deleted after a month, but its key stays.
  if (!here && row.accepted_at === undefined && request && isBound(ctx, request, id)) return []
  bindKey(ctx, request, 'payment', id, row.created_at!)
  const terms = payout === null ? null : (JSON.parse(payout) as RecoverablePayout)
  // What was signed here is settled by the chain, except a purchase that died since: its number is another one's now.
  const isSigned = here !== null && here.sig_version > 0 && !(isNumbered(here) && row.authorization === undefined)
  const unexplained = isSigned ? [] : copyPayment(ctx, until, row, request)
  if (terms && store.payment(id)) unexplained.push(...copyPayout(ctx, terms, code))
  return unexplained
}

const isNumbered = (payment: PaymentRow) =>
  kindOf(payment).submittedBy === 'seller' && payment.epoch === null && payment.authorization !== null

const isBound = ({ store }: Context, { key }: RecoverableRequest, ref: string): boolean =>
  store.first('SELECT 1 FROM idempotency WHERE key = ? AND ref = ?', key, ref) !== null

/** History's binding prevails: an object that did not know that it was rolled back may have used the key again. */
export function bindKey(
  { store }: Context,
  request: RecoverableRequest | null,
  kind: string,
  ref: string,
  at: number,
): void {
  if (request === null) return
  store.run('DELETE FROM idempotency WHERE key = ?', request.key)
  store.insert('idempotency', { ...request, kind, ref, created_at: at })
}

/** Columns that are not copied: the chain decides the outcome, nothing is signed again, and gas is not counted again. */
const open = {
  ...{ status: 'PROCESSING', give_up_at: 0, tx_hash: null, confirmed_at: null, error_code: null, error_message: null },
  ...{ r: null, vs: null, revert: null, gas_send: 0, gas_announce: 0, gas_end: 0, grant_id: null },
} satisfies Partial<PaymentRow>

function copyPayment(
  ctx: Context,
  until: Progress['until'],
  row: Partial<PaymentRow>,
  request: RecoverableRequest | null,
): Unexplained[] {
  const { store } = ctx
  const copy = { ...emptyColumns, ...row, request_key: request?.key ?? null, grant_id: null } as PaymentRow
  const wallet = store.wallet(copy.wallet_id)
  if (!wallet) return [{ what: 'payment', ref: copy.id, detail: `its wallet ${copy.wallet_id} is not here` }]
  const other = store.first<{ id: string }>(
    'SELECT id FROM payment WHERE wallet_id = ? AND (epoch = ? AND sequence = ? OR authorization = ?) AND id <> ?',
    ...[copy.wallet_id, copy.epoch, copy.sequence, copy.authorization, copy.id],
  )
  if (other) return [{ what: 'payment', ref: copy.id, detail: `its nonce is already used by ${other.id}` }]
  // A purchase without its number was proven dead.
  const isOpen = copy.sig_version > 0 && (kindOf(copy).submittedBy === 'relayer' || copy.authorization !== null)
  if (isOpen)
    Object.assign(copy, open, {
      max_deadline: Math.max(until[wallet.chain_id] ?? 0, copy.max_deadline ?? 0),
      first_block: copy.first_block ?? wallet.scanned_block + 1,
    })
  else if (copy.status === 'QUEUED') Object.assign(copy, restored)
  else if (copy.status === 'PENDING_APPROVAL')
    Object.assign(copy, {
      status: 'CANCELLED',
      error_code: 'approval_cancelled',
      error_message: cancelText('account_restored'),
    })
  if (!store.update('payment', copy.id, copy)) store.insert('payment', copy)
  // Otherwise the payment would be deleted with its approval, which ended here without one.
  if (copy.accepted_at !== null)
    store.run("UPDATE approval SET status = 'APPROVED', cancelled = NULL WHERE payment_id = ?", copy.id)
  if (!isOpen) store.run("UPDATE payout SET status = 'FAILED' WHERE id = ?", copy.id)
  recordChange(ctx, copy.id)
  audit(store, ctx.now(), 'payment.restored', copy.id, {
    status: row.status,
    ...(isOpen && { epoch: copy.epoch, sequence: copy.sequence }),
  })
  return []
}

/** What the chain decides about a payout, and secrets that only the lost object had. */
const notCopied = {
  ...{ funded: 0, announced: 0, announce_delivered_at: null, returned_block: null, done_tx: null, done_at: null },
  ...{ withdrawn_to: null, action: null, action_to: null, action_deadline: null, action_r: null, action_vs: null },
  ...{ action_block: null, action_delivered_at: null, action_tx: null, action_by: null },
} satisfies Partial<PayoutRow>

function copyPayout(ctx: Context, kept: RecoverablePayout, code: Code | undefined): Unexplained[] {
  const { store, now } = ctx
  const id = kept.id!
  const here = store.payout(id)
  if (here) keepNewer(ctx, kept, here)
  if (here || !code) return []
  const isOpen = store.payment(id)!.status === 'PROCESSING'
  const row: PayoutRow = {
    ...(kept as PayoutRow),
    ...notCopied,
    status: isOpen ? 'CREATING' : 'FAILED',
    code_version: kept.code_version! + 1,
    code_hmac: code.codeHmac,
    sealed_code: code.sealedCode,
    code_until: now() + codeReplayMs,
    code_at: now(),
    tries_version: kept.tries_version! + 1,
  }
  store.insert('payout', row)
  enqueuePayout(ctx, id)
  ctx.schedule('expiry', row.expires_at)
  // A payout that has ended no longer needs its keys, and its secret may have been removed.
  const isOver = !isOpen || kept.status === 'WITHDRAWN' || kept.status === 'RECLAIMED'
  const hasKeys = storedPayoutKey(ctx, row, 'claim') !== null && storedPayoutKey(ctx, row, 'reclaim') !== null
  if (isOver || hasKeys) return []
  return [
    { what: 'payout', ref: id, detail: 'its keys can’t be derived: it can be taken back only with the owner’s key' },
  ]
}

/** What people have done off chain since with a payout that is known here. The code is the newest one that was sent. */
function keepNewer({ store }: Context, kept: RecoverablePayout, here: PayoutRow): void {
  store.update('payout', here.id, {
    taken_down_at: kept.taken_down_at ?? null,
    receipt_at: kept.receipt_at ?? null,
    kept_domain: kept.kept_domain ?? null,
    reminded: Math.max(kept.reminded!, here.reminded),
    sealed_token: kept.sealed_token!,
    // The Relayer knows the jobs of earlier versions and would not send them again.
    action_version: Math.max(kept.action_version!, here.action_version),
    ...(kept.code_version! > here.code_version && {
      code_version: kept.code_version!,
      code_hmac: kept.code_hmac ?? null,
      sealed_code: null,
      code_at: kept.code_at!,
      tries_version: kept.tries_version!,
      sender_resends: kept.sender_resends!,
      recipient_resends: kept.recipient_resends!,
    }),
  })
}

/** Nothing that was accepted before is signed any more. What was signed stays open until the chain shows its outcome. */
function endUnsigned(ctx: Context, until: Progress['until']): void {
  const { store } = ctx
  stopQueued(ctx, 'all', 'account_restored')
  matchRows(ctx)
  stopAllRuns(ctx)
  for (const [chainId, deadline] of Object.entries(until))
    store.run(
      `UPDATE payment SET give_up_at = 0, max_deadline = max(coalesce(max_deadline, 0), ?), revert = NULL
       WHERE status = 'PROCESSING' AND wallet_id IN (SELECT id FROM wallet WHERE chain_id = ?)`,
      deadline,
      Number(chainId),
    )
}
