/** Access to the real chains of workerSetup.ts from inside workerd. */

import { encodeFunctionData, keccak256, toHex } from 'viem/utils'
import { onTestFinished } from 'vitest'
import { agentWalletAbi, agentWalletFactoryAbi, usdcAbi } from '../../worker/chain/abi.ts'
import { walletAddress } from '../../worker/chain/addresses.ts'
import { sendDigest } from '../../worker/chain/digests.ts'
import { addressOf, signCompact } from '../../worker/chain/sign.ts'
import type { Address, ChainId, ContractSets, Contracts, Hex } from '../../worker/chain/types.ts'
import type { RelayJob } from '../../worker/relayer/api.ts'
import { oneSet } from './contractSets.ts'
import type { Fault } from './rpcProxy.ts'
import { env } from './testEnv.ts'

export { env }

export type Party = { key: Hex; address: Address }

/** Derives a key from a name, as in localChain.ts. */
export function party(name: string): Party {
  const key = keccak256(toHex(name))
  return { key, address: addressOf(key) }
}

export type TestWallet = { address: Address; session: Party; owner: Party }

export class WorkerChain {
  readonly chainId: ChainId
  readonly contracts: Contracts
  readonly contractSets: ContractSets

  constructor(chainId: ChainId) {
    this.chainId = chainId
    this.contracts = JSON.parse(env[`CONTRACTS_${chainId}`]) as Contracts
    this.contractSets = oneSet(this.contracts)
  }

  /** JSON-RPC that bypasses the faults. */
  async node<Result>(method: string, ...params: unknown[]): Promise<Result> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(env[`NODE_URL_${this.chainId}`], { method: 'POST', headers, body })
    const answer = (await response.json()) as { result: Result; error?: { message: string } }
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result
  }

  /** Lasts until it is changed, at most to the end of the test. */
  async fault(fault: Fault): Promise<void> {
    if (fault.mode !== 'none') onTestFinished(() => this.fault({ mode: 'none' }))
    await fetch(`${env[`RPC_URLS_${this.chainId}`]}/fault`, { method: 'POST', body: JSON.stringify(fault) })
  }

  /** The calls that went through the proxy since the last time, by method. */
  async takeCalls(): Promise<Record<string, number>> {
    const response = await fetch(`${env[`RPC_URLS_${this.chainId}`]}/calls`, { method: 'POST' })
    return response.json()
  }

  async mine(blocks = 1): Promise<void> {
    for (let i = 0; i < blocks; i++) await this.node('evm_mine')
  }

  async timestamp(): Promise<number> {
    return Number((await this.node<{ timestamp: Hex }>('eth_getBlockByNumber', 'latest', false)).timestamp)
  }

  async nonce(address: Address): Promise<number> {
    return Number(await this.node<Hex>('eth_getTransactionCount', address, 'latest'))
  }

  async giveEther(address: Address, wei = 10n ** 18n): Promise<void> {
    await this.node('anvil_setBalance', address, toHex(wei))
  }

  /** Sends a transaction from `from` without its key, and mines it. */
  async act(from: Address, to: Address, data: Hex): Promise<void> {
    await this.giveEther(from)
    await this.node('anvil_impersonateAccount', from)
    await this.node('eth_sendTransaction', { from, to, data, gas: '0x7a1200' })
    await this.mine()
  }

  async mint(to: Address, amount: bigint): Promise<void> {
    const data = encodeFunctionData({ abi: usdcAbi, functionName: 'mint', args: [to, amount] })
    await this.act(party('usdc admin').address, this.contracts.usdc, data)
  }

  /** USDC refuses transfers to `address`, or with 'unBlacklist' no longer does. */
  async blacklist(address: Address, functionName: 'blacklist' | 'unBlacklist' = 'blacklist'): Promise<void> {
    const data = encodeFunctionData({ abi: usdcAbi, functionName, args: [address] })
    await this.act(party('usdc admin').address, this.contracts.usdc, data)
  }

  async usdcBalance(address: Address): Promise<bigint> {
    const data = encodeFunctionData({ abi: usdcAbi, functionName: 'balanceOf', args: [address] })
    return BigInt(await this.node<Hex>('eth_call', { to: this.contracts.usdc, data }, 'latest'))
  }

  /** Deploys a wallet with money and a session of 5,000 USDC. */
  async createWallet(name: string, amount = 1_000_000_000n): Promise<TestWallet> {
    const [session, owner] = [party(`${name} session`), party(`${name} owner`)]
    const salt = keccak256(toHex(name))
    const validUntil = (await this.timestamp()) + 30 * 86_400
    const [limit, purchaseAllowance] = [5_000_000_000n, 0]
    const parameters = { owner: owner.address, salt, sessionKey: session.address, limit, purchaseAllowance, validUntil }
    const address = walletAddress(this.contracts, parameters)
    const args = [owner.address, salt, session.address, limit, purchaseAllowance, validUntil] as const
    const data = encodeFunctionData({ abi: agentWalletFactoryAbi, functionName: 'createWallet', args })
    await this.act(owner.address, this.contracts.factory, data)
    if (amount > 0n) await this.mint(address, amount)
    return { address, session, owner }
  }

  /** A job with a signed send of the wallet's first session, as a Treasury would submit it. */
  async createSend(
    wallet: TestWallet,
    over: { id?: string; userId?: string; to?: Address; amount?: bigint; sequence?: number; lifeSeconds?: number } = {},
  ): Promise<RelayJob> {
    const { to = party('recipient').address, amount = 2_500_000n, sequence = 0, userId = 'user_1' } = over
    const deadline = (await this.timestamp()) + (over.lifeSeconds ?? 300)
    const nonce = (1n << 32n) | BigInt(sequence)
    const digest = sendDigest({ chainId: this.chainId, contract: wallet.address }, { to, amount, nonce, deadline })
    const { r, vs } = signCompact(digest, wallet.session.key)
    const data = encodeFunctionData({
      abi: agentWalletAbi,
      functionName: 'send',
      args: [to, amount, nonce, deadline, r, vs],
    })
    return {
      id: over.id ?? `${wallet.address}:${nonce}:1`,
      userId,
      kind: 'send',
      target: wallet.address,
      data,
      packed: { wallet: wallet.address, to, amount: String(amount), nonce: String(nonce), deadline, r, vs },
      deadline,
      guard: { scope: `${wallet.address}:${nonce}`, content: `${to}:${amount}` },
    }
  }
}
