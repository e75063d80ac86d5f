import { bytesToHex } from '@noble/hashes/utils'
import type { Context } from '../context.ts'
import { enqueue } from '../outbox/enqueue.ts'
import type { PaymentRow, PayoutRow, WalletRow } from '../storage/rows.ts'
import type { Store } from '../storage/store.ts'

/**
 * What D1 keeps of an account in addition to what it shows, so that a Treasury restored to an earlier time can be brought up
 * to date: the rows of payments and payouts with their Idempotency-Keys, wallets, and the salt of the payouts' keys. It has
 * no wallet keys and no codes, and secrets are sealed.
 */
export type KeptPayment = { row: Partial<PaymentRow>; request: { key: string; fingerprint: string } | null }
export type KeptPayout = Partial<PayoutRow>
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

/** The kept values of the account itself; only those in `names`, if given. */
export function keptValues({ store }: Context, names: string[] | null = null): { name: string; value: string }[] {
  const salt = store.first<{ sealed_salt: string }>('SELECT sealed_salt FROM kept_salt')
  const all = [
    ...(salt ? [{ name: 'salt', value: salt.sealed_salt }] : []),
    ...store
      .all<WalletRow>('SELECT * FROM wallet ORDER BY id')
      .map((row) => ({ name: `wallet:${row.id}`, value: keptWallet(row) })),
  ]
  return names === null ? all : all.filter(({ name }) => names.includes(name))
}

export const saltBinding = (ctx: Context) => `${ctx.userId}|payout salt`

/** The salt of the payouts' keys, created when it is first needed. */
export function payoutSalt(ctx: Context): string {
  const known = ctx.store.meta('payout_salt')
  if (known) return known
  const salt = bytesToHex(ctx.random(32))
  ctx.store.setMeta('payout_salt', salt)
  return salt
}

/** Seals the salt for D1, before the first payout needs it. Repeating it changes nothing. */
export async function keepSalt(ctx: Context): Promise<void> {
  const { store } = ctx
  if (store.first('SELECT 1 FROM kept_salt')) return
  const sealed = await ctx.sealer.seal(payoutSalt(ctx), saltBinding(ctx))
  store.transaction(() => {
    store.run('INSERT OR IGNORE INTO kept_salt (one, sealed_salt) VALUES (1, ?)', sealed)
    enqueue(ctx, 'kept', 'salt')
  })
}
