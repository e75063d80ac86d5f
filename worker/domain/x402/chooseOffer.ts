import { formatUsdc, type MicroUsdc, maxAmount, microUsdc } from '../money.ts'
import type { ChainId } from '../networks.ts'
import { sameAddress } from '../sameAddress.ts'
import { addressProblem, checksumAddress } from '../validators.ts'
import type { Json, PaymentRequired } from './paymentRequired.ts'

/** An offer that can settle: an exact amount of USDC on the wallet's network, paid by an authorisation (EIP-3009). */
export type Offer = {
  payTo: `0x${string}`
  amount: MicroUsdc
  accepted: Accepted
}

/** An offer as the seller sent it. */
export type Accepted = Json & { maxTimeoutSeconds: number }

/** The token that the wallet pays with. `name` and `version` are those of its EIP-712 domain. */
export type Token = { chainId: ChainId; address: string; name: string; version: string }

export type Choice =
  | { ok: true; offer: Offer }
  | { ok: false; code: 'unsupported_payment'; message: string; field: string }
  | { ok: false; code: 'max_amount_exceeded'; message: string; lowest: MicroUsdc }

/** Chooses the cheapest offer that can settle; of several, the seller's first. `atMost` is the agent's `max_amount`. */
export function chooseOffer({ accepts }: PaymentRequired, token: Token, atMost: MicroUsdc | null): Choice {
  const offers: Offer[] = []
  const problems: string[] = []
  for (const accepted of accepts) {
    const read = readOffer(accepted, token)
    if (typeof read === 'string') problems.push(read)
    else offers.push(read)
  }
  const [first, ...others] = offers
  if (!first)
    return {
      ok: false,
      code: 'unsupported_payment',
      field: 'payment_required.accepts',
      message: `The wallet can pay none of the seller’s offers: ${[...new Set(problems)].slice(0, 3).join('; ')}.`,
    }
  const offer = others.reduce((cheapest, other) => (other.amount < cheapest.amount ? other : cheapest), first)
  if (atMost !== null && offer.amount > atMost)
    return {
      ok: false,
      code: 'max_amount_exceeded',
      lowest: offer.amount,
      message: `The seller asks for ${formatUsdc(offer.amount)} USDC, more than max_amount (${formatUsdc(atMost)}).`,
    }
  return { ok: true, offer }
}

/** The offer, or why it cannot be paid. */
function readOffer(accepted: Json, token: Token): Offer | string {
  const { scheme, network, asset, amount, payTo, maxTimeoutSeconds, extra } = accepted
  if (scheme !== 'exact') return `the scheme must be "exact"`
  if (network !== `eip155:${token.chainId}`) return `the network must be "eip155:${token.chainId}"`
  if (typeof asset !== 'string' || !sameAddress(asset, token.address))
    return `the asset must be USDC (${token.address})`
  // The digest contains name and version: with others, the seller could never settle.
  const { name, version, assetTransferMethod = 'eip3009' } = (extra ?? {}) as Json
  if (name !== token.name || version !== token.version)
    return `extra must name the token "${token.name}", version "${token.version}"`
  if (assetTransferMethod !== 'eip3009') return 'the asset transfer method must be "eip3009"'
  const value = typeof amount === 'string' && /^[0-9]{1,16}$/.test(amount) ? BigInt(amount) : 0n
  if (value === 0n || value > maxAmount) return 'the amount must be a string of whole micro-USDC, above zero'
  if (typeof payTo !== 'string' || addressProblem(payTo) !== null) return 'payTo must be an address'
  if (typeof maxTimeoutSeconds !== 'number' || !Number.isSafeInteger(maxTimeoutSeconds) || maxTimeoutSeconds < 0)
    return 'maxTimeoutSeconds must be a whole number'
  return { payTo: checksumAddress(payTo), amount: microUsdc(value), accepted: { ...accepted, maxTimeoutSeconds } }
}

const shortest = 60 // 1 minute
/** A minute below what the wallet accepts (MAX_PURCHASE_VALIDITY), for blocks whose time is behind. */
const longest = 240 // 4 minutes

/** When the authorisation ends, in unix seconds: as the seller wishes, within what settles in time and the wallet accepts. */
export const purchaseEnd = (blockTimestamp: number, { maxTimeoutSeconds }: Accepted): number =>
  blockTimestamp + Math.min(Math.max(maxTimeoutSeconds, shortest), longest)
