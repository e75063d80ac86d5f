import { nonceOf } from '#domain/intent.ts'
import { explainTransfers } from '#domain/restorePlan.ts'
import { authorizationIn, authorizationLogs } from '../../chain/authorization.ts'
import { addressTopic, topics } from '../../chain/calls.ts'
import { type BlockRange, readLogs } from '../../chain/readLogs.ts'
import type { Log } from '../../chain/types.ts'
import type { Context } from '../core/context.ts'
import { blocksPerScan } from '../settlement/scan.ts'
import type { PaymentRow, WalletRow } from '../storage/rows.ts'
import { announcedPayouts } from './announcements.ts'
import { type RestoreState, type Search, type Signed, writeState } from './state.ts'

/**
 * Finds transfers that this wallet's session has signed since the last scan and that belong to no payment, as many blocks
 * at a time as a scan reads. Returns null if more is left. Throws RpcUnavailable.
 */
export async function search(
  ctx: Context,
  state: RestoreState,
  wallet: WalletRow,
  finalBlock: number,
): Promise<Search | null> {
  const present = state.search ?? newSearch(ctx, wallet, finalBlock)
  state.search = present
  const { next, to } = present
  const range = { fromBlock: next, toBlock: Math.min(to, next + blocksPerScan - 1) }
  if (present.reads === 'transfers') present.strays.push(...(await strayTransfers(ctx, wallet, range)))
  else await readAnnouncements(ctx, wallet, present, range)
  present.next = range.toBlock + 1
  if (present.next > to) {
    // Announcements explain what a transfer was. Anyone can make any number, so they are not kept before they are needed.
    const isExplained = explain(ctx, wallet, present.strays).unexplained.length === 0
    if (present.reads === 'announcements' || isExplained) return present
    Object.assign(present, { reads: 'announcements', next: present.from } satisfies Partial<Search>)
  }
  writeState(ctx.store, state)
  return null
}

function newSearch({ store }: Context, wallet: WalletRow, finalBlock: number): Search {
  const first = store.first<{ block: number | null }>(
    "SELECT min(first_block) AS block FROM payment WHERE wallet_id = ? AND status = 'PROCESSING'",
    wallet.id,
  )!.block
  const from = Math.min(first ?? wallet.scanned_block + 1, wallet.scanned_block + 1)
  return { reads: 'transfers', from, to: finalBlock, next: from, strays: [], expiries: {} }
}

async function strayTransfers(ctx: Context, wallet: WalletRow, range: BlockRange): Promise<Signed[]> {
  const transfers = await signedTransfers(ctx, wallet, range)
  return transfers.filter(({ nonce }) => paymentUnder(ctx, wallet, nonce) === null)
}

async function readAnnouncements(ctx: Context, wallet: WalletRow, found: Search, range: BlockRange): Promise<void> {
  const announced = await announcedPayouts(ctx, wallet, range)
  for (const { to } of explain(ctx, wallet, found.strays).unexplained) {
    const terms = announced.get(to.toLowerCase())
    if (terms) found.expiries[to.toLowerCase()] = terms.expiry
  }
}

/** Matches these transfers with unsigned payments. */
export function explain({ store }: Context, wallet: WalletRow, strays: Signed[]) {
  const unsigned = store.all<PaymentRow>(
    "SELECT * FROM payment WHERE wallet_id = ? AND status = 'QUEUED' ORDER BY accepted_at, id",
    wallet.id,
  )
  return explainTransfers(
    strays,
    unsigned.map(({ id, to_address, amount }) => ({ id, to: to_address ?? '', amount })),
  )
}

/** Transfers made by the wallet's session or an imported key's authorization. `nonce` is decimal, or that of EIP-3009. */
async function signedTransfers(ctx: Context, wallet: WalletRow, range: BlockRange): Promise<Signed[]> {
  const chain = ctx.chains[wallet.chain_id]
  const own = wallet.kind === 'smart' ? { address: wallet.address } : authorizationLogs(chain.usdc, wallet.address)
  const left = { address: chain.usdc, topics: [topics.transfer, addressTopic(wallet.address)] }
  const [nonces = [], transfers = []] = await readLogs(chain, [own, left], range)
  return transfers.flatMap((transfer) => {
    const before = nonces.find(
      (log) => log.transactionHash === transfer.transactionHash && log.logIndex === transfer.logIndex - 1,
    )
    const nonce = before && nonceIn(wallet, before)
    if (nonce == null) return []
    const to = `0x${transfer.topics[2]!.slice(26)}`
    return [
      { nonce, to, amount: Number(BigInt(transfer.data)), tx: transfer.transactionHash, block: transfer.blockNumber },
    ]
  })
}

function nonceIn(wallet: WalletRow, log: Log): string | null {
  if (wallet.kind === 'smart')
    return log.topics.length === 1 && log.data === '0x' ? BigInt(log.topics[0]!).toString() : null
  const authorization = authorizationIn(log)
  return authorization?.event === 'used' ? authorization.nonce : null
}

function paymentUnder({ store }: Context, wallet: WalletRow, nonce: string): PaymentRow | null {
  if (wallet.kind === 'imported')
    return store.first<PaymentRow>('SELECT * FROM payment WHERE wallet_id = ? AND authorization = ?', wallet.id, nonce)
  const [epoch, sequence] = partsOf(nonce)
  return store.first<PaymentRow>(
    'SELECT * FROM payment WHERE wallet_id = ? AND epoch = ? AND sequence = ?',
    wallet.id,
    epoch,
    sequence,
  )
}

export const partsOf = (nonce: string): [epoch: number, sequence: number] => [
  Number(BigInt(nonce) / nonceOf(1, 0)),
  Number(BigInt(nonce) % nonceOf(1, 0)),
]
