import { type PlannedPayment, planPayment, type RestoreAct } from '#domain/restorePlan.ts'
import { authorizationNonce } from '../../chain/authorization.ts'
import { deliveredOf } from '../../db/restoreRows.ts'
import type { KeptCursor, KeptRow } from '../../history/api.ts'
import { historyOf } from '../../historyOf.ts'
import type { Context } from '../core/context.ts'
import type { BackupPayment, BackupPayout } from '../delivery/backup.ts'
import { audit } from '../ledger/audit.ts'
import { reserve } from '../ledger/ledger.ts'
import { recordChange } from '../outbox/changes.ts'
import { newCode } from '../payouts/codes.ts'
import { fromColumn } from '../storage/columns.ts'
import { paidToOf, unset } from '../storage/newPayment.ts'
import type { GroupRow, PaymentRow, PayoutRow, WalletRow } from '../storage/rows.ts'
import { recordAuthorizations } from './chain.ts'
import { addPayout, type FreshCode, updatePayout } from './payouts.ts'
import { count, type RestoreState, recordUnexplained, writeState } from './state.ts'

/** Payments per step. */
const pageSize = 100

type Change = { act: RestoreAct; kept: BackupPayment; payout: BackupPayout | null; known: PaymentRow | null }

const planned = (row: Partial<PaymentRow>): PlannedPayment => ({
  status: row.status!,
  walletId: row.wallet_id!,
  to: row.to_address ?? null,
  amount: row.amount!,
  epoch: row.epoch ?? null,
  sequence: row.sequence ?? null,
})

const changeOf = ({ store }: Context, { kept, payout }: KeptRow): Change => {
  const content = JSON.parse(kept) as BackupPayment
  const own = store.payment(content.row.id!)
  // It waited for approval or was not approved here, and has been accepted since.
  const known = own?.accepted_at === null ? null : own
  return {
    act: planPayment(known && planned(known), planned(content.row)),
    kept: content,
    payout: payout === null ? null : (JSON.parse(payout) as BackupPayout),
    known,
  }
}

const nextPage = ({ env, userId }: Context, cursor: KeptCursor) => historyOf(env, userId).keptRows(cursor, pageSize)

/** What importing a page would do, for the dry run. */
export async function planPage(ctx: Context, after: KeptCursor) {
  const rows = await nextPage(ctx, after)
  const last = rows.at(-1)
  return {
    acts: rows.map((row) => changeOf(ctx, row).act),
    next: last && rows.length === pageSize ? { createdAt: last.createdAt, id: last.id } : null,
  }
}

/** Imports one page, in one transaction with its cursor. */
export async function importPage(ctx: Context, state: RestoreState): Promise<void> {
  const rows = await nextPage(ctx, state.cursor)
  const codes = await codesNotSent(ctx, rows)
  ctx.store.transaction(() => {
    if (state.cursor.id === '') holdUnsettled(ctx, state)
    for (const row of rows) importOne(ctx, state, changeOf(ctx, row), codes.get(row.id) ?? null)
    const last = rows.at(-1)
    if (last) state.cursor = { createdAt: last.createdAt, id: last.id }
    if (rows.length < pageSize) {
      recordAuthorizations(ctx, state)
      // Imported wallets keep their session, so none of its sequences may be used twice.
      ctx.store.run(
        `UPDATE session SET next_sequence = max(next_sequence, coalesce((SELECT max(sequence) + 1 FROM payment
           WHERE payment.wallet_id = session.wallet_id AND payment.epoch = session.epoch), 0))`,
      )
      state.stage = 'chain'
    }
    writeState(ctx.store, state)
  })
}

/**
 * Payments that are open in this object may have been signed again since, up to the same last deadline. They are not
 * signed again.
 */
function holdUnsettled({ store }: Context, state: RestoreState): void {
  for (const [chainId, until] of Object.entries(state.until))
    store.run(
      `UPDATE payment SET give_up_at = 0, max_deadline = max(coalesce(max_deadline, 0), ?), revert = NULL
       WHERE status = 'PROCESSING' AND wallet_id IN (SELECT id FROM wallet WHERE chain_id = ?)`,
      until,
      Number(chainId),
    )
  store.run("UPDATE payment SET give_up_at = 0 WHERE status = 'QUEUED'")
}

/** New codes for payouts whose message was never sent: only the lost object has the code that was drawn. */
async function codesNotSent(ctx: Context, rows: KeptRow[]): Promise<Map<string, FreshCode>> {
  const payouts = rows.flatMap(({ payout }) => (payout === null ? [] : [JSON.parse(payout) as PayoutRow]))
  const messageOf = ({ id, code_version }: PayoutRow) => `payout-link:${id}:${code_version}`
  const sent = await deliveredOf(ctx.db, payouts.map(messageOf))
  const codes = new Map<string, FreshCode>()
  for (const payout of payouts.filter((each) => !sent.has(messageOf(each)) && ctx.store.payout(each.id) === null)) {
    const version = payout.code_version + 1
    const { sealedCode, codeHmac } = await newCode(ctx, payout.id, version)
    codes.set(payout.id, { version, sealedCode, codeHmac })
  }
  return codes
}

function importOne(
  ctx: Context,
  state: RestoreState,
  { act, kept, payout, known }: Change,
  code: FreshCode | null,
): void {
  const id = kept.row.id!
  const problem = problemOf(ctx, { act, kept, payout, known })
  if (problem) {
    recordUnexplained(state, { what: 'payment', ref: id, detail: problem })
    if (known) bindKey(ctx, state, kept)
    return
  }
  if (act === 'add' || act === 'add_ended') add(ctx, state, { kept, payout }, act === 'add', code)
  else if (act === 'sign') recordSigned(ctx, state, kept.row, known!)
  bindKey(ctx, state, kept)
  if (act !== 'none') count(state, act === 'sign' ? 'payments signed since' : 'payments accepted since')
  if (known && payout) updatePayout(ctx, payout)
}

function problemOf({ store }: Context, { act, kept, payout, known }: Change): string | null {
  if (act === 'differs') return 'History has different content under this id'
  if (act === 'ended') return 'it ended here before it was signed, and History has it as signed'
  const { row } = kept
  if (!store.wallet(row.wallet_id!)) return `its wallet ${row.wallet_id} is unknown`
  if (!known && row.kind === 'payout' && !payout) return 'History does not have the terms of the payout'
  if (row.sequence === undefined || known?.sequence === row.sequence) return null
  const other = store.first<{ id: string }>(
    'SELECT id FROM payment WHERE wallet_id = ? AND epoch = ? AND sequence = ? AND id <> ?',
    row.wallet_id!,
    row.epoch!,
    row.sequence!,
    row.id!,
  )
  return other && `${other.id} has its nonce`
}

/** Columns that are not taken from History, most of them because the chain determines them. */
const notFromHistory = {
  r: null,
  vs: null,
  // Gas is not counted again, and none of it is returned.
  gas_send: 0,
  gas_announce: 0,
  gas_end: 0,
  revert: null,
  grant_id: null,
  give_up_at: 0,
} satisfies Partial<PaymentRow>

function add(
  ctx: Context,
  state: RestoreState,
  { kept, payout }: Pick<Change, 'kept' | 'payout'>,
  isOpen: boolean,
  code: FreshCode | null,
): void {
  const { store } = ctx
  const base = { ...unset, ...kept.row, ...notFromHistory, request_key: kept.request?.key ?? null } as PaymentRow
  const wallet = store.wallet(base.wallet_id)!
  const row = isOpen ? asOpen(state, wallet, base) : base
  if (isOpen) hold(ctx, row)
  if (!store.update('payment', row.id, row)) store.insert('payment', row)
  if (payout) addPayout(ctx, state, payout, isOpen ? 'CREATING' : 'FAILED', code)
  audit(store, ctx.now(), 'payment.restored', row.id, {
    status: kept.row.status,
    ...(row.sequence !== null && { epoch: row.epoch, sequence: row.sequence }),
  })
  recordChange(ctx, row.id)
}

/** The row as if it had just been signed for the last time, or never signed if it has no nonce. */
function asOpen(state: RestoreState, wallet: WalletRow, row: PaymentRow): PaymentRow {
  const open = { ...row, tx_hash: null, confirmed_at: null, error_code: null, error_message: null }
  // The nonce of an authorization follows from the payment's id.
  const authorization = wallet.kind === 'imported' ? authorizationNonce(row.id) : null
  if (row.sequence === null && authorization === null) return { ...open, status: 'QUEUED', sig_version: 0 }
  return {
    ...open,
    status: 'PROCESSING',
    authorization,
    sig_version: Math.max(1, row.sig_version),
    max_deadline: lastDeadline(state, wallet, row),
    first_block: row.first_block ?? wallet.scanned_block,
    signed_at: row.signed_at ?? row.accepted_at,
  }
}

/** The payment's own deadline counts as well, because History may have received it only after the wait began. */
const lastDeadline = (state: RestoreState, wallet: WalletRow, row: Partial<PaymentRow>): number =>
  Math.max(state.until[wallet.chain_id] ?? 0, row.max_deadline ?? 0)

function hold({ store }: Context, row: PaymentRow): void {
  const group = row.group_id && store.first<GroupRow>('SELECT * FROM policy_group WHERE id = ?', row.group_id)
  reserve(
    store,
    {
      walletId: row.wallet_id,
      epoch: row.epoch ?? 0,
      group: group || null,
      agentId: row.agent_id,
      amount: fromColumn(row.amount),
      isPayout: row.kind === 'payout',
      to: paidToOf(row),
      isNewRecipient: () => false,
    },
    0,
    row.accepted_at!,
  )
}

/** Marks a payment as signed since. Its reservation moves to the session that signed it, if that is known here. */
function recordSigned({ store }: Context, state: RestoreState, row: Partial<PaymentRow>, known: PaymentRow): void {
  const wallet = store.wallet(known.wallet_id)!
  if (row.epoch !== known.epoch) {
    const move = 'UPDATE session SET held = held + ? WHERE wallet_id = ? AND epoch = ?'
    store.run(move, -known.amount, known.wallet_id, known.epoch)
    store.run(move, known.amount, known.wallet_id, row.epoch!)
  }
  store.update('payment', known.id, {
    status: 'PROCESSING',
    epoch: row.epoch!,
    sequence: row.sequence!,
    authorization: wallet.kind === 'imported' ? authorizationNonce(known.id) : null,
    sig_version: row.sig_version!,
    first_block: row.first_block ?? wallet.scanned_block,
    max_deadline: lastDeadline(state, wallet, row),
    signed_at: row.signed_at ?? row.accepted_at!,
    give_up_at: 0,
  })
}

/** Binds the Idempotency-Key again, so that it returns the payment and refuses different content. */
function bindKey({ store }: Context, state: RestoreState, { row, request }: BackupPayment): void {
  if (request === null) return
  store.run(
    "INSERT OR IGNORE INTO idempotency (key, fingerprint, kind, ref, created_at) VALUES (?, ?, 'payment', ?, ?)",
    request.key,
    request.fingerprint,
    row.id!,
    row.created_at!,
  )
  const { ref, kind } = store.first<{ ref: string; kind: string }>(
    'SELECT ref, kind FROM idempotency WHERE key = ?',
    request.key,
  )!
  if (ref === row.id) return
  // An object without the other payment accepted this one, or asked its owner, before it learned that it was put back.
  // It signed nothing, so the signed payment keeps the key; of two that History knows as unsigned, the older one does.
  const [own, other] = [store.payment(row.id!)!, store.payment(ref)]
  const isSigned = (payment: PaymentRow | null) => payment !== null && payment.sig_version > 0
  if (kind !== 'payment' || (isSigned(own) && isSigned(other)))
    recordUnexplained(state, { what: 'payment', ref: row.id!, detail: `${ref} has its Idempotency-Key` })
  else if (
    !isSigned(other) &&
    (!other || other.accepted_at === null || isSigned(own) || own.created_at < other.created_at)
  )
    store.run(
      'UPDATE idempotency SET fingerprint = ?, ref = ? WHERE key = ?',
      request.fingerprint,
      row.id!,
      request.key,
    )
}
