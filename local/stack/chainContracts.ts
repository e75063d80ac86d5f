/** The contract sets of a local state, in contracts.json of its folder: a set that was deployed once stays in use. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { contractSetting, parseContractSets, withContracts } from '../../worker/chain/contractSets.ts'
import type { Address, ChainId, ContractSets, Contracts } from '../../worker/chain/types.ts'

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
