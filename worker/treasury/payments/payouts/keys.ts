import { hkdf } from '@noble/hashes/hkdf'
import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils'
import { sameAddress } from '#domain/sameAddress.ts'
import { addressOf } from '../../../chain/sign.ts'
import type { Address, Hex } from '../../../chain/types.ts'
import { keyring, UnknownKeyVersion } from '../../../keyrings/keyring.ts'
import type { Context } from '../../core/context.ts'
import type { PayoutRow } from '../../core/storage/rows.ts'
import { recordChange } from '../../outbox/changes.ts'

/**
 * The key that may claim or reclaim a payout. Keys are derived from a version of the payout secret and the user's salt,
 * never stored: code and link can be re-issued, and a copy of the database without the secret moves nothing.
 */
export function payoutKey(
  ctx: Context,
  payoutId: string,
  purpose: 'claim' | 'reclaim',
  version: number,
): { key: Hex; address: Address } {
  const secret = hexToBytes(keyring(ctx.env, 'PAYOUT_SECRET').secret(version).replace(/^0x/, ''))
  const key: Hex = `0x${bytesToHex(hkdf(sha256, secret, payoutSalt(ctx), `bursar payout v1|${payoutId}|${purpose}`, 32))}`
  return { key, address: addressOf(key) }
}

/** The version of the payout secret that new payouts use. */
export const payoutSecretVersion = (ctx: Context): number =>
  keyring(ctx.env, 'PAYOUT_SECRET').current(ctx.now()).version

/**
 * The stored payout's key. Null if the settings lack the secret that it was created with or have another one in its place,
 * so that nothing is signed with a wrong key.
 */
export function storedPayoutKey(ctx: Context, payout: PayoutRow, purpose: 'claim' | 'reclaim'): Hex | null {
  try {
    const { key, address } = payoutKey(ctx, payout.id, purpose, payout.secret_version)
    return sameAddress(address, purpose === 'claim' ? payout.claim_key : payout.reclaim_key) ? key : null
  } catch (error) {
    if (error instanceof UnknownKeyVersion) return null
    throw error
  }
}

export const saltBinding = (ctx: Context) => `${ctx.userId}|payout salt`

/** The salt of the payouts' keys, created when it is first needed. */
function payoutSalt(ctx: Context): string {
  const known = ctx.store.meta('payout_salt')
  if (known) return known
  const salt = bytesToHex(ctx.random(32))
  ctx.store.setMeta('payout_salt', salt)
  return salt
}

/** Seals the salt for History, before the first payout needs it. Repeating it changes nothing. */
export async function ensureSaltBackedUp(ctx: Context): Promise<void> {
  const { store } = ctx
  if (store.first('SELECT 1 FROM kept_salt')) return
  const sealed = await ctx.sealer.seal(payoutSalt(ctx), saltBinding(ctx))
  store.transaction(() => {
    store.insert('kept_salt', { one: 1, sealed_salt: sealed }, 'ON CONFLICT DO NOTHING')
    recordChange(ctx, 'salt')
  })
}
