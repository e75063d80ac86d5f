import { utf8ToBytes } from '@noble/hashes/utils'
import { keccak, type Terms } from '#chain/digests.ts'
import { calldata } from '#chain/ownerCalls.ts'
import type { Address, Hex } from '#chain/types.ts'
import type { EthereumNode, OnProgress } from './node.ts'

/** The ABI encoding of 32-byte words that the recovery page needs. */

export const topic = (event: string): Hex => keccak(utf8ToBytes(event))
const addressTopic = (address: Address): Hex => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`

/** The 32-byte word at `index` of the data. */
const wordAt = (data: Hex, index: number): bigint => BigInt(`0x${data.slice(2 + index * 64, 66 + index * 64) || '0'}`)
/** The address in the word at `index` of the data. */
const addressAt = (data: Hex, index: number): Address => `0x${data.slice(26 + index * 64, 66 + index * 64)}`

const walletCreated = topic('WalletCreated(address,address)')
const payoutAnnounced = topic('PayoutAnnounced(bytes32,address,address,address,uint64,uint48)')

/** A wallet's state, as read from its contract. */
export type WalletState = {
  address: Address
  owner: Address
  usdcToken: Address
  escrow: Address
  /** Micro-USDC. */
  usdc: bigint
  /** Wei that the wallet itself holds. */
  ether: bigint
  sessionKey: Address
  /** Unix seconds. */
  validUntil: number
  /** Micro-USDC that the session key may still send. */
  remaining: bigint
  rotationDisabled: boolean
  sessionRevoked: boolean
  /** Unix seconds of the newest block. */
  now: number
}

/** Throws Error with a message for people if there is no Bursar wallet at the address. */
export async function readWallet(node: EthereumNode, address: Address): Promise<WalletState> {
  if ((await node.request<Hex>('eth_getCode', address, 'latest')) === '0x')
    throw new Error(`There is no contract at ${address} on this network. Check the address and the RPC URL.`)
  const [owner, token, escrow, state, ether] = await Promise.all([
    node.call(address, calldata('owner()')),
    node.call(address, calldata('USDC()')),
    node.call(address, calldata('ESCROW()')),
    node.call(address, calldata('state()')),
    node.quantity('eth_getBalance', address, 'latest'),
  ]).catch(() => {
    throw new Error(`${address} is not a Bursar wallet, or the node can't read it.`)
  })
  return {
    address,
    owner: addressAt(owner, 0),
    usdcToken: addressAt(token, 0),
    escrow: addressAt(escrow, 0),
    now: Number(wordAt(state, 1)),
    sessionKey: addressAt(state, 2),
    validUntil: Number(wordAt(state, 3)),
    rotationDisabled: wordAt(state, 5) === 1n,
    sessionRevoked: wordAt(state, 6) === 1n,
    remaining: wordAt(state, 7),
    usdc: wordAt(state, 10),
    ether,
  }
}

/** Finds all wallets that a Bursar factory created for this owner. */
export async function findWallets(
  node: EthereumNode,
  owner: Address,
  fromBlock: number,
  onProgress: OnProgress,
): Promise<Address[]> {
  const logs = await node.logs({ topics: [walletCreated, null, addressTopic(owner)] }, fromBlock, onProgress)
  return [...new Set(logs.map((log): Address => `0x${log.topics[1]!.slice(26)}`))]
}

export type OpenPayout = {
  id: Hex
  terms: Terms
  /** Micro-USDC at the payout's address now. */
  held: bigint
}

/** Finds the wallet's payouts that still hold money. They are announced on chain, so no server is needed. */
export async function findPayouts(
  node: EthereumNode,
  wallet: WalletState,
  fromBlock: number,
  onProgress: OnProgress,
): Promise<OpenPayout[]> {
  const filter = { address: wallet.escrow, topics: [payoutAnnounced, null, addressTopic(wallet.address)] }
  const logs = await node.logs(filter, fromBlock, onProgress)
  const open: OpenPayout[] = []
  const seen = new Set<Hex>()
  for (const { topics, data } of logs) {
    const id = topics[1]!
    if (seen.has(id)) continue // anyone can announce a payout again
    seen.add(id)
    const terms: Terms = {
      payer: wallet.address,
      claimKey: addressAt(data, 0),
      reclaimKey: addressAt(data, 1),
      amount: wordAt(data, 2),
      expiry: Number(wordAt(data, 3)),
    }
    const held = await balanceOf(node, wallet.usdcToken, await payoutAddress(node, wallet.escrow, terms))
    if (held > 0n) open.push({ id, terms, held })
  }
  return open
}

async function payoutAddress(node: EthereumNode, escrow: Address, terms: Terms): Promise<Address> {
  const { payer, claimKey, reclaimKey, amount, expiry } = terms
  const signature = 'payoutAddress((address,address,address,uint64,uint48))'
  return addressAt(await node.call(escrow, calldata(signature, payer, claimKey, reclaimKey, amount, expiry)), 0)
}

const balanceOf = async (node: EthereumNode, token: Address, holder: Address): Promise<bigint> =>
  wordAt(await node.call(token, calldata('balanceOf(address)', holder)), 0)

/** A transaction to the wallet; `done` is the message once it is mined. */
export type WalletCall = { data: Hex; done: string }
/** Sends the calls one after the other. `what` describes them in the status line. */
export type OnSend = (what: string, calls: WalletCall[]) => void
