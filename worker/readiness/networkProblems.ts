import { type ChainId, networks } from '#domain/networks.ts'
import { contractSetsOf, rpcUrls, sanctionsOracle } from '../chain/networkSettings.ts'
import { decodeIsSanctioned, isSanctionedCall } from '../chain/rpcChain.ts'
import { RpcClient } from '../chain/rpcClient.ts'
import { block, hex, integer } from '../chain/rpcResults.ts'
import type { Settings } from '../settings.ts'

/** Number of blocks that one node may be behind the other: half a minute on Base. */
const maxBlocksApart = 15
/** A node whose newest block is older has stopped. Checked only where blocks follow our clock. */
const maxBlockAgeMs = 120_000 // 2 minutes

/** Problems with a network's nodes and contracts. `now` in ms. */
export async function networkProblems(env: Settings, chainId: ChainId, now: number): Promise<string[]> {
  const { label } = networks[chainId]
  const urls = rpcUrls(env, chainId)
  const nodes = await Promise.all(urls.map((url, i) => nodeState(env, chainId, url, `${label}, node ${i + 1}`, now)))
  const problems = nodes.flatMap((node) => node.problems)
  const [first, second] = nodes.map(({ head }) => head)
  if (first != null && second != null && Math.abs(first - second) > maxBlocksApart)
    problems.push(`${label}: the nodes are ${Math.abs(first - second)} blocks apart`)
  return problems
}

async function nodeState(env: Settings, chainId: ChainId, url: string, name: string, now: number) {
  const node = new RpcClient(url)
  const contracts = namedContracts(env, chainId)
  try {
    const [oracle, id, newest, codes] = await Promise.all([
      oracleProblems(env, chainId, node, name),
      node.request('eth_chainId', []),
      node.request('eth_getBlockByNumber', ['latest', false]),
      Promise.all(contracts.map(([, address]) => node.request('eth_getCode', [address, 'latest']))),
    ])
    const { number, timestamp } = block(newest)
    const isLate = Boolean(env.MAX_CLOCK_SKEW_SECONDS) && now - timestamp * 1000 > maxBlockAgeMs
    const empty = contracts.filter((_, i) => hex(codes[i], 'code') === '0x').map(([contract]) => contract)
    const problems = [
      ...(integer(id, 'chain id') === chainId
        ? []
        : [`${name}: its chain is ${integer(id, 'chain id')}, not ${chainId}`]),
      ...(isLate ? [`${name}: its newest block is ${Math.round((now - timestamp * 1000) / 1000)} s old`] : []),
      ...empty.map((contract) => `${name}: there is no code at the address of ${contract}`),
      ...oracle,
    ]
    return { head: number, problems }
  } catch (error) {
    // The URL may hold a key, and errors of fetch may hold the URL.
    return { head: null, problems: [`${name}: ${(error as Error).name}`] }
  }
}

/** Asks the sanctions oracle about an address: code at its address would not prove that it is one. */
async function oracleProblems(env: Settings, chainId: ChainId, node: RpcClient, name: string): Promise<string[]> {
  const oracle = sanctionsOracle(env, chainId)
  if (oracle === null) return []
  try {
    const reply = await node.request('eth_call', [{ to: oracle, data: isSanctionedCall(oracle) }, 'latest'])
    decodeIsSanctioned(hex(reply, 'call'))
    return []
  } catch {
    return [`${name}: the contract of SANCTIONS_ORACLE_${chainId} does not respond, so nobody can be paid`]
  }
}

/** The contracts of every set, because existing wallets and payouts keep using older sets. */
function namedContracts(env: Settings, chainId: ChainId): [string, string][] {
  const sets = Object.entries(contractSetsOf(env, chainId).sets)
  const where = (set: string) => (sets.length > 1 ? ` of set ${set}` : '')
  return sets.flatMap(([set, contracts]) =>
    Object.entries(contracts).map(([name, address]): [string, string] => [`${name}${where(set)}`, address]),
  )
}
