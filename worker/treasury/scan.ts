import { authorizationLogs } from '../chain/authorization.ts'
import { addressTopic, topics } from '../chain/calls.ts'
import { type Block, type LogFilter, RpcError, RpcUnavailable } from '../chain/types.ts'
import { book, type Reading } from './booking.ts'
import { type Context, freshHead } from './context.ts'
import { noteBooksAgree, noteBooksDiffer } from './halting.ts'
import type { PayoutRow, WalletRow } from './store.ts'

/** Public nodes refuse wider ranges. */
const widestRange = 5_000
/** Ranges per look, so that the work of one tick is bounded; a wallet further behind catches up over several. */
const rangesPerLook = 20
/** Nodes refuse more than 1,000 values of one topic. */
const mostTopics = 500

/**
 * Read every log that concerns this wallet up to CONFIRM_DEPTH and book it. The cursor moves in the same transaction
 * as the bookings, and only if the books then equal the wallet's balance at that very block: a node that lags or hides
 * a log changes nothing. A log is booked once, whatever is read twice. True: the wallet is level with the chain.
 */
export async function scanWallet(ctx: Context, walletId: string, head?: Block): Promise<boolean> {
  const { store } = ctx
  const before = store.wallet(walletId)!
  const chain = ctx.chains[before.chain_id]
  const newest = head ?? (await freshHead(ctx, before.chain_id, 0))
  const level = newest.number - Number(ctx.env.CONFIRM_DEPTH) + 1
  const toBlock = Math.min(level, before.scanned_block + widestRange * rangesPerLook)
  if (toBlock <= before.scanned_block) return true

  // A payout added from here on cannot have logs up to `newest`: nobody knew its address.
  const balance = toBlock === level ? chain.usdcBalance(before.address, toBlock) : null
  const [reading, expected] = await Promise.all([readLogs(ctx, before, toBlock), balance])

  try {
    return store.transaction(() => {
      const wallet = store.wallet(walletId)!
      if (wallet.scanned_block !== before.scanned_block) return false
      book(ctx, wallet, reading)
      store.run('UPDATE wallet SET scanned_block = ? WHERE id = ?', toBlock, walletId)
      const booked = store.wallet(walletId)!
      const balanceInBooks =
        BigInt(booked.deposits) + BigInt(booked.returns) - BigInt(booked.out) - BigInt(booked.withdrawn)
      if (expected !== null && balanceInBooks !== expected)
        throw new BooksDiffer(walletId, toBlock, balanceInBooks, expected)
      if (expected !== null) noteBooksAgree(ctx, booked)
      return toBlock === level
    })
  } catch (error) {
    if (error instanceof BooksDiffer) noteBooksDiffer(ctx, walletId, error.message)
    throw error
  }
}

/** The logs do not explain the balance: the node hid or has not got one yet. Nothing was booked; it is read again. */
export class BooksDiffer extends RpcUnavailable {
  constructor(walletId: string, block: number, books: bigint, chain: bigint) {
    super(`books of ${walletId} at block ${block}: ${books}, on chain ${chain}`)
  }
}

async function readLogs(ctx: Context, wallet: WalletRow, toBlock: number): Promise<Reading> {
  const chain = ctx.chains[wallet.chain_id]
  const { usdc, escrow } = chain.contracts
  const payouts = openPayouts(ctx, wallet.id)
  const hidden = payouts.filter((payout) => payout.announced === 0).map((payout) => payout.payout_hash)
  const reading: Reading = { own: [], left: [], came: [], payouts: [], announced: [] }
  let width = widestRange
  for (let fromBlock = wallet.scanned_block + 1; fromBlock <= toBlock; ) {
    const range = { fromBlock, toBlock: Math.min(toBlock, fromBlock + width - 1) }
    const filters: [keyof Reading, LogFilter][] = [
      [
        'own',
        wallet.kind === 'smart'
          ? { address: wallet.address, ...range }
          : authorizationLogs(usdc, wallet.address, range),
      ],
      ['left', { address: usdc, topics: [topics.transfer, addressTopic(wallet.address)], ...range }],
      ['came', { address: usdc, topics: [topics.transfer, null, addressTopic(wallet.address)], ...range }],
    ]
    for (const some of chunks(payouts))
      filters.push([
        'payouts',
        { address: usdc, topics: [topics.transfer, some.map((payout) => addressTopic(payout.address))], ...range },
      ])
    for (const some of chunks(hidden))
      filters.push(['announced', { address: escrow, topics: [topics.payoutAnnounced, some], ...range }])
    const answers = await chain
      .logs(filters.map(([, filter]) => filter))
      .catch((error: unknown) => refusedRange(error, range))
    if (answers === null) {
      // Too many logs for one answer: half as many blocks.
      width = Math.ceil((range.toBlock - fromBlock + 1) / 2)
      continue
    }
    for (const [i, [kind]] of filters.entries()) reading[kind].push(...(answers[i] ?? []))
    fromBlock = range.toBlock + 1
  }
  return reading
}

/** Null when the node says no to a range that can be made smaller. */
function refusedRange(error: unknown, range: { fromBlock: number; toBlock: number }): null {
  if (error instanceof RpcError && range.toBlock > range.fromBlock) return null
  throw error
}

const chunks = <T>(list: T[]): T[][] =>
  Array.from({ length: Math.ceil(list.length / mostTopics) }, (_, i) =>
    list.slice(i * mostTopics, (i + 1) * mostTopics),
  )

const openPayouts = (ctx: Context, walletId: string) =>
  ctx.store.all<PayoutRow>(
    "SELECT * FROM payout WHERE wallet_id = ? AND status IN ('CREATING','CREATED','CLAIMING','RECLAIMING')",
    walletId,
  )

/** A log was proven to exist that the books do not have: read again from before it. */
export function rescanFrom(ctx: Context, walletId: string, block: number): void {
  ctx.store.run('UPDATE wallet SET scanned_block = min(scanned_block, ?) WHERE id = ?', block - 1, walletId)
}
