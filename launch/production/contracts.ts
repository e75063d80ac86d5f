/** The contracts: each set is deployed once, by us or by a hardware wallet, and then verified. */

import { existsSync, readFileSync } from 'node:fs'
import { concat, createPublicClient, erc20Abi, formatEther, http, type PublicClient, size } from 'viem'
import {
  circleUsdc,
  create2Deployer,
  deployContracts,
  deploymentPlan,
  type Roles,
  type Step,
} from '../../contracts/deployment.ts'
import { parseContractSets, withContracts } from '../../worker/chain/contractSets.ts'
import { oracleAbi } from '../../worker/chain/rpcChain.ts'
import { addressOf } from '../../worker/chain/sign.ts'
import type { Address, ContractSets, Contracts } from '../../worker/chain/types.ts'
import { type ChainId, networks } from '../../worker/domain/networks.ts'
import type { PublicConfig } from '../../worker/schemas/account.ts'
import type { ProductionConfig } from '../config.ts'
import type { State } from '../state.ts'
import { LaunchError, type Outcome } from '../steps.ts'
import { openKeystore } from './keystore.ts'
import type { Secrets } from './secrets.ts'

export const transactionsName = 'transactions.json'

/** The first of the network's RPC_URLS. */
export const nodeOf = (secrets: Secrets, chainId: ChainId): string =>
  secrets[`RPC_URLS_${chainId}`]!.split(',')[0]!.trim()

/**
 * Deploys what is missing of the set that the config names, or writes the transactions for a hardware wallet and throws
 * LaunchError until they are mined. The addresses depend only on the contracts' code and the roles, so code at an address is
 * the expected code. A set that this deployment already has is only verified.
 */
export async function prepareContracts(
  config: ProductionConfig,
  chainId: ChainId,
  state: State,
  secrets: Secrets,
  keystorePassword: string | undefined,
): Promise<Outcome & { contractSets: ContractSets }> {
  const { providerAdmin, deployer } = config.chain
  const operator = addressOf(`0x${secrets.OPERATOR_KEY_V1}`)
  const roles = { providerAdmin: providerAdmin as Address, operator, usdcAdmin: operator, usdc: circleUsdc[chainId] }
  const chain = createPublicClient({ transport: http(nodeOf(secrets, chainId)) })
  await checkNode(chain, chainId)
  const known = await knownSets(state, chainId, config.origin)
  const newest = chosenSet(known, config.chain.contractSet)
  const plan = deploymentPlan(roles)
  const isNew = known.sets[newest] === undefined
  if (isNew) refuseSame(known, plan.contracts, newest)
  const missing = isNew ? await stepsWithoutCode(chain, plan.steps) : []
  if (missing.length > 0) await deploy(missing)
  const sets = { ...known.sets, ...(isNew && { [newest]: plan.contracts }) }
  for (const contracts of Object.values(sets)) await verify(chain, contracts)
  if (config.chain.sanctionsOracle) await verifyOracle(chain, config.chain.sanctionsOracle as Address)
  return { changed: missing.length > 0, note: noteOf(sets, newest), contractSets: { newest, sets } }

  async function deploy(missing: Step[]): Promise<void> {
    if (deployer === 'hardware') {
      state.write(
        transactionsName,
        `${JSON.stringify(
          missing.map((step) => transactionOf(step, chainId)),
          null,
          2,
        )}\n`,
      )
      const names = missing.map(({ name }) => name).join(', ')
      throw new LaunchError(
        `send the transactions in ${state.path(transactionsName)} (${names}) from any account with ETH on ${networks[chainId].label}`,
      )
    }
    if (!keystorePassword) throw new LaunchError(`set KEYSTORE_PASSWORD, which opens ${deployer.keystore}`)
    await deployWith(openKeystore(deployer.keystore, keystorePassword), missing)
  }

  async function deployWith(deployerKey: `0x${string}`, missing: Step[]): Promise<void> {
    const account = addressOf(deployerKey)
    const [price, balance] = await Promise.all([chain.getGasPrice(), chain.getBalance({ address: account })])
    const needed = 2n * price * missing.reduce((sum, step) => sum + gasOf(step), 0n)
    if (balance < needed)
      throw new LaunchError(
        `${account} has ${formatEther(balance)} ETH, and deploying may take ${formatEther(needed)} ETH`,
      )
    await deployContracts(nodeOf(secrets, chainId), { ...(roles satisfies Roles), deployerKey })
  }
}

/** Throws LaunchError if the new set equals a known one: it would only cost gas. */
function refuseSame(known: ContractSets, contracts: Contracts, set: number): void {
  const { newest: same } = withContracts(known, contracts)
  if (same !== set) throw new LaunchError(`chain.contractSet is ${set}, but these contracts are those of set ${same}`)
}

function noteOf(sets: ContractSets['sets'], newest: number): string {
  const count = Object.keys(sets).length
  const others = count > 1 ? `; ${count} sets, new wallets use set ${newest}` : ''
  return `code at all ${Object.values(sets).flatMap((contracts) => Object.values(contracts)).length} addresses${others}`
}

/** The same gas as in contracts/deployment.ts. */
const gasOf = ({ initCode }: Step) => 500_000n + 280n * BigInt(size(initCode) + 32)

const transactionOf = (step: Step, chainId: ChainId) => ({
  contract: step.name,
  address: step.address,
  chainId,
  to: create2Deployer,
  value: '0',
  gas: String(gasOf(step)),
  data: concat([step.salt, step.initCode]),
})

async function checkNode(chain: PublicClient, chainId: ChainId): Promise<void> {
  // The URL may hold a key, and viem's errors repeat it.
  const id = await chain.getChainId().catch(() => {
    throw new LaunchError(`the node of RPC_URLS_${chainId} does not respond`)
  })
  if (id !== chainId) throw new LaunchError(`the node of RPC_URLS_${chainId} is on chain ${id}, not ${chainId}`)
  if (!(await chain.getCode({ address: create2Deployer })))
    throw new LaunchError(`there is no CREATE2 deployer at ${create2Deployer} on this chain`)
}

async function stepsWithoutCode(chain: PublicClient, steps: Step[]): Promise<Step[]> {
  const codes = await Promise.all(steps.map(({ address }) => chain.getCode({ address })))
  return steps.filter((_, i) => !codes[i])
}

async function verifyOracle(chain: PublicClient, oracle: Address): Promise<void> {
  await chain
    .readContract({ address: oracle, abi: oracleAbi, functionName: 'isSanctioned', args: [oracle] })
    .catch(() => {
      throw new LaunchError(
        `the contract at ${oracle} does not answer isSanctioned(address): correct chain.sanctionsOracle`,
      )
    })
}

async function verify(chain: PublicClient, contracts: Contracts): Promise<void> {
  const named = Object.entries(contracts)
  const codes = await Promise.all(named.map(([, address]) => chain.getCode({ address })))
  const empty = named.filter((_, i) => !codes[i]).map(([name, address]) => `${name} ${address}`)
  if (empty.length > 0) throw new LaunchError(`there is no code at ${empty.join(', ')}`)
  const decimals = await chain.readContract({ address: contracts.usdc, abi: erc20Abi, functionName: 'decimals' })
  if (decimals !== 6) throw new LaunchError(`the token at ${contracts.usdc} has ${decimals} decimals, not 6`)
}

/**
 * The sets of this deployment, of which none is ever dropped: those of the last launch from the state folder, or else
 * those that the running Worker publishes, or else none. Roles may have changed since a set was deployed, so its addresses
 * cannot be recomputed.
 */
export async function knownSets(state: State, chainId: ChainId, origin: string): Promise<ContractSets> {
  const path = state.path('wrangler.json')
  if (existsSync(path)) {
    const { vars } = JSON.parse(readFileSync(path, 'utf8')) as { vars: Record<string, string> }
    return parsed(vars[`CONTRACTS_${chainId}`] ?? '{}', path)
  }
  const served = await servedContracts(origin, chainId)
  return served === null ? { newest: 1, sets: {} } : parsed(served, origin)
}

function parsed(setting: string, from: string): ContractSets {
  const sets = parseContractSets(setting)
  if (typeof sets === 'string') throw new LaunchError(`the contracts in ${from}: the setting ${sets}`)
  return sets
}

/** Returns the sets in the form of the setting. Null if nothing of ours is served there yet. */
async function servedContracts(origin: string, chainId: ChainId): Promise<string | null> {
  const reply = await fetch(`${origin}/api/config`, { signal: AbortSignal.timeout(10_000) }).catch(() => null)
  if (!reply?.ok) return null
  const { data } = (await reply.json().catch(() => ({}))) as { data?: PublicConfig }
  const { contracts, contractSets } = data?.chains?.[chainId] ?? {}
  const sets = contractSets ?? (contracts && Object.keys(contracts).length > 0 ? { 1: contracts } : {})
  const newest = Object.keys(sets).find((set) => sets[set]?.factory === contracts?.factory)
  return newest === undefined ? null : JSON.stringify({ newest: Number(newest), sets })
}

/** Returns the set that the config wants, or the newest if it names none. Throws LaunchError if the config skips one. */
export function chosenSet({ newest, sets }: ContractSets, wanted: number | undefined): number {
  const versions = Object.keys(sets).map(Number)
  const next = Math.max(0, ...versions) + 1
  const set = wanted ?? (versions.length > 0 ? newest : 1)
  if (set > next) throw new LaunchError(`chain.contractSet is ${set}, but the next set of this deployment is ${next}`)
  return set
}
