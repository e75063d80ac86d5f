import { parseJsonObject } from '#domain/json.ts'
import { sameAddress } from '#domain/sameAddress.ts'
import type { Address, Chain, ContractSets, Contracts } from './types.ts'

/** The fields of `Contracts`. */
export const contractNames = [
  'usdc',
  'escrow',
  'vaultImplementation',
  'provider',
  'factory',
  'walletImplementation',
  'relay',
] as const satisfies (keyof Contracts)[]

/** Thrown if a row names a set that the setting lacks. Nothing may be signed for such a row. */
export class UnknownContractSet extends Error {
  override name = 'UnknownContractSet'
  constructor(chainId: number, set: number) {
    super(`contract set ${set} is not in CONTRACTS_${chainId}`)
  }
}

/** Parses CONTRACTS_<chain id>. Returns a string that describes the problem, without the value, if it is invalid. */
export function parseContractSets(text: string): ContractSets | string {
  const given = parseJsonObject(text)
  if (!given) return 'is not a JSON object'
  if (Object.keys(given).length === 0) return { newest: 1, sets: {} }
  const versions = 'sets' in given ? given : { newest: 1, sets: { 1: given } }
  const { newest, sets } = versions as { newest: unknown; sets: unknown }
  if (typeof sets !== 'object' || sets === null || Array.isArray(sets)) return 'has no object of sets'
  const entries = Object.entries(sets as Record<string, Record<string, unknown> | null>)
  if (typeof newest !== 'number' || !Object.hasOwn(sets, newest)) return 'must name the newest of its sets'
  for (const [version, contracts] of entries) {
    if (!/^[1-9]\d{0,3}$/.test(version)) return 'must number its sets from 1'
    const missing = contractNames.filter((name) => !/^0x[0-9a-fA-F]{40}$/.test(String(contracts?.[name])))
    const where = entries.length > 1 ? ` in set ${version}` : ''
    if (missing.length > 0) return `has no address for ${missing.join(', ')}${where}`
  }
  const parsed = sets as Record<number, Contracts>
  if (Object.values(parsed).some(({ usdc }) => !sameAddress(usdc, parsed[newest]!.usdc)))
    return 'must have the same usdc in all sets' // a wallet's books cover a single token
  return { newest, sets: parsed }
}

/** Returns the setting. A single set keeps the former format, which earlier versions of the Worker understand. */
export const contractSetting = (contractSets: ContractSets): string => {
  const { 1: first, ...others } = contractSets.sets
  return JSON.stringify(first && Object.keys(others).length === 0 ? first : contractSets)
}

/** Makes these contracts the newest set: the existing set if they match one, otherwise an added one. */
export function withContracts({ sets }: ContractSets, contracts: Contracts): ContractSets {
  const isSame = (known: Contracts) => contractNames.every((name) => sameAddress(known[name], contracts[name]))
  const known = Object.entries(sets).find(([, set]) => isSame(set))
  if (known) return { newest: Number(known[0]), sets }
  const newest = Math.max(0, ...Object.keys(sets).map(Number)) + 1
  return { newest, sets: { ...sets, [newest]: contracts } }
}

type OfChain = Pick<Chain, 'chainId' | 'contractSets'>

export const hasContracts = ({ contractSets }: Pick<Chain, 'contractSets'>, set: number): boolean =>
  contractSets.sets[set] !== undefined

/** Throws UnknownContractSet. */
export function contractsOf({ chainId, contractSets }: OfChain, set: number): Contracts {
  const contracts = contractSets.sets[set]
  if (!contracts) throw new UnknownContractSet(chainId, set)
  return contracts
}

/** The contracts for new wallets. Throws UnknownContractSet if the network is not in use. */
export const newestContracts = (chain: OfChain): Contracts => contractsOf(chain, chain.contractSets.newest)

/** The addresses of all contracts in all sets, except USDC. */
export const allContracts = ({ contractSets }: Pick<Chain, 'contractSets'>): Address[] =>
  Object.values(contractSets.sets).flatMap(({ usdc: _, ...ours }) => Object.values(ours))
