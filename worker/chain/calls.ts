import { encodeFunctionData, prepareEncodeFunctionData } from 'viem'
import { numberToHex, pad, toEventSelector } from 'viem/utils'
import { agentWalletAbi, agentWalletFactoryAbi, payoutEscrowAbi, usdcAbi } from './abi.ts'
import type { WalletParameters } from './addresses.ts'
import type { Terms } from './digests.ts'
import type { Address, Hex } from './types.ts'

/** Calldata of our contracts. Selectors are prepared once, which makes encoding four times as fast. */
const prepared = {
  send: prepareEncodeFunctionData({ abi: agentWalletAbi, functionName: 'send' }),
  createWallet: prepareEncodeFunctionData({ abi: agentWalletFactoryAbi, functionName: 'createWallet' }),
  announce: prepareEncodeFunctionData({ abi: payoutEscrowAbi, functionName: 'announce' }),
  claim: prepareEncodeFunctionData({ abi: payoutEscrowAbi, functionName: 'claim' }),
  reclaim: prepareEncodeFunctionData({ abi: payoutEscrowAbi, functionName: 'reclaim' }),
  rotate: prepareEncodeFunctionData({ abi: agentWalletAbi, functionName: 'rotateSessionKey' }),
  setSession: prepareEncodeFunctionData({ abi: agentWalletAbi, functionName: 'setSessionBySig' }),
  revokeSession: prepareEncodeFunctionData({ abi: agentWalletAbi, functionName: 'revokeSessionBySig' }),
  disableRotation: prepareEncodeFunctionData({
    abi: agentWalletAbi,
    functionName: 'disableRotationAuthorityBySig',
  }),
  withdraw: prepareEncodeFunctionData({ abi: agentWalletAbi, functionName: 'withdrawBySig' }),
}

/** viem rejects mixed case that is not a valid checksum. Addresses are validated where they enter, not here. */
export const plain = (address: Address) => address.toLowerCase() as Address
const plainTerms = ({ payer, claimKey, reclaimKey, amount, expiry }: Terms) => ({
  payer: plain(payer),
  claimKey: plain(claimKey),
  reclaimKey: plain(reclaimKey),
  amount,
  expiry,
})

type Signed = { deadline: number; r: Hex; vs: Hex }
/** `purchaseAllowance` is the part of the limit that purchases may use, in whole USDC. */
type Session = { key: Address; limit: bigint; purchaseAllowance: number; validUntil: number }

export const sendCall = ({
  to,
  amount,
  nonce,
  deadline,
  r,
  vs,
}: { to: Address; amount: bigint; nonce: bigint } & Signed) =>
  encodeFunctionData({ ...prepared.send, args: [plain(to), amount, nonce, deadline, r, vs] })

export const createWalletCall = (wallet: WalletParameters) => {
  const { owner, salt, sessionKey, limit, purchaseAllowance, validUntil } = wallet
  return encodeFunctionData({
    ...prepared.createWallet,
    args: [plain(owner), salt, plain(sessionKey), limit, purchaseAllowance, validUntil],
  })
}

export const announceCall = (terms: Terms) => encodeFunctionData({ ...prepared.announce, args: [plainTerms(terms)] })

export const claimCall = (terms: Terms, claim: { to: Address; atLeast: bigint } & Signed) => {
  const { to, atLeast, deadline, r, vs } = claim
  return encodeFunctionData({ ...prepared.claim, args: [plainTerms(terms), plain(to), atLeast, deadline, r, vs] })
}

export const reclaimCall = (terms: Terms, { atLeast, deadline, r, vs }: { atLeast: bigint } & Signed) =>
  encodeFunctionData({ ...prepared.reclaim, args: [plainTerms(terms), atLeast, deadline, r, vs] })

/** Signed by an operator of the provider. */
export const rotateCall = (rotation: Session & { expectedEpoch: number } & Signed) => {
  const { key, limit, purchaseAllowance, validUntil, expectedEpoch, deadline, r, vs } = rotation
  return encodeFunctionData({
    ...prepared.rotate,
    args: [plain(key), limit, purchaseAllowance, validUntil, expectedEpoch, deadline, r, vs],
  })
}

// Signed by the owner; anyone may submit them.

export const setSessionCall = (session: Session & Signed) => {
  const { key, limit, purchaseAllowance, validUntil, deadline, r, vs } = session
  return encodeFunctionData({
    ...prepared.setSession,
    args: [plain(key), limit, purchaseAllowance, validUntil, deadline, r, vs],
  })
}

export const revokeSessionCall = ({ deadline, r, vs }: Signed) =>
  encodeFunctionData({ ...prepared.revokeSession, args: [deadline, r, vs] })

export const disableRotationCall = ({ deadline, r, vs }: Signed) =>
  encodeFunctionData({ ...prepared.disableRotation, args: [deadline, r, vs] })

export const withdrawCall = (withdrawal: { token: Address; to: Address; amount: bigint } & Signed) => {
  const { token, to, amount, deadline, r, vs } = withdrawal
  return encodeFunctionData({ ...prepared.withdraw, args: [plain(token), plain(to), amount, deadline, r, vs] })
}

const topicOf = (abi: readonly { type: string; name?: string }[], name: string): Hex =>
  toEventSelector(abi.find((item) => item.type === 'event' && item.name === name) as never)

/** Topics of the logs that we read. */
export const topics = {
  transfer: topicOf(usdcAbi, 'Transfer'),
  payoutAnnounced: topicOf(payoutEscrowAbi, 'PayoutAnnounced'),
  authorizationUsed: topicOf(usdcAbi, 'AuthorizationUsed'),
  authorizationCanceled: topicOf(usdcAbi, 'AuthorizationCanceled'),
}
export const addressTopic = (address: Address): Hex => pad(plain(address))
export const nonceTopic = (nonce: bigint): Hex => numberToHex(nonce, { size: 32 })
