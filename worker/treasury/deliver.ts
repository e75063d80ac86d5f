import { authorizedTransferCall } from '../chain/authorization.ts'
import { announceCall, claimCall, createWalletCall, reclaimCall, sendCall } from '../chain/calls.ts'
import type { ChainId, Hex } from '../chain/types.ts'
import { nonceOf } from '../domain/intent.ts'
import { type RelayItem, type RelayReport, relayerName } from '../relayer/types.ts'
import type { Context } from './context.ts'
import { changed, payoutChanged } from './outbox.ts'
import { payoutKind, termsOf } from './payouts.ts'
import type { PaymentRow, PayoutRow, WalletRow } from './store.ts'
import { deliverableActions } from './walletActions.ts'

/** Handed over again after this long without a trace on chain: the Relayer may have lost it, twice is harmless. */
const redeliverMs = 20_000 // 20 seconds
const batchSize = 100

const sendId = (payment: Pick<PaymentRow, 'id' | 'sig_version'>) => `${payment.id}:${payment.sig_version}`

function sendItem(ctx: Context, wallet: WalletRow, payment: PaymentRow): Omit<RelayItem, 'userId'> {
  if (payment.authorization !== null) return authorizedItem(ctx, wallet, payment, payment.authorization)
  const send = {
    to: payment.to_address!,
    amount: BigInt(payment.amount),
    nonce: nonceOf(payment.epoch!, payment.sequence!),
    deadline: payment.deadline!,
    r: payment.r!,
    vs: payment.vs!,
  }
  return {
    id: sendId(payment),
    kind: 'send',
    target: wallet.address,
    data: sendCall(send),
    packed: { ...send, wallet: wallet.address, amount: send.amount.toString(), nonce: send.nonce.toString() },
    deadline: send.deadline,
    guard: { scope: `${wallet.address}:${send.nonce}`, content: `${send.to}:${send.amount}` },
  }
}

/** EIP-3009: the token itself is called, and knows each nonce once. */
function authorizedItem(ctx: Context, wallet: WalletRow, payment: PaymentRow, nonce: Hex): Omit<RelayItem, 'userId'> {
  const to = payment.to_address!
  const amount = BigInt(payment.amount)
  const deadline = payment.deadline!
  const signed = { from: wallet.address, to, amount, nonce, validBefore: deadline, r: payment.r!, vs: payment.vs! }
  return {
    id: sendId(payment),
    kind: 'send',
    target: ctx.chains[wallet.chain_id].contracts.usdc,
    data: authorizedTransferCall(signed),
    deadline,
    guard: { scope: `${wallet.address}:${nonce}`, content: `${to}:${amount}` },
  }
}

/** A payment whose signature is committed goes with the next delivery. */
export function handOver(ctx: Context, wallet: WalletRow, payment: PaymentRow): void {
  ctx.outgoing.push({ chainId: wallet.chain_id, item: { ...sendItem(ctx, wallet, payment), userId: ctx.userId } })
}

/** Every signed intent and permissionless call that the Relayer should have now, per wallet's chain. */
function due(ctx: Context): { chainId: ChainId; item: RelayItem; done: () => void }[] {
  const { store } = ctx
  const now = ctx.now()
  const before = now - redeliverMs
  const wallets = new Map(store.all<WalletRow>('SELECT * FROM wallet').map((wallet) => [wallet.id, wallet]))
  const out: ReturnType<typeof due> = []
  const push = (wallet: WalletRow, item: Omit<RelayItem, 'userId'>, done: () => void) =>
    out.push({ chainId: wallet.chain_id, item: { ...item, userId: ctx.userId }, done })

  for (const wallet of wallets.values()) {
    if (wallet.status !== 'deploying') continue
    const data = createWalletCall({
      owner: wallet.owner,
      salt: wallet.salt,
      sessionKey: wallet.session_key,
      limit: BigInt(wallet.session_limit),
      validUntil: wallet.valid_until,
    })
    push(
      wallet,
      {
        id: deployId(wallet, now),
        kind: 'deploy',
        target: wallet.factory,
        data,
        deadline: wallet.valid_until,
        guard: { scope: `${wallet.id}:deploy`, content: wallet.address },
      },
      () => {},
    )
  }
  for (const [id, at] of ctx.handedOver) if (at < before) ctx.handedOver.delete(id)
  // Hundreds may be under way, and nearly all were handed over a moment ago: only the others are read in full.
  const open = store.all<Pick<PaymentRow, 'id' | 'sig_version'>>(
    "SELECT id, sig_version FROM payment WHERE status = 'PROCESSING' ORDER BY wallet_id, sequence",
  )
  for (const { id } of open.filter((row) => !ctx.handedOver.has(sendId(row))).slice(0, batchSize)) {
    const payment = store.payment(id)!
    const wallet = wallets.get(payment.wallet_id)!
    push(wallet, sendItem(ctx, wallet, payment), () => {})
  }
  for (const action of deliverableActions(ctx)) {
    const wallet = wallets.get(action.wallet_id)!
    const id = `${action.id}:action`
    if (ctx.handedOver.has(id)) continue
    push(
      wallet,
      { id, kind: 'rotate', target: wallet.address, data: action.data!, deadline: action.deadline! },
      () => {},
    )
  }
  for (const payout of store.all<PayoutRow>(
    `SELECT payout.* FROM payout JOIN payment ON payment.id = payout.id
     WHERE payout.status = 'CREATING' AND payout.announced = 0 AND payment.signed_at IS NOT NULL AND (payout.announce_delivered_at IS NULL OR payout.announce_delivered_at < ?) LIMIT ?`,
    before,
    batchSize,
  )) {
    const wallet = wallets.get(payout.wallet_id)!
    const item = {
      id: `${payout.id}:announce:${edition(now)}`,
      kind: 'announce' as const,
      target: ctx.chains[wallet.chain_id].contracts.escrow,
      data: announceCall(termsOf(payout)),
      deadline: payout.expiry,
      guard: { scope: `${payout.id}:announce`, content: payout.payout_hash },
    }
    push(wallet, item, () => store.run('UPDATE payout SET announce_delivered_at = ? WHERE id = ?', now, payout.id))
  }
  for (const payout of store.all<PayoutRow>(
    "SELECT * FROM payout WHERE status IN ('CLAIMING','RECLAIMING') AND (action_delivered_at IS NULL OR action_delivered_at < ?) LIMIT ?",
    before,
    batchSize,
  )) {
    const wallet = wallets.get(payout.wallet_id)!
    const signed = {
      atLeast: BigInt(payout.amount),
      deadline: payout.action_deadline!,
      r: payout.action_r!,
      vs: payout.action_vs!,
    }
    const data =
      payout.action === 'claim'
        ? claimCall(termsOf(payout), { ...signed, to: payout.action_to! })
        : reclaimCall(termsOf(payout), signed)
    push(
      wallet,
      {
        id: actionId(payout),
        kind: payout.action!,
        target: ctx.chains[wallet.chain_id].contracts.escrow,
        data,
        deadline: payout.action_deadline!,
      },
      () =>
        store.run(
          'UPDATE payout SET action_delivered_at = ? WHERE id = ? AND action_version = ?',
          now,
          payout.id,
          payout.action_version,
        ),
    )
  }
  return out
}

/**
 * These calls are not signed, so they have no version of their own: one that failed for good is tried anew after a
 * while. Each succeeds as often as it is sent, so the guard lets a new edition replace the one that still waits.
 */
const edition = (now: number) => Math.floor(now / 600_000) // 10 minutes
export const deployId = (wallet: { id: string }, now: number) => `${wallet.id}:deploy:${edition(now)}`
export const actionId = (payout: PayoutRow) => `${payout.id}:${payout.action}:${payout.action_version}`

export function relayerOf(ctx: Context, chainId: ChainId) {
  return ctx.env.RELAYER.getByName(relayerName(chainId, shardOf(ctx)))
}

/** Chosen once per user and kept: a retry must reach the Relayer that knows the intent. */
function shardOf(ctx: Context): number {
  ctx.shard ??= storedShard(ctx)
  return ctx.shard
}

function storedShard(ctx: Context): number {
  const stored = ctx.store.meta('shard')
  if (stored !== null) return Number(stored)
  let hash = 0
  for (const char of ctx.userId) hash = (hash * 31 + char.charCodeAt(0)) >>> 0
  const shard = hash % Math.max(1, Number(ctx.env.RELAYER_SHARDS))
  ctx.store.setMeta('shard', String(shard))
  return shard
}

/** Hand over what was just signed. A lost answer leaves it to the next look at what is due. */
export async function deliverFresh(ctx: Context): Promise<void> {
  while (ctx.outgoing.length > 0) await submit(ctx, ctx.outgoing.splice(0, batchSize))
}

/** Hand over everything due, from the tables. */
export async function deliver(ctx: Context): Promise<void> {
  const entries = due(ctx)
  await submit(ctx, entries)
  for (const { done } of entries) done()
}

/** One chain's Relayer that fails holds up nothing of the other chain. */
async function submit(ctx: Context, entries: { chainId: ChainId; item: RelayItem }[]): Promise<void> {
  const hand = async (chainId: ChainId) => {
    const items = entries.filter((entry) => entry.chainId === chainId).map((entry) => entry.item)
    if (items.length === 0) return
    const result = await relayerOf(ctx, chainId).submit(items)
    for (const { id, reason } of result.refused) console.error('relayer refused', id, reason)
    for (const { id } of items) ctx.handedOver.set(id, ctx.now())
  }
  const failed = (await Promise.allSettled([hand(8453), hand(84532)])).find((one) => one.status === 'rejected')
  if (failed) throw failed.reason
}

/** The Relayer's hints: a hash to show, nothing to settle by. */
export function noteReports(ctx: Context, reports: RelayReport[]): void {
  const { store } = ctx
  store.transaction(() => {
    for (const { id, txHash } of reports) {
      if (!txHash) continue
      const [ref, kind, version] = id.split(':') as [string, string, string | undefined]
      if (kind === 'deploy') store.run('UPDATE wallet SET deploy_tx = ? WHERE id = ?', txHash, ref)
      else if (kind === 'announce') continue
      else if (kind === 'action') store.run('UPDATE wallet_action SET tx_hash = ? WHERE id = ?', txHash, ref)
      else if (payoutKind(kind)) {
        if (
          store.run(
            "UPDATE payout SET action_tx = ? WHERE id = ? AND action_version = ? AND status IN ('CLAIMING','RECLAIMING') AND action_tx IS NOT ?",
            txHash,
            ref,
            Number(version),
            txHash,
          ) > 0
        )
          payoutChanged(ctx, ref)
      } else if (
        store.run(
          "UPDATE payment SET tx_hash = ?, broadcast_at = coalesce(broadcast_at, ?) WHERE id = ? AND status = 'PROCESSING' AND tx_hash IS NOT ?",
          txHash,
          ctx.now(),
          ref,
          txHash,
        ) > 0
      )
        changed(ctx, 'payment', ref)
    }
  })
}
