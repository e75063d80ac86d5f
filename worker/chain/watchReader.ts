import { encodeFunctionData, keccak256, pad } from 'viem/utils'
import { agentWalletAbi } from './abi.ts'
import { plain } from './calls.ts'
import type { Address, Hex, WalletState, WatchedAddress } from './types.ts'

const stateCall = encodeFunctionData({ abi: agentWalletAbi, functionName: 'state' })

/**
 * Init code that reads the digests of many wallets at one block: sent as an eth_call without `to`, it is executed and not
 * deployed (as balanceReader.ts). Its result is the number of the block, then a digest for each wallet, 32 bytes each.
 *
 * After the code come the token, copied to 0x240 in memory, and the wallets; each digest replaces its wallet. An imported wallet
 * has bit 160 set: its state() is not asked, because a plain account may get code (EIP-7702) that uses up the gas. With code it
 * has the digest 0, which is never what its Treasury knows.
 */
const code = [
  '60 aa 38 03', // size of what follows the code, which has 0xaa bytes
  '80 60 aa 61 0240 39', // codecopy to 0x240; leaves the size
  '63 70a08231 60 e0 1b 60 00 52', // the selector of balanceOf(address) at 0x00
  `63 ${stateCall.slice(2)} 60 e0 1b 60 40 52`, // the selector of state() at 0x40
  '61 0240 01', // [end]: where the wallets end
  '61 0260', // [end, place]: the first wallet
  '5b 81 81 10 15 60 95 57', // 0x28, loop: to "done" unless place < end
  '80 51', // [end, place, wallet]
  '80 60 a0 1c 60 58 57', // to "plain" if bit 160 is set
  '61 01e0 60 60 60 04 60 40 84 5a fa', // staticcall state(): 4 bytes in, 0x1e0 bytes out, to 0x60
  '61 01df 3d 11 16 15 60 58 57', // to "plain" unless it succeeded with as many: nothing is deployed there
  '61 0140 60 a0 20', // keccak256 of ten words, from sessionKey to ownerNonce
  '60 8b 56',
  '5b 80 3b 15 60 64 57', // 0x58, plain: to "balance" if it has no code
  '60 00 60 8b 56', // the digest 0
  '5b 80 60 60 1b 60 60 1c 60 04 52', // 0x64, balance: the account becomes the argument, at 0x04
  '60 20 60 60 60 24 60 00 61 0240 51 5a fa', // staticcall: 0x24 bytes in, 0x20 bytes out, to 0x60
  '3d 60 20 14 16 15 60 a5 57', // to "fail" unless it succeeded with 32 bytes
  '60 20 60 60 20', // keccak256 of the balance
  '5b 82 52 50', // 0x8b, store: the digest over the wallet
  '60 20 01 60 28 56', // the next wallet
  '5b 43 61 0240 52 50', // 0x95, done: the number of the block over the token
  '61 0240 90 03 61 0240 f3', // return from 0x240 to the end
  '5b 60 00 80 fd', // 0xa5, fail
]
  .map((line) => line.replaceAll(' ', ''))
  .join('')

/** Data of the eth_call. */
export const digestsCall = (token: Address, wallets: readonly WatchedAddress[]): Hex => {
  const words = wallets.map(({ kind, address }) => `${kind === 'imported' ? '1' : '0'}${plain(address).slice(2)}`)
  return `0x${[token.slice(2), ...words].reduce((all, word) => all + word.toLowerCase().padStart(64, '0'), code)}`
}

/** The block and the digests in the order of the wallets; null unless there are as many. */
export function decodeDigests(data: Hex, wallets: number): { block: number; digests: Hex[] } | null {
  if (data.length !== 2 + (1 + wallets) * 64) return null
  const word = (i: number): Hex => `0x${data.slice(2 + i * 64, 66 + i * 64)}`
  return { block: Number(word(0)), digests: Array.from({ length: wallets }, (_, i) => word(i + 1)) }
}

/** What the code above makes of a wallet: changes when money moves or the session does. `state` is null without a contract. */
export function digestOf(state: WalletState | null, balance: bigint): Hex {
  if (state === null) return keccak256(wordOf(balance))
  const { sessionKey, validUntil, epoch, rotationDisabled, sessionRevoked, remaining, top, seen, ownerNonce } = state
  const flags = [rotationDisabled, sessionRevoked].map(Number)
  const words = [BigInt(sessionKey), validUntil, epoch, ...flags, remaining, top, seen, balance, ownerNonce].map(wordOf)
  return keccak256(words.reduce<Hex>((all, word) => `${all}${word.slice(2)}`, '0x'))
}

const wordOf = (value: bigint | number): Hex => pad(`0x${value.toString(16)}`)
