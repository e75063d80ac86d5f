import { writeKeptValues } from '../../db/keptAccounts.ts'
import type { Context } from '../core/context.ts'
import { type Entry, markSent, nextEdition } from '../outbox/entries.ts'
import type { PaymentRow, PayoutRow, WalletRow } from '../storage/rows.ts'
import type { Store } from '../storage/store.ts'

/**
 * What D1 keeps of an account in addition to what it shows, so that a Treasury restored to an earlier time can be brought up
 * to date: the rows of payments and payouts with their Idempotency-Keys, wallets, hashes of valid credentials, and the salt of
 * the payouts' keys. It has no wallet keys and no codes, and secrets are sealed.
 */
export type BackupPayment = { row: Partial<PaymentRow>; request: { key: string; fingerprint: string } | null }
export type BackupPayout = Partial<PayoutRow>
/** A valid credential. `expires_at` in ms. */
export type BackupCredential = { hash: string; expires_at: number | null }
export type BackupWallet = Pick<WalletRow, (typeof walletColumns)[number]> & { deleted: boolean }

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
export function backupPayment(store: Store, row: PaymentRow): string | null {
  if (row.accepted_at === null) return null
  const request =
    row.request_key === null
      ? null
      : store.first('SELECT key, fingerprint FROM idempotency WHERE key = ?', row.request_key)
  return JSON.stringify({ row: kept(row, notOfPayments), request })
}

export const backupPayout = (row: PayoutRow): string => JSON.stringify(kept(row, notOfPayouts))

const backupWallet = (row: WalletRow): string => {
  const columns = Object.fromEntries(walletColumns.map((name) => [name, row[name]]))
  return JSON.stringify({ ...columns, deleted: row.status === 'deleted' })
}

const backupCredentials = (store: Store): string =>
  JSON.stringify(store.all<BackupCredential>('SELECT hash, expires_at FROM credential ORDER BY hash'))

/** The kept values of the account itself; only those in `names`, if given. */
export function backupValues({ store }: Context, names: string[] | null = null): { name: string; value: string }[] {
  const salt = store.first<{ sealed_salt: string }>('SELECT sealed_salt FROM kept_salt')
  const all = [
    ...(salt ? [{ name: 'salt', value: salt.sealed_salt }] : []),
    ...(store.first('SELECT 1 FROM agent LIMIT 1') ? [{ name: 'credentials', value: backupCredentials(store) }] : []),
    ...store
      .all<WalletRow>('SELECT * FROM wallet ORDER BY id')
      .map((row) => ({ name: `wallet:${row.id}`, value: backupWallet(row) })),
  ]
  return names === null ? all : all.filter(({ name }) => names.includes(name))
}

/** Writes the current values that D1 keeps of the account. */
export async function writeBackup(ctx: Context, entries: Entry[]): Promise<void> {
  const { store, db, userId } = ctx
  const edition = nextEdition(ctx)
  const values = backupValues(
    ctx,
    entries.map(({ ref }) => ref),
  )
  await writeKeptValues(db, userId, edition, values)
  store.transaction(() => {
    for (const entry of entries) markSent(ctx, entry)
  })
}
