import type { Address, ChainId } from '../../worker/chain/types.ts'
import { placeOracle } from '../standIns/sanctionsOracle.ts'
import { rpc } from './chains.ts'

const oracleAddress: Address = `0x5a${'0'.repeat(36)}01`

/** The settings of a stack whose oracles list these addresses, separated by commas. Throws if one is no address. */
export async function screeningVariables(
  urls: Record<ChainId, string>,
  listed: string,
): Promise<Record<string, string>> {
  const addresses = listed.split(',').filter((text) => text !== 'none')
  const wrong = addresses.find((address) => !/^0x[0-9a-fA-F]{40}$/.test(address))
  if (wrong !== undefined)
    throw new Error(`BURSAR_SANCTIONED must be addresses separated by commas, or none, not "${wrong}".`)
  for (const url of Object.values(urls)) {
    const oracle = await placeOracle((method, ...params) => rpc(url, method, params), oracleAddress)
    for (const address of addresses) await oracle.list(address)
  }
  return { SANCTIONS_ORACLE_8453: oracleAddress, SANCTIONS_ORACLE_84532: oracleAddress }
}
