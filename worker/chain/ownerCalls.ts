import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils'
import { keccak, packWords, type Terms } from './digests.ts'
import type { Address, Hex } from './types.ts'

/**
 * Calls of a wallet by its owner, sent from the owner's own account instead of through the Relayer. The dashboard and
 * the recovery page use them; tests/web/ownerKey.test.ts compares them with the generated ABI.
 */

type Word = bigint | number | Hex

/** Calldata of a function whose arguments are all static. */
export const calldata = (signature: string, ...words: Word[]): Hex =>
  `${keccak(utf8ToBytes(signature)).slice(0, 10) as Hex}${bytesToHex(packWords(...words))}`

export const reclaimPayout = ({ payer, claimKey, reclaimKey, amount, expiry }: Terms): Hex =>
  calldata('reclaimPayout((address,address,address,uint64,uint48))', payer, claimKey, reclaimKey, amount, expiry)

export const revokeSession = (): Hex => calldata('revokeSession()')

export const disableRotationSignature = 'disableRotationAuthority()'
export const disableRotation = (): Hex => calldata(disableRotationSignature)

/** Withdraws ETH when `token` is the zero address. */
export const withdraw = (token: Address, to: Address, amount: bigint): Hex =>
  calldata('withdraw(address,address,uint256)', token, to, amount)

/** A call of USDC by an account that holds it itself. Amount in micro-USDC. */
export const transfer = (to: Address, amount: bigint): Hex => calldata('transfer(address,uint256)', to, amount)
