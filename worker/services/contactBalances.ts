import type { AccountId } from '#domain/accounts.ts'
import { formatUsdc } from '#domain/money.ts'
import type { ContactBalances } from '#schemas/contact.ts'
import type { Deps } from '../appEnv.ts'
import { primaryChain } from '../chain/networkSettings.ts'
import { chainsFrom } from '../chain/rpcChain.ts'
import type { Address } from '../chain/types.ts'
import { findContacts } from '../db/contacts.ts'
import { contactNotFound } from './contacts.ts'

/** As long as the dashboard keeps them. */
const keptMs = 30_000 // 30 seconds
const maxKept = 10_000

/** Balances by node and address (lower case), in this isolate's memory, oldest first. `until` in ms. */
const kept = new Map<string, { balance: bigint; until: number }>()

/**
 * USDC on the primary network of each contact's address. Null if the chain is not responding or the contact has no address.
 * Makes at most one call at the node.
 */
export async function contactBalances(
  deps: Deps,
  accountId: AccountId,
  contactIds: string[],
): Promise<ContactBalances> {
  const rows = await findContacts(deps.db, accountId, contactIds)
  if (rows.length !== new Set(contactIds).size) throw contactNotFound()
  const balances = await balancesOf(
    deps,
    rows.flatMap(({ address }) => (address === null ? [] : [address.toLowerCase() as Address])),
  )
  return Object.fromEntries(
    rows.map(({ id, address }) => {
      const balance = address === null ? undefined : balances.get(address.toLowerCase())
      return [id, balance === undefined ? null : { balance: formatUsdc(balance), symbol: 'USDC' as const }]
    }),
  )
}

/** By address, without those that can't be read. */
async function balancesOf({ env, now }: Deps, addresses: Address[]): Promise<Map<string, bigint>> {
  const chainId = primaryChain(env)
  const keyOf = (address: Address) => `${chainId} ${address}`
  const known = new Map<string, bigint>()
  const missing: Address[] = []
  for (const address of new Set(addresses)) {
    const entry = kept.get(keyOf(address))
    if (entry && now() < entry.until) known.set(address, entry.balance)
    else missing.push(address)
  }
  if (missing.length === 0) return known
  const read = await chainsFrom(env)
    [chainId].usdcBalances(missing)
    .catch(() => null)
  for (const [i, balance] of read?.entries() ?? []) {
    const address = missing[i]!
    known.set(address, balance)
    kept.delete(keyOf(address))
    kept.set(keyOf(address), { balance, until: now() + keptMs })
  }
  for (const oldest of kept.keys()) {
    if (kept.size <= maxKept) break
    kept.delete(oldest)
  }
  return known
}
