import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils'
import { keccak, packWords, type Terms } from './digests.ts'
import type { Address, Hex } from './types.ts'

/** Calldata of our contracts. Every argument is static, so words one after the other are the whole encoding. */
const selector = (signature: string) => keccak(utf8ToBytes(signature)).slice(0, 10)
const selectors = {
  send: selector('send(address,uint64,uint64,uint48,bytes32,bytes32)'),
  createWallet: selector('createWallet(address,bytes32,address,uint64,uint40)'),
  announce: selector('announce((address,address,address,uint64,uint48))'),
  claim: selector('claim((address,address,address,uint64,uint48),address,uint64,uint48,bytes32,bytes32)'),
  reclaim: selector('reclaim((address,address,address,uint64,uint48),uint64,uint48,bytes32,bytes32)'),
  rotateSessionKey: selector('rotateSessionKey(address,uint64,uint40,uint32,uint48,bytes32,bytes32)'),
  setSessionBySig: selector('setSessionBySig(address,uint64,uint40,uint48,bytes32,bytes32)'),
  revokeSessionBySig: selector('revokeSessionBySig(uint48,bytes32,bytes32)'),
  disableRotationAuthorityBySig: selector('disableRotationAuthorityBySig(uint48,bytes32,bytes32)'),
  withdrawBySig: selector('withdrawBySig(address,address,uint256,uint48,bytes32,bytes32)'),
}
type Word = bigint | number | Hex
const encode = (name: keyof typeof selectors, ...words: Word[]): Hex =>
  `${selectors[name] as Hex}${bytesToHex(packWords(...words))}`
const words = (terms: Terms): Word[] => [terms.payer, terms.claimKey, terms.reclaimKey, terms.amount, terms.expiry]

export const sendCall = (send: {
  to: Address
  amount: bigint
  nonce: bigint
  deadline: number
  r: Hex
  vs: Hex
}): Hex => encode('send', send.to, send.amount, send.nonce, send.deadline, send.r, send.vs)

export const createWalletCall = (wallet: {
  owner: Address
  salt: Hex
  sessionKey: Address
  limit: bigint
  validUntil: number
}): Hex => encode('createWallet', wallet.owner, wallet.salt, wallet.sessionKey, wallet.limit, wallet.validUntil)

export const announceCall = (terms: Terms): Hex => encode('announce', ...words(terms))

export const claimCall = (
  terms: Terms,
  claim: { to: Address; atLeast: bigint; deadline: number; r: Hex; vs: Hex },
): Hex => encode('claim', ...words(terms), claim.to, claim.atLeast, claim.deadline, claim.r, claim.vs)

export const reclaimCall = (terms: Terms, reclaim: { atLeast: bigint; deadline: number; r: Hex; vs: Hex }): Hex =>
  encode('reclaim', ...words(terms), reclaim.atLeast, reclaim.deadline, reclaim.r, reclaim.vs)

type Signed = { deadline: number; r: Hex; vs: Hex }
type Session = { key: Address; limit: bigint; validUntil: number }

/** Signed by an operator of the provider. */
export const rotateCall = (session: Session & { expectedEpoch: number } & Signed): Hex =>
  encode(
    'rotateSessionKey',
    session.key,
    session.limit,
    session.validUntil,
    session.expectedEpoch,
    session.deadline,
    session.r,
    session.vs,
  )

// Signed by the owner; anyone may submit them.

export const setSessionCall = ({ key, limit, validUntil, deadline, r, vs }: Session & Signed): Hex =>
  encode('setSessionBySig', key, limit, validUntil, deadline, r, vs)
export const revokeSessionCall = ({ deadline, r, vs }: Signed): Hex => encode('revokeSessionBySig', deadline, r, vs)
export const disableRotationCall = ({ deadline, r, vs }: Signed): Hex =>
  encode('disableRotationAuthorityBySig', deadline, r, vs)
export const withdrawCall = (withdraw: { token: Address; to: Address; amount: bigint } & Signed): Hex =>
  encode('withdrawBySig', withdraw.token, withdraw.to, withdraw.amount, withdraw.deadline, withdraw.r, withdraw.vs)

/** Topics of the logs that we read. */
export const topics = {
  transfer: keccak(utf8ToBytes('Transfer(address,address,uint256)')),
  payoutAnnounced: keccak(utf8ToBytes('PayoutAnnounced(bytes32,address,address,address,uint64,uint48)')),
}
export const addressTopic = (address: Address): Hex => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`
export const nonceTopic = (nonce: bigint): Hex => `0x${nonce.toString(16).padStart(64, '0')}`
