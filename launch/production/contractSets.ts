/** The contract sets of a deployment: existing ones are never dropped; another is added only if the config asks for it. */
import { existsSync, readFileSync } from 'node:fs'
import { parseContractSets } from '../../worker/chain/contractSets.ts'
import type { ContractSets } from '../../worker/chain/types.ts'
import type { ChainId } from '../../worker/domain/networks.ts'
import type { PublicConfig } from '../../worker/schemas/account.ts'
import { LaunchError } from '../launchError.ts'
import type { State } from '../state.ts'

const none: ContractSets = { newest: 1, sets: {} }

/**
 * Returns the sets of the last launch from the state folder, or else those that the running Worker publishes, or else none.
 * Roles may have changed since a set was deployed, so its addresses cannot be recomputed.
 */
export async function knownSets(state: State, chainId: ChainId, origin: string): Promise<ContractSets> {
  const path = state.path('wrangler.json')
  if (existsSync(path)) {
    const { vars } = JSON.parse(readFileSync(path, 'utf8')) as { vars: Record<string, string> }
    return parsed(vars[`CONTRACTS_${chainId}`] ?? '{}', path)
  }
  const served = await servedContracts(origin, chainId)
  return served === null ? none : parsed(served, origin)
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
