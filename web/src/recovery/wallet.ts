import { addressAt, addressTopic, calldata, type Hex, type Node, topic, wordAt } from './chain.ts'

export type WalletState = {
  address: Hex
  owner: Hex
  usdcToken: Hex
  escrow: Hex
  /** Micro-USDC. */
  usdc: bigint
  /** Wei the wallet itself holds. */
  ether: bigint
  sessionKey: Hex
  /** Unix seconds. */
  validUntil: number
  /** Micro-USDC the session key may still send. */
  remaining: bigint
  rotationDisabled: boolean
  sessionRevoked: boolean
  /** Unix seconds of the newest block. */
  now: number
}

/** All of it from the wallet's own contract. */
export async function readWallet(node: Node, address: Hex): Promise<WalletState> {
  if ((await node.ask<Hex>('eth_getCode', address, 'latest')) === '0x')
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

const walletCreated = topic('WalletCreated(address,address)')
const payoutAnnounced = topic('PayoutAnnounced(bytes32,address,address,address,uint64,uint48)')
const termsType = '(address,address,address,uint64,uint48)'

/** Every wallet that a factory of ours made for this owner. */
export async function findWallets(
  node: Node,
  owner: Hex,
  fromBlock: number,
  onProgress: (block: number) => boolean,
): Promise<Hex[]> {
  const logs = await node.logs({ topics: [walletCreated, null, addressTopic(owner)] }, fromBlock, onProgress)
  return [...new Set(logs.map((log): Hex => `0x${log.topics[1]!.slice(26)}`))]
}

type Terms = [payer: Hex, claimKey: Hex, reclaimKey: Hex, amount: bigint, expiry: bigint]
export type OpenPayout = {
  address: Hex
  terms: Terms /** micro-USDC there now */
  held: bigint /** unix seconds */
  expiry: number
}

/** Payouts of this wallet that still hold money: announced on chain, so nobody has to be asked. */
export async function findPayouts(
  node: Node,
  wallet: WalletState,
  fromBlock: number,
  onProgress: (block: number) => boolean,
): Promise<OpenPayout[]> {
  const filter = { address: wallet.escrow, topics: [payoutAnnounced, null, addressTopic(wallet.address)] }
  const logs = await node.logs(filter, fromBlock, onProgress)
  const open: OpenPayout[] = []
  const seen = new Set<Hex>()
  for (const { topics, data } of logs) {
    const id = topics[1]!
    if (seen.has(id)) continue // announced again by anybody
    seen.add(id)
    const terms: Terms = [wallet.address, addressAt(data, 0), addressAt(data, 1), wordAt(data, 2), wordAt(data, 3)]
    const address = addressAt(await node.call(wallet.escrow, calldata(`payoutAddress(${termsType})`, ...terms)), 0)
    const held = wordAt(await node.call(wallet.usdcToken, calldata('balanceOf(address)', address)), 0)
    if (held > 0n) open.push({ address, terms, held, expiry: Number(terms[4]) })
  }
  return open
}

export const reclaimPayout = ({ terms }: OpenPayout): Hex => calldata(`reclaimPayout(${termsType})`, ...terms)
export const revokeSession = (): Hex => calldata('revokeSession()')
export const disableRotation = (): Hex => calldata('disableRotationAuthority()')
/** `token` zero is ETH. */
export const withdraw = (token: Hex, to: Hex, amount: bigint): Hex =>
  calldata('withdraw(address,address,uint256)', token, to, amount)
export const noToken: Hex = `0x${'0'.repeat(40)}`
