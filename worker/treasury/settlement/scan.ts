import { authorizationLogs } from '../../chain/authorization.ts'
import { addressTopic, topics } from '../../chain/calls.ts'
import { maxRange, Pace, type RangelessFilter, readParts } from '../../chain/readLogs.ts'
import { type Block, type Chain, type ChainId, type Hex, type Log, RpcUnavailable } from '../../chain/types.ts'
import { confirmedBlock, finalizedBlock, freshHead } from '../core/chainHeads.ts'
import type { Context } from '../core/context.ts'
import { payoutContracts } from '../core/contracts.ts'
import { inMemory } from '../core/memory.ts'
import { isSellerSubmitted } from '../core/storage/kindSql.ts'
import type { PayoutRow, WalletRow } from '../core/storage/rows.ts'
import { isOpenPayout } from '../core/storage/statuses.ts'
import { recordLogsRead } from '../wallets/idleReads.ts'
import { look } from '../wallets/look.ts'
import { adopt } from '../wallets/session.ts'
import {
  clearMismatch,
  haltAfterMs,
  haltForMismatch,
  nodeLagMs,
  recordMismatch,
  recordReread,
} from '../wallets/walletHalts.ts'
import { book, dustOf, newlyConfirmed, type Reading } from './booking.ts'
import { bookedBalance } from './bookings.ts'
import { BranchUnclear, undoOtherBranch } from './branch.ts'
import { areCanonical, forgetReported, readingOf, reportedSends } from './reportedSends.ts'
import { undoBookings } from './undo.ts'

/** How many blocks of a wallet's logs are read at once, by wallet id. */
export const paces = inMemory(() => new Map<string, Pace>())

/**
 * A scan reads at most this many blocks, and stops at the end of a range after this many logs, so that its work and memory
 * are bounded: a stranger can send a wallet any number of transfers. A wallet further behind catches up over several scans.
 */
export const blocksPerScan = 2 * maxRange
const logsPerScan = 5_000
/** Nodes refuse more than 1,000 values of one topic. */
const maxTopics = 500

/**
 * Books every log of this wallet up to CONFIRM_DEPTH: those that the Relayer has reported if they are provably all, otherwise those
 * of the node, which `mustReadLogs` demands. The cursor moves in the same transaction as the bookings, and only if the books then
 * equal the wallet's balance at that block: a node that lags or hides a log changes nothing. The same call shows the session at that
 * block, which is adopted. A log that is read twice is booked once. If blocks read before have left the chain, their bookings are
 * undone first. `head`: the newest block, if it was just read. Returns true if the wallet has caught up with the chain.
 */
export async function scanWallet(ctx: Context, walletId: string, head?: Block, mustReadLogs = false): Promise<boolean> {
  const { chain_id } = ctx.store.wallet(walletId)!
  const newest = head ?? (await freshHead(ctx, chain_id, 0))
  try {
    return await scanTo(ctx, walletId, confirmedBlock(ctx, newest), newest, mustReadLogs)
  } catch (error) {
    if (!(error instanceof BooksDiffer)) throw error
    error.forMs = recordMismatch(ctx, walletId, 'read') ?? 0
    if (error.forMs >= haltAfterMs && !rereadOnce(ctx, walletId, error)) await haltIfFinal(ctx, walletId, error.forMs)
    throw error
  }
}

/**
 * The branch may have changed between two requests of one reading, so that a log is missing or extra. Once each time the
 * books differ, everything that is not final is undone and read again. Returns false if that was done before.
 */
function rereadOnce(ctx: Context, walletId: string, { message }: BooksDiffer): boolean {
  return ctx.store.transaction(() => {
    const { anchor_block, anchor_hash } = ctx.store.wallet(walletId)!
    if (!recordReread(ctx, walletId)) return false
    undoBookings(ctx, walletId, { block: anchor_block, hash: anchor_hash, why: message })
    return true
  })
}

/** Called when the books have differed for a while. Compares them at a finalized block, which can't be reorganized. */
async function haltIfFinal(ctx: Context, walletId: string, forMs: number): Promise<void> {
  const wallet = ctx.store.wallet(walletId)!
  const final = await finalizedBlock(ctx, wallet.chain_id)
  // The wallet was read beyond that block, and its books were right there.
  if (final.number < wallet.scanned_block) return
  try {
    await scanTo(ctx, walletId, final.number, final)
  } catch (error) {
    if (error instanceof BooksDiffer) haltForMismatch(ctx, walletId, error.message, forMs)
    throw error
  }
}

/** `head`: a block at or after `level` that was just read. Throws BooksDiffer, BranchUnclear, RpcUnavailable. */
async function scanTo(
  ctx: Context,
  walletId: string,
  level: number,
  head: Block,
  mustReadLogs = false,
): Promise<boolean> {
  const { store } = ctx
  const before = store.wallet(walletId)!
  const chain = ctx.chains[before.chain_id]
  const wanted = Math.min(level, before.scanned_block + blocksPerScan)
  if (wanted < before.scanned_block || (wanted === before.scanned_block && before.anchor_block === wanted)) return true

  const reported = wanted === level && !mustReadLogs ? reportedSends(ctx, before, wanted) : null
  // What is final is not compared again.
  const isAnchorOpen = before.anchor_block !== null && before.anchor_block > before.final_block
  // A payout added from here on cannot have logs up to `wanted`, because its address was unknown.
  const [read, looked, anchor, lastWanted] = await Promise.all([
    reported ? null : readWallet(ctx, before, wanted),
    wanted === level ? look(ctx, before, wanted) : null,
    isAnchorOpen ? chain.block(before.anchor_block!) : null,
    hashAt(chain, wanted, head),
  ])
  const ours = anchor && { block: before.anchor_block!, hash: before.anchor_hash! }
  if (ours && (await undoOtherBranch(ctx, before, ours, anchor)))
    return scanTo(ctx, walletId, level, head, mustReadLogs)
  const isProven =
    reported !== null &&
    looked?.digest === reported.digest &&
    (await areCanonical(ctx, before, reported.logs, lastWanted))
  const proven = isProven ? { reading: readingOf(reported.logs), toBlock: wanted } : null
  const { reading, toBlock } = proven ?? read ?? (await readWallet(ctx, before, wanted))
  const last = toBlock === wanted ? lastWanted : await chain.block(toBlock)
  const expected = toBlock === wanted ? looked : null
  const isOther = (log: Pick<Log, 'blockNumber' | 'blockHash'>) =>
    log.blockNumber === toBlock && log.blockHash !== last.hash
  if (Object.values(reading).some((logs) => logs.some(isOther)))
    throw new BranchUnclear(`block ${toBlock} changed while it was read`)

  try {
    newlyConfirmed(ctx).length = 0
    const isCaughtUp = store.transaction(() => {
      const wallet = store.wallet(walletId)!
      if (wallet.scanned_block !== before.scanned_block || wallet.anchor_hash !== before.anchor_hash) return false
      book(ctx, wallet, reading)
      store.run('UPDATE wallet SET scanned_block = ? WHERE id = ?', toBlock, walletId)
      if (toBlock >= (wallet.anchor_block ?? 0))
        store.run('UPDATE wallet SET anchor_block = ?, anchor_hash = ? WHERE id = ?', toBlock, last.hash, walletId)
      const booked = store.wallet(walletId)!
      const balanceInBooks = bookedBalance(store, booked, toBlock)
      if (expected !== null) {
        if (balanceInBooks !== expected.balance)
          throw new BooksDiffer(walletId, toBlock, balanceInBooks, expected.balance)
        clearMismatch(ctx, booked, 'read')
        if (expected.state) adopt(ctx, booked, expected.state)
        recordLogsRead(ctx, walletId, expected)
      }
      return toBlock === level
    })
    forgetReported(ctx, walletId, isProven || read !== null ? toBlock : null)
    measureConfirmed(ctx, before.chain_id)
    return isCaughtUp
  } catch (error) {
    newlyConfirmed(ctx).length = 0
    throw error
  }
}

/** The hash of a block at or below `head`, which often has it already. Throws RpcUnavailable. */
async function hashAt(chain: Chain, number: number, head: Block): Promise<Pick<Block, 'number' | 'hash'>> {
  if (number === head.number) return head
  if (number === head.number - 1 && head.parentHash) return { number, hash: head.parentHash }
  return chain.block(number)
}

/** Records when each payment was signed, broadcast and confirmed, in ms since it was accepted. */
function measureConfirmed(ctx: Context, chainId: ChainId): void {
  for (const { kind, accepted_at, signed_at, broadcast_at, confirmed_at } of newlyConfirmed(ctx))
    ctx.metrics.record({
      name: 'payment',
      subject: `${chainId}:${kind}`,
      values: [signed_at!, broadcast_at!, confirmed_at!].map((at) => at - accepted_at!),
    })
}

/** The logs do not explain the balance: the node lacks or hides a log. Nothing was booked; the range is read again. */
export class BooksDiffer extends RpcUnavailable {
  readonly books: bigint
  readonly chain: bigint
  /** How long they have differed, in ms. Infinite at a finalized block, whose balance and logs every node must have. */
  forMs = Number.POSITIVE_INFINITY
  constructor(walletId: string, block: number, books: bigint, chain: bigint) {
    super(`books of ${walletId} at block ${block}: ${books}, on chain ${chain}`)
    this.books = books
    this.chain = chain
  }

  /** Whether a node may just show the balance before its logs, which is no error. */
  get isEarly(): boolean {
    return this.forMs < nodeLagMs
  }
}

/**
 * Reads up to `wanted`, or up to the block at which there are enough logs for one scan. If the node fails in between, what
 * was read until then is enough, so that the next scan begins where this one failed.
 */
async function readWallet(
  ctx: Context,
  wallet: WalletRow,
  wanted: number,
): Promise<{ reading: Reading; toBlock: number }> {
  const filters = filtersOf(ctx, wallet)
  const chain = ctx.chains[wallet.chain_id]
  const pace = paces(ctx).get(wallet.id) ?? new Pace()
  paces(ctx).set(wallet.id, pace)
  const reading: Reading = { own: [], transfers: [], announced: [], dust: [] }
  let toBlock = wallet.scanned_block
  let logs = 0
  const range = { fromBlock: toBlock + 1, toBlock: wanted }
  const withoutKind = filters.map(({ filter }) => filter)
  try {
    for await (const part of readParts(chain, withoutKind, range, { pace, isDust: dustOf(ctx, wallet) })) {
      for (const [i, { kind }] of filters.entries()) for (const log of part.logs[i]!) reading[kind].push(log)
      for (const dust of part.dust.values()) reading.dust.push(dust)
      toBlock = part.toBlock
      logs += part.read
      if (logs >= logsPerScan) break
    }
  } catch (error) {
    if (toBlock === wallet.scanned_block) throw error
  }
  return { reading, toBlock }
}

type Filter = { kind: Exclude<keyof Reading, 'dust'>; filter: RangelessFilter }

function filtersOf(ctx: Context, wallet: WalletRow): Filter[] {
  const { usdc } = ctx.chains[wallet.chain_id]
  const payouts = openPayouts(ctx, wallet.id)
  // Anyone can announce the same terms at another escrow, so only the payout's own escrow counts.
  const unannounced = Map.groupBy(
    payouts.filter((payout) => payout.announced === 0),
    (payout) => payoutContracts(ctx, wallet, payout).escrow,
  )
  const transfers = (...parties: (Hex | Hex[] | null)[]): Filter => ({
    kind: 'transfers',
    filter: { address: usdc, topics: [topics.transfer, ...parties] },
  })
  return [
    {
      kind: 'own',
      filter: wallet.kind === 'smart' ? { address: wallet.address } : authorizationLogs(usdc, wallet.address),
    },
    ...(hadAllowance(ctx, wallet)
      ? [{ kind: 'own' as const, filter: authorizationLogs(usdc, wallet.address, { event: 'used' }) }]
      : []),
    transfers(addressTopic(wallet.address)),
    transfers(null, addressTopic(wallet.address)),
    ...chunks(payouts).map((some) => transfers(some.map((payout) => addressTopic(payout.address)))),
    ...[...unannounced].flatMap(([escrow, ofEscrow]) =>
      chunks(ofEscrow.map((payout) => payout.payout_hash)).map(
        (some): Filter => ({ kind: 'announced', filter: { address: escrow, topics: [topics.payoutAnnounced, some] } }),
      ),
    ),
  ]
}

/**
 * Whether a session of a smart wallet could make purchases. Its key is known here before the chain shows it, except of what a
 * restore has lost: then all that the chain shows counts, and afterwards what the restore has found.
 */
const hadAllowance = ({ store }: Context, wallet: WalletRow): boolean =>
  wallet.purchase_allowance > 0 ||
  (wallet.kind === 'smart' && store.meta('restore') !== null) ||
  store.first(`SELECT 1 FROM payment WHERE wallet_id = ? AND ${isSellerSubmitted('kind')} LIMIT 1`, wallet.id) !==
    null ||
  store.first('SELECT 1 FROM wallet_action WHERE wallet_id = ? AND purchase_allowance > 0 LIMIT 1', wallet.id) !== null

const chunks = <T>(list: T[]): T[][] =>
  Array.from({ length: Math.ceil(list.length / maxTopics) }, (_, i) => list.slice(i * maxTopics, (i + 1) * maxTopics))

const openPayouts = (ctx: Context, walletId: string) =>
  ctx.store.all<PayoutRow>(`SELECT * FROM payout WHERE wallet_id = ? AND ${isOpenPayout}`, walletId)

/** Makes the next scan start at `block`, where a log exists that the books lack. */
export function rescanFrom(ctx: Context, walletId: string, block: number): void {
  ctx.store.run('UPDATE wallet SET scanned_block = min(scanned_block, ?) WHERE id = ?', block - 1, walletId)
}
