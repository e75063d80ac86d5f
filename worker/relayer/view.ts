import type { Address, Block, Chain, Hex } from '../chain/types.ts'
import { RpcError } from '../chain/types.ts'
import type { Plan } from '../domain/batch.ts'
import type { Fees } from '../domain/fees.ts'
import type { LoadedItem } from './items.ts'
import { cargoOf, failedPositions } from './packing.ts'

export type Receipt = NonNullable<Awaited<ReturnType<Chain['receipt']>>>

/** The chain as one look showed it. */
export type View = {
  head: Block
  fees: Fees
  /** Numbers below it are mined. */
  nonce: number
  /** Counts the pool too; asked only when our own next number is unknown. */
  pendingNonce: number
  receipts: Map<Hex, Receipt>
}

/** Everything a step needs to know, in one round trip. */
export async function look(chain: Chain, address: Address, hashes: readonly Hex[], isNew: boolean): Promise<View> {
  const [head, fees, nonce, pendingNonce, receipts] = await Promise.all([
    chain.head(),
    chain.fees(),
    chain.accountNonce(address, 'latest'),
    isNew ? chain.accountNonce(address, 'pending') : 0,
    receiptsOf(chain, hashes),
  ])
  return { head, fees, nonce, pendingNonce: Math.max(nonce, pendingNonce), receipts }
}

export async function receiptsOf(chain: Chain, hashes: readonly Hex[]): Promise<Map<Hex, Receipt>> {
  const receipts = await Promise.all(hashes.map((hash) => chain.receipt(hash)))
  return new Map(hashes.flatMap((hash, i) => (receipts[i] ? [[hash, receipts[i]] as const] : [])))
}

/** `whole`: the batch itself reverts, which says nothing about its items. */
export type Verdict = { failing: Map<string, string>; whole: string | null }

/** Tries the very transaction that would be sent, against the newest block. */
export async function simulate(
  chain: Chain,
  from: Address,
  kind: Plan['kind'],
  items: readonly LoadedItem[],
): Promise<Verdict> {
  if (kind === 'direct') return { failing: await simulateEach(chain, from, items), whole: null }
  const { to, data, gas } = cargoOf(kind, items, chain.contracts.relay)
  try {
    const answer = await chain.call({ to, data, from, gas })
    const failed = failedPositions(answer, items.length).map((position) => items[position]!)
    const reasons = await simulateEach(chain, from, failed)
    return { failing: new Map(failed.map(({ id }) => [id, reasons.get(id) ?? 'fails in company'])), whole: null }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    console.error(`relayer ${chain.chainId}: a batch of ${items.length} ${kind} reverts as a whole: ${error.message}`)
    return { failing: new Map(), whole: error.message }
  }
}

async function simulateEach(chain: Chain, from: Address, items: readonly LoadedItem[]): Promise<Map<string, string>> {
  const reasons = await Promise.all(items.map((item) => simulateAlone(chain, from, item)))
  return new Map(items.flatMap(({ id }, i) => (reasons[i] ? [[id, reasons[i]] as const] : [])))
}

/** Null when it would succeed. */
async function simulateAlone(chain: Chain, from: Address, item: LoadedItem): Promise<string | null> {
  const { to, data, gas } = cargoOf('direct', [item], chain.contracts.relay)
  try {
    const [code] = await Promise.all([chain.code(to), chain.call({ to, data, from, gas })])
    // A call to an address without code succeeds and does nothing.
    return code === '0x' ? 'no code at the target' : null
  } catch (error) {
    if (error instanceof RpcError) return error.message
    throw error
  }
}
