import { type ChainId, chainNameOf } from '#domain/networks.ts'
import { type Names, placeOf } from './api.ts'

/** Wallets, and agents that were renamed: the values of the Treasury's delivery/recoverableRows.ts. */
export function readNames({ sql }: Pick<DurableObjectStorage, 'sql'>): Names {
  type Row = { id: string; name: string | null; chain: ChainId | null; address: string | null; deleted: number | null }
  const rows = sql
    .exec<Row>(
      `SELECT substr(name, instr(name, ':') + 1) AS id, value->>'$.name' AS name, value->>'$.chain_id' AS chain,
         value->>'$.address' AS address, value->>'$.deleted' AS deleted
       FROM recoverable_value WHERE (name > 'agent:' AND name < 'agent;') OR (name > 'wallet:' AND name < 'wallet;')`,
    )
    .toArray()
  const names: Names = {}
  for (const { id, name, chain, address, deleted } of rows) {
    names[id] = name
    if (chain !== null && address !== null && !deleted) names[placeOf(chainNameOf(chain), address)] = name
  }
  return names
}
