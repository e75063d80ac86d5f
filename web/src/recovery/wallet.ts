import { walletCode } from '#chain/addresses.ts'
import { hashText, type Terms } from '#chain/digests.ts'
import { calldata } from '#chain/ownerCalls.ts'
import { type Address, type Contracts, type Hex, RpcUnavailable } from '#chain/types.ts'
import { sameAddress } from '#domain/sameAddress.ts'
import { callOf, codeAt, type EthereumNode, quantity, type Read } from './node.ts'

/** The contracts of a factory's wallets. */
export type WalletContracts = Omit<Contracts, 'relay'>

/** A wallet's state, as read from its contract. */
export type WalletState = {
  address: Address
  owner: Address
  contracts: WalletContracts
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

export type OpenPayout = {
  id: Hex
  terms: Terms
  /** Micro-USDC at the payout's address now. */
  held: bigint
}

/** There is nothing of ours at an address, whoever is asked. */
export class WrongAddress extends Error {
  override name = 'WrongAddress'
}

/** A transaction to the wallet; `done` is the message once it is mined. */
export type WalletCall = { data: Hex; done: string }
/** Sends the calls one after the other. `what` describes them in the status line. */
export type OnSend = (what: string, calls: WalletCall[]) => void

/** The topics of logs. */
export const topics = {
  walletCreated: hashText('WalletCreated(address,address)'),
  payoutAnnounced: hashText('PayoutAnnounced(bytes32,address,address,address,uint64,uint48)'),
  transfer: hashText('Transfer(address,address,uint256)'),
}
export const addressTopic = (address: Address): Hex => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`
export const addressIn = (topic: Hex): Address => `0x${topic.slice(26)}`

/** The 32-byte word at `index` of the data. Throws RpcUnavailable if the data is shorter. */
export function wordAt(data: Hex, index: number): bigint {
  const word = data.slice(2 + index * 64, 66 + index * 64)
  if (word.length < 64) throw new RpcUnavailable('malformed result')
  return BigInt(`0x${word}`)
}
const addressAt = (data: Hex, index: number): Address => `0x${wordAt(data, index).toString(16).padStart(40, '0')}`

/** Reads from a factory what its wallets consist of. Throws WrongAddress if it is none, or as `EthereumNode.read`. */
export async function readFactory(node: EthereumNode, factory: Address): Promise<WalletContracts> {
  const ask = async (contract: Address, view: string): Promise<Address> => {
    const data = await node.read(callOf(contract, calldata(`${view}()`)))
    if (data === '0x') throw new WrongAddress(`There is no wallet factory of Bursar at ${factory} on this network.`)
    return addressAt(data, 0)
  }
  const walletImplementation = await ask(factory, 'IMPLEMENTATION')
  const provider = await ask(factory, 'PROVIDER')
  const usdc = await ask(walletImplementation, 'USDC')
  const escrow = await ask(walletImplementation, 'ESCROW')
  const vaultImplementation = await ask(escrow, 'VAULT')
  return { factory, walletImplementation, provider, usdc, escrow, vaultImplementation }
}

/**
 * Reads the wallets' states, or the errors why not: WrongAddress unless the code at an address is exactly that which one
 * of the factories gives its wallets. Any other contract could claim any owner and any balance.
 */
export async function readWallets(
  node: EthereumNode,
  factories: WalletContracts[],
  addresses: Address[],
): Promise<(WalletState | Error)[]> {
  const codes = await node.readAll(addresses.map(codeAt))
  const found = addresses.map((address, i) => ofCode(address, codes[i]!, factories))
  const wallets = found.flatMap((wallet) => (wallet instanceof Error ? [] : [wallet]))
  const sessions = await node.readAll(wallets.map(({ address }) => sessionOf(address)))
  const ethers = await node.readAll(wallets.map(({ address }) => quantity('eth_getBalance', address, 'latest')))
  return found.map((wallet) => {
    if (wallet instanceof Error) return wallet
    const i = wallets.indexOf(wallet)
    const [session, ether] = [sessions[i]!, ethers[i]!]
    if (session instanceof Error) return session
    return ether instanceof Error ? ether : { ...wallet, ...session, ether }
  })
}

/** What the code of a wallet says: its owner, and which factory's it is. */
function ofCode(
  address: Address,
  code: Hex | Error,
  factories: WalletContracts[],
): Pick<WalletState, 'address' | 'owner' | 'contracts'> | Error {
  if (code instanceof Error) return code
  if (code === '0x') return new WrongAddress(`There is no contract at ${address} on this network.`)
  const owner: Address = `0x${code.slice(92, 132)}`
  const contracts = factories.find((factory) => sameAddress(walletCode(factory, owner), code))
  return contracts
    ? { address, owner, contracts }
    : new WrongAddress(`${address} was not created by a wallet factory that this page knows.`)
}

type Session = Omit<WalletState, 'address' | 'owner' | 'contracts' | 'ether'>
const sessionOf = (wallet: Address): Read<Session> =>
  mapped(callOf(wallet, calldata('state()')), (state) => ({
    now: Number(wordAt(state, 1)),
    sessionKey: addressAt(state, 2),
    validUntil: Number(wordAt(state, 3)),
    rotationDisabled: wordAt(state, 5) === 1n,
    sessionRevoked: wordAt(state, 6) === 1n,
    remaining: wordAt(state, 7),
    usdc: wordAt(state, 10),
  }))

/** Micro-USDC. */
export const balanceOf = (token: Address, holder: Address): Read<bigint> =>
  mapped(callOf(token, calldata('balanceOf(address)', holder)), (data) => wordAt(data, 0))

const mapped = <A, B>({ parse, ...read }: Read<A>, change: (value: A) => B): Read<B> => ({
  ...read,
  parse: (result) => change(parse(result)),
})
