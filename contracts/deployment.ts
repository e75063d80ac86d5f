/**
 * Deploys our contracts at addresses that depend only on their code and arguments: the same sources with the same roles
 * always get the same addresses, through the CREATE2 deployer that exists on Base and in anvil.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Abi,
  type Address,
  concat,
  createPublicClient,
  createWalletClient,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  http,
  size,
  zeroHash,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Contracts } from '../worker/chain/types.ts'
import { waitForReceipt } from './receipt.ts'

export const create2Deployer: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

/** Circle's token, where it exists. Without `usdc` in the roles, as on a local chain, a plan deploys the stand-in. */
export const circleUsdc = {
  8453: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  84532: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
} as const satisfies Record<number, Address>

export type Roles = {
  /** Names operators and can pause rotations: a cold key in production. */
  providerAdmin: Address
  /** First operator: signs rotations. */
  operator: Address
  /** Mints, pauses and blacklists the stand-in; ignored with `usdc`. */
  usdcAdmin: Address
  /** An existing USDC to build on. */
  usdc?: Address
  /** A different salt gives the same code different addresses, for tests of several contract sets. */
  salt?: Hex
}

export type Step = { name: string; address: Address; initCode: Hex; salt: Hex }

function artifact(name: string): { abi: Abi; bytecode: Hex } {
  const file = join(import.meta.dirname, `out/${name}.sol/${name}.json`)
  const { abi, bytecode } = JSON.parse(readFileSync(file, 'utf8')) as { abi: Abi; bytecode: { object: Hex } }
  return { abi, bytecode: bytecode.object }
}

function step(name: string, args: unknown[], salt: Hex): Step {
  const initCode = encodeDeployData({ ...artifact(name), args })
  const address = getContractAddress({ opcode: 'CREATE2', from: create2Deployer, bytecode: initCode, salt })
  return { name, address, initCode, salt }
}

/** Returns what to deploy, in order, and all resulting addresses. Needs forge's artifacts, but no chain. */
export function deploymentPlan(roles: Roles): { steps: Step[]; contracts: Contracts } {
  const steps: Step[] = []
  const add = (name: string, args: unknown[] = []): Address => {
    const next = step(name, args, roles.salt ?? zeroHash)
    steps.push(next)
    return next.address
  }

  const usdc = roles.usdc ?? addStandIn(add, roles.usdcAdmin)
  const escrow = add('PayoutEscrow', [usdc])
  const provider = add('Provider', [roles.providerAdmin, roles.operator])
  const factory = add('AgentWalletFactory', [usdc, escrow, provider])
  const relay = add('Relay')
  // A contract's own first creation has nonce 1.
  const vaultImplementation = getContractAddress({ from: escrow, nonce: 1n })
  const walletImplementation = getContractAddress({ from: factory, nonce: 1n })
  return { steps, contracts: { usdc, escrow, vaultImplementation, provider, factory, walletImplementation, relay } }
}

function addStandIn(add: (name: string, args?: unknown[]) => Address, admin: Address): Address {
  const implementation = add('UsdcStandIn')
  const { abi } = artifact('UsdcStandIn')
  const data = encodeFunctionData({ abi, functionName: 'initialize', args: [admin] })
  // The proxy's admin cannot use the token, so it is an address that has no other use.
  return add('UsdcStandInProxy', [implementation, create2Deployer, data])
}

/** Deploys whatever is missing, without waiting in between. Resolves once everything is deployed; throws if it failed. */
export async function deployContracts(rpcUrl: string, options: Roles & { deployerKey: Hex }): Promise<Contracts> {
  const { steps, contracts } = deploymentPlan(options)
  const chain = createPublicClient({ transport: http(rpcUrl) })
  const missing = async () => {
    const codes = await Promise.all(steps.map(({ address }) => chain.getCode({ address })))
    return steps.filter((_, i) => !codes[i])
  }

  const pending = await missing()
  if (pending.length === 0) return contracts

  const account = privateKeyToAccount(options.deployerKey)
  const wallet = createWalletClient({ account, transport: http(rpcUrl) })
  let nonce = await chain.getTransactionCount({ address: account.address, blockTag: 'pending' })
  const hashes: Hex[] = []
  for (const { initCode, salt } of pending) {
    const data = concat([salt, initCode])
    // Not estimated: a later step may need an earlier one that is still in the pool. 200 gas a byte of code, calldata twice.
    const gas = 500_000n + 280n * BigInt(size(data))
    hashes.push(await wallet.sendTransaction({ chain: null, to: create2Deployer, data, gas, nonce: nonce++ }))
  }
  for (const hash of hashes) await waitForReceipt(chain, hash)

  const failed = await missing()
  if (failed.length > 0) throw new Error(`not deployed: ${failed.map(({ name }) => name).join(', ')}`)
  return contracts
}
