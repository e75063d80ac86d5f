import { hkdf } from '@noble/hashes/hkdf'
import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils'
import { addressOf } from '../../chain/sign.ts'
import type { Address, Hex } from '../../chain/types.ts'
import type { Context } from '../context.ts'

/**
 * The key that may claim or reclaim a payout. Keys are derived from the Worker's secret and the user's salt, never
 * stored: code and link can be re-issued, and a copy of the database without the secret moves nothing.
 */
export function payoutKey(
  ctx: Context,
  payoutId: string,
  purpose: 'claim' | 'reclaim',
): { key: Hex; address: Address } {
  const key: Hex = `0x${bytesToHex(
    hkdf(sha256, secretBytes(ctx), saltOf(ctx), `bursar payout v1|${payoutId}|${purpose}`, 32),
  )}`
  return { key, address: addressOf(key) }
}

const secretBytes = (ctx: Context) => hexToBytes(ctx.env.PAYOUT_SECRET_V1.replace(/^0x/, ''))

/** Made with the first payout. */
function saltOf(ctx: Context): string {
  const known = ctx.store.meta('payout_salt')
  if (known) return known
  const salt = bytesToHex(ctx.random(32))
  ctx.store.setMeta('payout_salt', salt)
  return salt
}
