import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils'
import { addressTopic } from './calls.ts'
import { domainSeparator, keccak, packWords } from './digests.ts'
import type { Address, Chain, Hex, LogFilter } from './types.ts'

/** EIP-3009 of Circle's USDC (FiatTokenV2): how accounts that are plain keys pay. */

const hashText = (text: string): Hex => keccak(utf8ToBytes(text))
const typeHash = hashText(
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
)
const selector = (signature: string) => hashText(signature).slice(0, 10)
const selectors = {
  transfer: selector(
    'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
  ),
  state: selector('authorizationState(address,bytes32)'),
  separator: selector('DOMAIN_SEPARATOR()'),
}
const topics = {
  used: hashText('AuthorizationUsed(address,bytes32)'),
  canceled: hashText('AuthorizationCanceled(address,bytes32)'),
}

export type Authorization = {
  from: Address
  to: Address
  /** micro-USDC */
  amount: bigint
  nonce: Hex
  /** unix seconds, exclusive */
  validBefore: number
}

/** Random to everybody who does not know the payment's id, and the same for every signature of that payment. */
export const authorizationNonce = (paymentId: string): Hex => hashText(paymentId)

export function authorizationDigest(separator: Hex, authorization: Authorization): Hex {
  const { from, to, amount, nonce, validBefore } = authorization
  const struct = keccak(packWords(typeHash, from, to, amount, 0, validBefore, nonce))
  const bytes = new Uint8Array(66)
  bytes.set([0x19, 0x01])
  bytes.set(packWords(separator, struct), 2)
  return keccak(bytes)
}

/** `vs` as in EIP-2098; the form with v, r, s is in every version of the token. */
export function authorizedTransferCall(authorization: Authorization & { r: Hex; vs: Hex }): Hex {
  const { from, to, amount, nonce, validBefore, r, vs } = authorization
  const word = BigInt(vs)
  const v = 27 + Number(word >> 255n)
  const s = word & ((1n << 255n) - 1n)
  return `${selectors.transfer as Hex}${bytesToHex(packWords(from, to, amount, 0, validBefore, nonce, v, r, s))}`
}

/**
 * The token's EIP-712 domain. Computed here for the names Circle uses and only compared to the node's answer: a node
 * that lied could otherwise have us sign for another token or another chain. Null when it is none of them.
 */
export async function usdcDomainSeparator(chain: Chain): Promise<Hex | null> {
  const { usdc } = chain.contracts
  const shown = await chain.call({ to: usdc, data: selectors.separator as Hex })
  const known = ['USD Coin', 'USDC'].map((name) => domainSeparator(name, chain.chainId, usdc, '2'))
  return known.find((separator) => separator === shown) ?? null
}

/** True once used or cancelled: "used" alone is not "paid". */
export async function authorizationIsOver(chain: Chain, from: Address, nonce: Hex, atBlock?: number): Promise<boolean> {
  const data: Hex = `${selectors.state as Hex}${bytesToHex(packWords(from, nonce))}`
  return BigInt(await chain.call({ to: chain.contracts.usdc, data }, atBlock)) === 1n
}

type Range = { fromBlock: number; toBlock: number }

/** What USDC logs about authorizations of `from`; of one kind and nonce where given. */
export const authorizationLogs = (
  usdc: Address,
  from: Address,
  range: Range,
  only: { event?: 'used' | 'canceled'; nonce?: Hex } = {},
): LogFilter => ({
  address: usdc,
  topics: [
    only.event ? topics[only.event] : [topics.used, topics.canceled],
    addressTopic(from),
    ...(only.nonce ? [only.nonce] : []),
  ],
  ...range,
})

/** Reads one of those logs. */
export const authorizationIn = (log: { topics: Hex[] }): { event: 'used' | 'canceled'; nonce: Hex } | null =>
  log.topics.length !== 3
    ? null
    : log.topics[0] === topics.used
      ? { event: 'used', nonce: log.topics[2]! }
      : log.topics[0] === topics.canceled
        ? { event: 'canceled', nonce: log.topics[2]! }
        : null
