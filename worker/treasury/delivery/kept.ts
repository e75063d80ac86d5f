import type { Context } from '../core/context.ts'
import type { PaymentRow, PayoutRow, WalletRow } from '../storage/rows.ts'
import type { Store } from '../storage/store.ts'

/**
 * What History keeps of an account in addition to what it shows, so that a Treasury restored to an earlier time can be brought up
 * to date: the rows of payments and payouts with their Idempotency-Keys, wallets, hashes of valid credentials, and the salt of
 * the payouts' keys. It has no wallet keys and no codes, and secrets are sealed.
 */
export type KeptPayment = { row: Partial<PaymentRow>; request: { key: string; fingerprint: string } | null }
export type KeptPayout = Partial<PayoutRow>
/** A valid credential. `expires_at` in ms. */
export type KeptCredential = { hash: string; expires_at: number | null }
export type KeptWallet = Pick<WalletRow, (typeof walletColumns)[number]> & { deleted: boolean }

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
  'valid_until',
  'created_at',
  'contract_set',
  'start_block',
  'start_balance',
] as const

/** Leaves out null columns, which most are. */
const kept = (row: object, without: Set<string>) =>
  Object.fromEntries(Object.entries(row).filter(([name, value]) => value !== null && !without.has(name)))

/** Null for a payment that was never accepted: it reserved nothing. */
export function keptPayment(store: Store, row: PaymentRow): string | null {
  if (row.accepted_at === null) return null
  const request =
    row.request_key === null
      ? null
      : store.first('SELECT key, fingerprint FROM idempotency WHERE key = ?', row.request_key)
  return JSON.stringify({ row: kept(row, notOfPayments), request })
}

export const keptPayout = (row: PayoutRow): string => JSON.stringify(kept(row, notOfPayouts))

const keptWallet = (row: WalletRow): string => {
  const columns = Object.fromEntries(walletColumns.map((name) => [name, row[name]]))
  return JSON.stringify({ ...columns, deleted: row.status === 'deleted' })
}

const keptCredentials = (store: Store): string =>
  JSON.stringify(store.all<KeptCredential>('SELECT hash, expires_at FROM credential ORDER BY hash'))

/** The named value of the account itself: `salt`, `credentials` or `wallet:<id>`. Null if there is none of this name. */
export function keptValue({ store }: Context, name: string): string | null {
  if (name === 'salt')
    return store.first<{ sealed_salt: string }>('SELECT sealed_salt FROM kept_salt')?.sealed_salt ?? null
  if (name === 'credentials') return keptCredentials(store)
  const wallet = name.startsWith('wallet:') ? store.wallet(name.slice('wallet:'.length)) : null
  return wallet && keptWallet(wallet)
}
