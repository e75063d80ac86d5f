/** The two chains of a local stack, with ETH for the accounts that send transactions, and our contracts. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deployContracts } from '../../contracts/deployment.ts'
import { contractSetting, parseContractSets, withContracts } from '../../worker/chain/contractSets.ts'
import { addressOf } from '../../worker/chain/sign.ts'
import type { Address, ChainId, ContractSets, Contracts, Hex } from '../../worker/chain/types.ts'
import { keyring } from '../../worker/keyrings/keyring.ts'
import { relayerAccount } from '../../worker/relayer/account.ts'
import { type Anvil, startAnvil } from './anvil.ts'
import type { LocalSecrets } from './secrets.ts'

/** anvil's well-known, worthless keys. They control the stand-in token and the contracts of local chains. */
const localKeys = {
  deployer: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  providerAdmin: '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  usdcAdmin: '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
} as const satisfies Record<string, Hex>

/** Relayer accounts per chain, and the Worker's RELAYER_SHARDS. */
export const relayerShards = 1
const relayerWei = 10_000n * 10n ** 18n

/** `contracts` are those of the newest set, deployed from the current sources. */
export type LocalChain = { process: Anvil; url: string; contracts: Contracts; contractSets: ContractSets }

/**
 * Starts a chain whose state is kept in `stateDir`. Calls `started` with its process before the contracts are deployed,
 * so that it can be stopped if that fails.
 */
export async function startLocalChain(options: {
  chainId: ChainId
  stateDir: string
  secrets: LocalSecrets
  /** Seconds between blocks. */
  blockTime: number
  /** A free port if undefined. */
  port: number | undefined
  finalityBlocks?: number | undefined
  /** Time of a new chain's first block, in ms; now by default. */
  startsAt?: number | undefined
  started: (chain: Anvil) => void
}): Promise<LocalChain> {
  const { chainId, stateDir, secrets, blockTime, port, startsAt, finalityBlocks, started } = options
  const statePath = join(stateDir, `chain-${chainId}.json`)
  const anvil = await startAnvil({
    chainId,
    blockTime,
    statePath,
    startsAt,
    finalityBlocks,
    ...(port !== undefined && { port }),
  })
  started(anvil)
  const usdc = savedUsdc(stateDir, chainId)
  // anvil writes its state every few seconds, so the last deployments may be lost.
  const isNew = usdc === undefined || (await rpc(anvil.url, 'eth_getCode', [usdc, 'latest'])) === '0x'
  const contracts = await prepareChain(anvil.url, chainId, secrets, isNew ? undefined : usdc)
  const contractSets = rememberContracts(stateDir, chainId, contracts, isNew)
  return { process: anvil, url: anvil.url, contracts, contractSets }
}

/** Funds the accounts and deploys the contracts. Cheap on a chain that already has both. */
async function prepareChain(
  rpcUrl: string,
  chainId: ChainId,
  secrets: LocalSecrets,
  usdc: Address | undefined,
): Promise<Contracts> {
  const relayers = keyring({ ...secrets }, 'RELAYER_SEED').versions.flatMap(({ secret }) =>
    Array.from({ length: relayerShards }, (_, shard) => relayerAccount(secret, chainId, shard).address),
  )
  for (const address of [addressOf(localKeys.deployer), ...relayers])
    await rpc(rpcUrl, 'anvil_setBalance', [address, `0x${relayerWei.toString(16)}`])
  return deployContracts(rpcUrl, {
    providerAdmin: addressOf(localKeys.providerAdmin),
    operator: addressOf(`0x${secrets.OPERATOR_KEY_V1}`),
    usdcAdmin: addressOf(localKeys.usdcAdmin),
    deployerKey: localKeys.deployer,
    ...(usdc && { usdc }),
  })
}

export async function rpc(url: string, method: string, params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}

/** The contract sets of a local state, in contracts.json of its folder: a set that was deployed once stays in use. */

type Saved = Partial<Record<ChainId, unknown>>

const fileOf = (stateDir: string) => join(stateDir, 'contracts.json')
const saved = (stateDir: string): Saved =>
  existsSync(fileOf(stateDir)) ? (JSON.parse(readFileSync(fileOf(stateDir), 'utf8')) as Saved) : {}

function savedSets(stateDir: string, chainId: ChainId): ContractSets {
  const sets = parseContractSets(JSON.stringify(saved(stateDir)[chainId] ?? {}))
  if (typeof sets === 'string') throw new Error(`${fileOf(stateDir)}: ${chainId} ${sets}`)
  return sets
}

/** The token that the state was made with, which all its sets share; undefined before the first start. */
export function savedUsdc(stateDir: string, chainId: ChainId): Address | undefined {
  const { newest, sets } = savedSets(stateDir, chainId)
  return sets[newest]?.usdc
}

/** Makes the set of these contracts the newest, and adds it if the state lacks it. `isNew`: the chain has no other set. */
export function rememberContracts(
  stateDir: string,
  chainId: ChainId,
  contracts: Contracts,
  isNew: boolean,
): ContractSets {
  const sets = withContracts(isNew ? { newest: 1, sets: {} } : savedSets(stateDir, chainId), contracts)
  const all = { ...saved(stateDir), [chainId]: JSON.parse(contractSetting(sets)) as unknown }
  writeFileSync(fileOf(stateDir), JSON.stringify(all, null, 2))
  return sets
}
