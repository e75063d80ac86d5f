import { secp256k1 } from '@noble/curves/secp256k1'
import { encodeFunctionData, prepareEncodeFunctionData } from 'viem'
import { concat, numberToHex } from 'viem/utils'
import { sameAddress } from '#domain/sameAddress.ts'
import { usdcAbi } from './abi.ts'
import { type Authorization, authorizationDigest, usdcNames } from './authorizationDigest.ts'
import { addressTopic, plain, topics } from './calls.ts'
import { domainSeparator, hashText, keccak } from './digests.ts'
import type { CompactSignature } from './sign.ts'
import type { Address, Chain, Hex, LogFilter } from './types.ts'

/** EIP-3009 of Circle's USDC (FiatTokenV2), by which imported wallets pay: accounts that are plain keys. */

const separatorCall = encodeFunctionData({ abi: usdcAbi, functionName: 'DOMAIN_SEPARATOR' })

/** The overload with v, r and s, which exists in every version of the token. */
const transfer = prepareEncodeFunctionData({
  abi: [
    {
      type: 'function',
      name: 'transferWithAuthorization',
      stateMutability: 'nonpayable',
      inputs: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
        { name: 'v', type: 'uint8' },
        { name: 'r', type: 'bytes32' },
        { name: 's', type: 'bytes32' },
      ],
      outputs: [],
    },
  ],
  functionName: 'transferWithAuthorization',
})

/** Returns the same nonce for every signature of a payment. Unpredictable without the payment's id. */
export const authorizationNonce = (paymentId: string): Hex => hashText(paymentId)

/** `vs` as in EIP-2098. */
export function authorizedTransferCall(authorization: Authorization & CompactSignature): Hex {
  const { from, to, amount, nonce, validBefore } = authorization
  const { r, s, v } = expanded(authorization)
  return encodeFunctionData({
    ...transfer,
    args: [plain(from), plain(to), amount, 0n, BigInt(validBefore), nonce, v, r, s],
  })
}

/** A key's signature in the form that x402 carries: r ‖ s ‖ v, 65 bytes. */
export function authorizationSignature(signature: CompactSignature): Hex {
  const { r, s, v } = expanded(signature)
  return concat([r, s, numberToHex(v, { size: 1 })])
}

/**
 * The compact form of a signature of 65 bytes by `authorization.from`; null if it is by another key, or in a form that USDC
 * refuses: it accepts a low s and v 27 or 28 (ECRecover.sol).
 */
export function ownSignature(separator: Hex, authorization: Authorization, signature: Hex): CompactSignature | null {
  const [r, s] = [signature.slice(2, 66), signature.slice(66, 130)]
  const parity = Number.parseInt(signature.slice(130), 16) - 27
  if (parity !== 0 && parity !== 1) return null
  try {
    const parsed = secp256k1.Signature.fromCompact(r + s).addRecoveryBit(parity)
    if (parsed.hasHighS()) return null
    const key = parsed.recoverPublicKey(authorizationDigest(separator, authorization).slice(2)).toRawBytes(false)
    const signer = `0x${keccak(key.subarray(1)).slice(-40)}`
    if (!sameAddress(signer, authorization.from)) return null
    return { r: `0x${r}`, vs: numberToHex((BigInt(parity) << 255n) | parsed.s, { size: 32 }) }
  } catch {
    // Not a signature of this curve.
    return null
  }
}

function expanded({ r, vs }: CompactSignature): { r: Hex; s: Hex; v: number } {
  const word = BigInt(vs)
  return { r, s: numberToHex(word & ((1n << 255n) - 1n), { size: 32 }), v: 27 + Number(word >> 255n) }
}

/**
 * The token's EIP-712 domain separator. Computed here for the names that Circle uses and only compared with the node's
 * result, because a lying node could otherwise make us sign for another token or chain. Null if none of them matches.
 */
export const usdcDomainSeparator = async (chain: Chain): Promise<Hex | null> =>
  (await usdcDomain(chain))?.separator ?? null

/** `name` and `version` are what sellers of x402 have to know. */
export type UsdcDomain = { name: string; version: string; separator: Hex }

/** The same, as a whole. */
export async function usdcDomain(chain: Chain): Promise<UsdcDomain | null> {
  const { usdc } = chain
  const reported = await chain.call({ to: usdc, data: separatorCall })
  const version = '2'
  const known = usdcNames.map((name) => ({
    name,
    version,
    separator: domainSeparator(name, chain.chainId, usdc, version),
  }))
  return known.find(({ separator }) => separator === reported) ?? null
}

/** Whether the authorization was used or cancelled. A used authorization does not prove that our payment was made. */
export async function authorizationIsOver(chain: Chain, from: Address, nonce: Hex, atBlock?: number): Promise<boolean> {
  const data = encodeFunctionData({ abi: usdcAbi, functionName: 'authorizationState', args: [plain(from), nonce] })
  return BigInt(await chain.call({ to: chain.usdc, data }, atBlock)) === 1n
}

const eventTopics = { used: topics.authorizationUsed, cancelled: topics.authorizationCanceled }

/** Filter for USDC's logs about authorizations of `from`, optionally of one event and nonce. */
export const authorizationLogs = (
  usdc: Address,
  from: Address,
  only: { event?: 'used' | 'cancelled'; nonce?: Hex } = {},
): Omit<LogFilter, 'fromBlock' | 'toBlock'> => ({
  address: usdc,
  topics: [
    only.event ? eventTopics[only.event] : Object.values(eventTopics),
    addressTopic(from),
    ...(only.nonce ? [only.nonce] : []),
  ],
})

/** Reads one of those logs. Null for any other log. */
export const authorizationIn = (log: { topics: Hex[] }): { event: 'used' | 'cancelled'; nonce: Hex } | null =>
  log.topics.length !== 3
    ? null
    : log.topics[0] === eventTopics.used
      ? { event: 'used', nonce: log.topics[2]! }
      : log.topics[0] === eventTopics.cancelled
        ? { event: 'cancelled', nonce: log.topics[2]! }
        : null
