import type { Context } from '../../core/context.ts'
import type { PaymentRow, PayoutRow, WalletRow } from '../../core/storage/rows.ts'
import type { Store } from '../../core/storage/store.ts'
import { recoverableRun } from '../../runs/restored.ts'

/**
 * What History keeps of an account in addition to what it shows, so that a rolled-back Treasury can be brought up to date: the rows
 * of payments and payouts, wallets, agents’ names, Idempotency-Keys, and the salt of the payouts' keys. It has no wallet keys and no
 * codes, and secrets are sealed.
 */
export type RecoverableRequest = { key: string; fingerprint: string }
export type RecoverablePayment = { row: Partial<PaymentRow>; request: RecoverableRequest | null }
export type RecoverablePayout = Partial<PayoutRow>
export type RecoverableAgent = { name: string }
export type RecoverableWallet = Pick<WalletRow, (typeof walletColumns)[number]> & {
  request: RecoverableRequest | null
  deleted: boolean
}

/** Signatures have expired by the time of a restore, and gas figures are past. */
const notOfPayments = new Set(['r', 'vs', 'gas_send', 'gas_announce', 'gas_end', 'request_key'])
const notOfPayouts = new Set(['sealed_code', 'action_r', 'action_vs'])
const walletColumns = [
  'id',
  'chain_id',
  'kind',
  'address',
  'owner',
  'name',
  'factory',
  'salt',
  'session_key',
  'session_limit',
  'purchase_allowance',
  'valid_until',
  'created_at',
  'contract_set',
  'start_block',
  'start_balance',
] as const

/** Leaves out null columns, which most are. */
const columnsOf = (row: object, without: Set<string>) =>
  Object.fromEntries(Object.entries(row).filter(([name, value]) => value !== null && !without.has(name)))

/** Null for a request that was refused: it reserved nothing and bound no key. */
export function recoverablePayment(store: Store, row: PaymentRow): string | null {
  if (row.accepted_at === null && row.request_key === null) return null
  return JSON.stringify({ row: columnsOf(row, notOfPayments), request: recoverableRequest(store, row) })
}

const recoverableRequest = (
  store: Store,
  { request_key }: Pick<PaymentRow, 'request_key'>,
): RecoverableRequest | null =>
  request_key === null ? null : store.first('SELECT key, fingerprint FROM idempotency WHERE key = ?', request_key)

export const recoverablePayout = (row: PayoutRow): string => JSON.stringify(columnsOf(row, notOfPayouts))

const recoverableWallet = (store: Store, row: WalletRow): string => {
  const columns = Object.fromEntries(walletColumns.map((name) => [name, row[name]]))
  return JSON.stringify({ ...columns, request: recoverableRequest(store, row), deleted: row.status === 'deleted' })
}

/**
 * The named value of the account itself: `salt`, `wallet:<id>`, `run:<id>`, or `agent:<id>` of an agent that was renamed. Null if
 * there is none of this name.
 */
export function recoverableValue({ store }: Context, ref: string): string | null {
  if (ref === 'salt')
    return store.first<{ sealed_salt: string }>('SELECT sealed_salt FROM kept_salt')?.sealed_salt ?? null
  const [kind, id] = ref.split(':')
  if (kind === 'agent') {
    const name = store.agentName(id!)
    return name === null ? null : JSON.stringify({ name } satisfies RecoverableAgent)
  }
  if (kind === 'run') return recoverableRun(store, id!)
  const wallet = kind === 'wallet' ? store.wallet(id!) : null
  return wallet && recoverableWallet(store, wallet)
}
