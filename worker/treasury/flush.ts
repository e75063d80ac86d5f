import { insertClaimLink, type Listed, upsertPayouts, upsertTransactions, userContact } from '../db/readModel.ts'
import { deliveryFrom } from '../delivery/delivery.ts'
import {
  budgetMessage,
  payoutClaimedMessage,
  payoutLinkMessage,
  payoutReminderMessage,
  payoutReturnedMessage,
  walletStoppedMessage,
} from '../delivery/messages.ts'
import { formatUsdc, minusOrZero } from '../domain/money.ts'
import type { Escrow } from '../schemas/escrow.ts'
import type { Transaction } from '../schemas/transaction.ts'
import type { Context } from './context.ts'
import type { OutboxKind } from './outbox.ts'
import { companionView, deskView, escrowView, transactionView } from './views.ts'

type Entry = { kind: OutboxKind; ref: string; seq: number; failures: number }
/** Entries told at once; rows of the read model go in one D1 batch. */
const batchSize = 100
const mailsAtOnce = 10

/** Tell our own others what changed. What fails is tried again by itself later. */
export async function flush(ctx: Context): Promise<void> {
  for (const entry of due(ctx, 'link')) await attempt(ctx, [entry], () => writeLink(ctx, entry))
  for (const entry of due(ctx, 'desk')) await attempt(ctx, [entry], () => tellDesk(ctx, entry))
  const rows = [...due(ctx, 'payment'), ...due(ctx, 'payout')].slice(0, batchSize)
  if (rows.length > 0) await attempt(ctx, rows, () => project(ctx, rows))
}

/** At once, a few at a time, and apart from `flush`: a provider that is slow holds up no list and no new payout. */
export async function flushMails(ctx: Context): Promise<void> {
  const { store, now } = ctx
  await Promise.all(
    due(ctx, 'mail', mailsAtOnce).map(async (entry) => {
      const payoutId = entry.ref.split(':')[0]!
      // A mail must never lead to an unknown link.
      if (store.first("SELECT 1 FROM outbox WHERE kind IN ('link','desk') AND ref = ?", payoutId))
        store.run("UPDATE outbox SET due_at = ? WHERE kind = 'mail' AND ref = ?", now() + 1_000, entry.ref)
      else await attempt(ctx, [entry], () => mail(ctx, entry))
    }),
  )
}

/** When the rest is due (ms), null: nothing is left. */
export function nextFlushAt({ store, now }: Context): number | null {
  const next = store.first<{ at: number | null }>('SELECT min(due_at) AS at FROM outbox')?.at ?? null
  return next === null ? null : Math.max(next, now() + 50)
}

async function attempt(ctx: Context, entries: Entry[], work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    console.error('outbox', entries[0]?.kind, entries[0]?.ref, error)
    for (const entry of entries) tellLater(ctx, entry)
  }
}

/** What failed least comes first, so that hopeless entries hide nobody. */
const due = (ctx: Context, kind: OutboxKind, most = batchSize) =>
  ctx.store.all<Entry>(
    'SELECT kind, ref, seq, failures FROM outbox WHERE kind = ? AND due_at <= ? ORDER BY failures LIMIT ?',
    kind,
    ctx.now(),
    most,
  )

/** 0.25 s doubling; mails that no provider takes slow down to one try an hour. */
function tellLater(ctx: Context, entry: Entry): void {
  const longestMs = entry.kind === 'mail' ? 3_600_000 : 15_000
  const waitMs = Math.min(longestMs, 250 * 2 ** Math.min(entry.failures, 14))
  ctx.store.run(
    'UPDATE outbox SET failures = failures + 1, due_at = ? WHERE kind = ? AND ref = ? AND seq = ?',
    ctx.now() + waitMs,
    entry.kind,
    entry.ref,
    entry.seq,
  )
}

/** Only what was told is forgotten: a change made meanwhile has raised the entry's seq. */
const told = (ctx: Context, entry: Entry) =>
  ctx.store.run('DELETE FROM outbox WHERE kind = ? AND ref = ? AND seq = ?', entry.kind, entry.ref, entry.seq)

/**
 * Taken in the same turn as the rows are read, so a higher number never carries an older row: D1 and the desks keep
 * the highest, and late or repeated deliveries are harmless.
 */
function nextEdition(ctx: Context): number {
  const edition = Number(ctx.store.meta('edition') ?? 0) + 1
  ctx.store.setMeta('edition', String(edition))
  return edition
}

async function project(ctx: Context, todo: Entry[]): Promise<void> {
  const { store, env, userId } = ctx
  const edition = nextEdition(ctx)
  const transactions: Listed<Transaction>[] = []
  const payouts: Listed<Escrow>[] = []
  for (const { kind, ref } of todo) {
    const payment = store.payment(ref)
    if (!payment) continue
    if (kind === 'payment') transactions.push({ row: transactionView(store, payment), amount: payment.amount })
    const payout = kind === 'payout' && store.payout(ref)
    if (!payout) continue
    payouts.push({ row: escrowView(store, payout), amount: payout.amount })
    const companion = companionView(store, payment, payout)
    if (companion) transactions.push({ row: companion, amount: payout.amount })
  }
  const statements: D1PreparedStatement[] = []
  if (transactions.length > 0) statements.push(upsertTransactions(env.DB, userId, edition, transactions))
  if (payouts.length > 0) statements.push(upsertPayouts(env.DB, userId, edition, payouts))
  if (statements.length > 0) await env.DB.batch(statements)
  store.transaction(() => {
    for (const entry of todo) told(ctx, entry)
  })
}

async function writeLink(ctx: Context, entry: Entry): Promise<void> {
  const payout = ctx.store.payout(entry.ref)!
  await insertClaimLink(ctx.env.DB, {
    tokenHash: payout.token_hash,
    userId: ctx.userId,
    payoutId: payout.id,
    address: payout.address,
    createdAt: payout.created_at,
  }).run()
  told(ctx, entry)
}

async function tellDesk(ctx: Context, entry: Entry): Promise<void> {
  const payout = ctx.store.payout(entry.ref)!
  await ctx.env.CLAIM_DESK.getByName(payout.id).update(deskView(ctx, payout, nextEdition(ctx)))
  told(ctx, entry)
}

/** Bodies are made when they leave and never stored; the code is opened from its seal for that moment. */
async function mail(ctx: Context, entry: Entry): Promise<void> {
  const { store, env } = ctx
  const [payoutId, kind] = entry.ref.split(':') as [
    string,
    'link' | 'withdrawn' | 'reclaimed' | 'halted' | `${string}${number}`,
  ]
  if (kind.startsWith('budget')) return mailBudget(ctx, entry, payoutId, Number(kind.slice('budget'.length)))
  if (kind === 'halted') return mailHalted(ctx, entry, payoutId)
  const payout = store.payout(payoutId)!
  const payment = store.payment(payoutId)!
  const delivery = deliveryFrom(env)
  const chainId = store.wallet(payout.wallet_id)!.chain_id
  const money = { amount: formatUsdc(BigInt(payout.amount)), isTest: chainId === 84532 }
  const recipient = payment.recipient_email ?? payment.recipient_phone ?? ''
  if (kind === 'link') {
    if (payout.sealed_code !== null) {
      const code = await ctx.sealer.open(
        payout.sealed_code,
        `${ctx.userId}|passcode|${payout.id}|${payout.code_version}`,
      )
      const claimUrl = await claimUrlOf(ctx, payout.sealed_token, payout.id)
      const id = `payout-link:${payout.id}:${payout.code_version}`
      const channel = payment.recipient_email === null ? 'sms' : 'email'
      await delivery.send(
        payoutLinkMessage({
          id,
          to: recipient,
          channel,
          senderName: payout.sender_name,
          ...money,
          memo: payment.memo,
          claimUrl,
          code,
          expiresAt: payout.expires_at,
        }),
      )
    }
  } else if (kind.startsWith('reminder')) {
    if (payout.status === 'CREATED')
      await delivery.send(
        payoutReminderMessage({
          id: `payout-${kind}:${payout.id}`,
          to: recipient,
          channel: payment.recipient_email === null ? 'sms' : 'email',
          senderName: payout.sender_name,
          ...money,
          claimUrl: await claimUrlOf(ctx, payout.sealed_token, payout.id),
          expiresAt: payout.expires_at,
        }),
      )
  } else {
    const sender = await userContact(env.DB, ctx.userId)
    if (sender) {
      const explorerUrl = payout.done_tx === null ? null : `${env[`EXPLORER_URL_${chainId}`]}/tx/${payout.done_tx}`
      await delivery.send(
        kind === 'withdrawn'
          ? payoutClaimedMessage({ payoutId, to: sender.email, ...money, recipient, explorerUrl })
          : payoutReturnedMessage({
              payoutId,
              to: sender.email,
              ...money,
              recipient,
              reason: payout.action_by === 'expiry' ? 'not_claimed' : 'reclaimed',
            }),
      )
    }
  }
  told(ctx, entry)
  forgetCodes(ctx)
}

async function mailBudget(ctx: Context, entry: Entry, groupId: string, percent: number): Promise<void> {
  const { store, env } = ctx
  const group = store.group(groupId)
  const owner = await userContact(env.DB, ctx.userId)
  if (group?.spend_limit && owner)
    await deliveryFrom(env).send(
      budgetMessage({
        id: `budget:${groupId}:${percent}:${group.spend_limit}`,
        to: owner.email,
        group: group.name,
        percent,
        limit: formatUsdc(BigInt(group.spend_limit)),
        remaining: formatUsdc(minusOrZero(BigInt(group.spend_limit), BigInt(group.spent) + BigInt(group.held))),
        appOrigin: env.APP_ORIGIN,
      }),
    )
  told(ctx, entry)
}

async function mailHalted(ctx: Context, entry: Entry, walletId: string): Promise<void> {
  const { store, env } = ctx
  const wallet = store.liveWallet(walletId)
  const owner = await userContact(env.DB, ctx.userId)
  if (wallet?.halted && owner) {
    const { name, address } = wallet
    const { APP_ORIGIN: appOrigin } = env
    await deliveryFrom(env).send(
      walletStoppedMessage({ walletId, to: owner.email, name, address, appOrigin, now: ctx.now() }),
    )
  }
  told(ctx, entry)
}

export async function claimUrlOf(ctx: Context, sealedToken: string, payoutId: string): Promise<string> {
  return `${ctx.env.APP_ORIGIN}/claim/${await ctx.sealer.open(sealedToken, `${ctx.userId}|claim token|${payoutId}`)}`
}

/** Codes are erased once their message has left and the ten minutes of replay are over. */
export function forgetCodes(ctx: Context): void {
  ctx.store.run(
    `UPDATE payout SET sealed_code = NULL WHERE sealed_code IS NOT NULL AND code_until <= ?
       AND status <> 'CREATING' AND NOT EXISTS (SELECT 1 FROM outbox WHERE kind = 'mail' AND ref = payout.id || ':link')`,
    ctx.now(),
  )
}
