import { deadlineSeconds, nonceOf } from '#domain/intent.ts'
import { formatUsdc } from '#domain/money.ts'
import { explainTransfers, type StrayTransfer } from '#domain/restorePlan.ts'
import { authorizationIn, authorizationLogs, authorizationNonce } from '../../chain/authorization.ts'
import { addressTopic, topics } from '../../chain/calls.ts'
import type { Terms } from '../../chain/digests.ts'
import { readLogs } from '../../chain/readLogs.ts'
import type { Block, ChainId, Hex, Log } from '../../chain/types.ts'
import { readKeptValues } from '../../db/keptValues.ts'
import { finalizedBlock, freshHead, isNodeTrouble } from '../chainHeads.ts'
import type { Context } from '../context.ts'
import { failUnsigned, releaseDead } from '../settlement/release.ts'
import { BooksDiffer, rescanFrom, scanWallet } from '../settlement/scan.ts'
import type { PaymentRow, WalletRow } from '../storage/rows.ts'
import { followDeploy } from '../wallets/deploy.ts'
import { walletsIn } from './account.ts'
import { announcedPayouts } from './announcements.ts'
import { count, noteUnexplained, type RestoreState, writeState } from './state.ts'

/** How long after the freeze in D1 a Treasury that has not confirmed it may still sign. */
const stopMs = 10_000 // 10 seconds

const live = ({ store }: Context) => store.all<WalletRow>("SELECT * FROM wallet WHERE status <> 'deleted' ORDER BY id")

/** Of the wallets here and of those that come back. */
async function chainsOf(ctx: Context): Promise<ChainId[]> {
  const kept = walletsIn(await readKeptValues(ctx.db, ctx.userId))
  return [...new Set([...live(ctx), ...kept].map(({ chain_id }) => chain_id))]
}

/**
 * Waits until no signature made before the freeze can be executed: a finalized block of each chain must be later than
 * the last deadline that may have been signed. Null: the wait is over. Throws RpcUnavailable.
 */
export async function waitForDeadlines(
  ctx: Context,
  state: RestoreState,
  frozenAt: number | null,
): Promise<{ until: number; finalAt: number } | null> {
  if (frozenAt === null && ctx.now() < state.since + stopMs) return { until: 0, finalAt: 0 }
  for (const chainId of await chainsOf(ctx)) {
    state.until[chainId] ??= (await freshHead(ctx, chainId, 0)).timestamp + deadlineSeconds
    const final = await finalizedBlock(ctx, chainId)
    if (final.timestamp <= state.until[chainId]) {
      writeState(ctx.store, state)
      return { until: state.until[chainId], finalAt: final.timestamp }
    }
  }
  writeState(ctx.store, { ...state, stage: 'account' })
  return null
}

/** One wallet, or the end of this stage. True: more is left. */
export async function readChain(ctx: Context, state: RestoreState): Promise<boolean> {
  const wallet = live(ctx).find(({ id }) => !state.read.includes(id))
  if (!wallet) {
    writeState(ctx.store, { ...state, stage: 'check' })
    return false
  }
  if (wallet.status === 'deploying' || wallet.status === 'failed') await followDeploy(ctx, wallet)
  const final = await finalizedBlock(ctx, wallet.chain_id)
  if (!state.matched.includes(wallet.id)) await match(ctx, state, wallet, final)
  try {
    const head = await freshHead(ctx, wallet.chain_id, 0)
    if (!(await scanWallet(ctx, wallet.id, head))) return true
    failUnsigned(ctx, wallet)
    await releaseDead(ctx, ctx.store.wallet(wallet.id)!, head)
    const { halted } = ctx.store.wallet(wallet.id)!
    if (halted !== null) noteUnexplained(state, { what: 'books', ref: wallet.id, detail: halted })
  } catch (error) {
    if (!isNodeTrouble(error)) throw error
    if (!(error instanceof BooksDiffer)) throw error
    noteUnexplained(state, { what: 'books', ref: wallet.id, detail: error.message })
  }
  if (openPayments(ctx, wallet.id) > 0 && !booksDiffer(state, wallet.id)) return true
  state.read.push(wallet.id)
  count(state, 'wallets read')
  writeState(ctx.store, state)
  return true
}

const booksDiffer = ({ unexplained }: RestoreState, walletId: string) =>
  unexplained.some(({ what, ref }) => what === 'books' && ref === walletId)

const openPayments = ({ store }: Context, walletId: string) =>
  store.first<{ n: number }>(
    "SELECT count(*) AS n FROM payment WHERE wallet_id = ? AND status IN ('QUEUED','PROCESSING')",
    walletId,
  )!.n

/**
 * Finds the transfers that this wallet's session has signed since the last scan, and stores the nonces of payments
 * that were signed after D1 last heard of them. What no payment explains is for an operator. Then the logs are read
 * and booked as always,
 * from the first block in which any of the payments can be.
 */
async function match(ctx: Context, state: RestoreState, wallet: WalletRow, final: Block): Promise<void> {
  const { store } = ctx
  const first = store.first<{ block: number | null }>(
    "SELECT min(first_block) AS block FROM payment WHERE wallet_id = ? AND status = 'PROCESSING'",
    wallet.id,
  )!.block
  const fromBlock = Math.min(first ?? wallet.scanned_block + 1, wallet.scanned_block + 1)
  const transfers = await signedTransfers(ctx, wallet, fromBlock, final.number)
  const announced = await announcedPayouts(ctx, wallet, { fromBlock, toBlock: final.number })
  store.transaction(() => {
    const strays = transfers.filter(({ nonce }) => paymentUnder(ctx, wallet, nonce) === null)
    const unsigned = store.all<PaymentRow>(
      "SELECT * FROM payment WHERE wallet_id = ? AND status = 'QUEUED' ORDER BY created_at, id",
      wallet.id,
    )
    const { explained, unexplained } = explainTransfers(
      strays,
      unsigned.map(({ id, to_address, amount }) => ({ id, to: to_address ?? '', amount })),
    )
    for (const { id, stray } of explained) giveNonce(ctx, state, wallet, id, stray)
    for (const { tx, amount, to } of unexplained) {
      const payout = announced.get(to.toLowerCase())
      const what = payout ? 'payout' : 'transfer'
      const sent = `${formatUsdc(BigInt(amount))} USDC to ${to}, signed here`
      noteUnexplained(state, {
        what,
        ref: tx,
        detail: `${sent}, and ${payout ? lostPayout(payout) : 'no payment matches it'}`,
      })
    }
    rescanFrom(ctx, wallet.id, fromBlock)
    state.matched.push(wallet.id)
    writeState(store, state)
  })
}

/** Its id is lost, and with it the keys that follow from the id: nobody can claim it, and we can't take it back before its expiry. */
const lostPayout = ({ expiry }: Terms): string =>
  `it funded a payout that is recorded nowhere else: the wallet’s owner can take it back with the recovery page, and anyone can return it to the wallet from ${new Date(expiry * 1000).toISOString()}`

type Signed = StrayTransfer & { block: number }

/** Transfers that the wallet's session, or an imported key's authorization, has caused. `nonce`: decimal, or of EIP-3009. */
async function signedTransfers(ctx: Context, wallet: WalletRow, fromBlock: number, toBlock: number): Promise<Signed[]> {
  const chain = ctx.chains[wallet.chain_id]
  if (toBlock < fromBlock) return []
  const own = wallet.kind === 'smart' ? { address: wallet.address } : authorizationLogs(chain.usdc, wallet.address)
  const left = { address: chain.usdc, topics: [topics.transfer, addressTopic(wallet.address)] }
  const [nonces = [], transfers = []] = await readLogs(chain, [own, left], { fromBlock, toBlock })
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

const partsOf = (nonce: string): [epoch: number, sequence: number] => [
  Number(BigInt(nonce) / nonceOf(1, 0)),
  Number(BigInt(nonce) % nonceOf(1, 0)),
]

function giveNonce(ctx: Context, state: RestoreState, wallet: WalletRow, id: string, { nonce, block }: Signed): void {
  const { store } = ctx
  const payment = store.payment(id)!
  const isSmart = wallet.kind === 'smart'
  const [epoch, sequence] = isSmart ? partsOf(nonce) : [payment.epoch, payment.sequence]
  if (isSmart && epoch !== payment.epoch) {
    const move = 'UPDATE session SET held = held + ? WHERE wallet_id = ? AND epoch = ?'
    store.run(move, -payment.amount, wallet.id, payment.epoch)
    store.run(move, payment.amount, wallet.id, epoch)
  }
  store.run(
    `UPDATE payment SET status = 'PROCESSING', epoch = ?, sequence = ?, authorization = ?, sig_version = 1, first_block = ?,
       max_deadline = ?, signed_at = coalesce(signed_at, created_at) WHERE id = ?`,
    epoch,
    sequence,
    isSmart ? null : (nonce as Hex),
    block,
    state.until[wallet.chain_id]!,
    id,
  )
  count(state, 'payments found on chain')
}

/** An imported key's payments need no sequence: their nonces follow from their ids. So what was queued here may have been signed. */
export function noteAuthorizations(ctx: Context, state: RestoreState): void {
  const { store } = ctx
  for (const payment of store.all<PaymentRow>(
    "SELECT payment.* FROM payment JOIN wallet ON wallet.id = wallet_id WHERE wallet.kind = 'imported' AND payment.status = 'QUEUED'",
  )) {
    const wallet = store.wallet(payment.wallet_id)!
    store.run(
      `UPDATE payment SET status = 'PROCESSING', authorization = ?, sig_version = max(1, sig_version), first_block = ?, max_deadline = ?,
         signed_at = coalesce(signed_at, created_at) WHERE id = ?`,
      authorizationNonce(payment.id),
      payment.first_block ?? wallet.scanned_block,
      state.until[wallet.chain_id]!,
      payment.id,
    )
  }
}
