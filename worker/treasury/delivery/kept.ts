import type { Context } from '../core/context.ts'
import type { PaymentRow, PayoutRow, WalletRow } from '../storage/rows.ts'
import type { Store } from '../storage/store.ts'

/**
 * What History keeps of an account in addition to what it shows, so that a rolled-back Treasury can be brought up to date: the rows
 * of payments and payouts, wallets, their Idempotency-Keys, and the salt of the payouts' keys. It has no wallet keys and no
 * codes, and secrets are sealed.
 */
export type KeptRequest = { key: string; fingerprint: string }
export type KeptPayment = { row: Partial<PaymentRow>; request: KeptRequest | null }
export type KeptPayout = Partial<PayoutRow>
export type KeptWallet = Pick<WalletRow, (typeof walletColumns)[number]> & {
  request: KeptRequest | null
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
const kept = (row: object, without: Set<string>) =>
  Object.fromEntries(Object.entries(row).filter(([name, value]) => value !== null && !without.has(name)))

/** Null for a request that was refused: it reserved nothing and bound no key. */
export function keptPayment(store: Store, row: PaymentRow): string | null {
  if (row.accepted_at === null && row.request_key === null) return null
  return JSON.stringify({ row: kept(row, notOfPayments), request: keptRequest(store, row) })
}

const keptRequest = (store: Store, { request_key }: Pick<PaymentRow, 'request_key'>): KeptRequest | null =>
  request_key === null ? null : store.first('SELECT key, fingerprint FROM idempotency WHERE key = ?', request_key)

export const keptPayout = (row: PayoutRow): string => JSON.stringify(kept(row, notOfPayouts))

const keptWallet = (store: Store, row: WalletRow): string => {
  const columns = Object.fromEntries(walletColumns.map((name) => [name, row[name]]))
  return JSON.stringify({ ...columns, request: keptRequest(store, row), deleted: row.status === 'deleted' })
}

/** The named value of the account itself: `salt` or `wallet:<id>`. Null if there is none of this name. */
export function keptValue({ store }: Context, name: string): string | null {
  if (name === 'salt')
    return store.first<{ sealed_salt: string }>('SELECT sealed_salt FROM kept_salt')?.sealed_salt ?? null
  const wallet = name.startsWith('wallet:') ? store.wallet(name.slice('wallet:'.length)) : null
  return wallet && keptWallet(store, wallet)
}
