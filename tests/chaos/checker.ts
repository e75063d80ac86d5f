/** Checks the invariants of docs/architecture.md against the replies that clients got and against the chain. */

import { formatUsdc, microUsdc } from '#domain/money.ts'
import type { Escrow } from '#schemas/escrow.ts'
import type { PolicyGroup } from '#schemas/policy.ts'
import type { SessionKeyInfo } from '#schemas/sessionKey.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type { WalletLedger } from '#schemas/wallet.ts'
import { type BursarClient, until } from '../../local/client.ts'
import type { Address } from '../../worker/chain/types.ts'
import { usdc } from '../support/build.ts'
import { allPayouts, allTransactions, type Sender, type Transfer } from '../support/stackClient.ts'
import type { AuditCheck } from './client.ts'
import { accepted, type Operation } from './history.ts'

/** Everything Bursar reports about a sender at rest. */
export type Books = Awaited<ReturnType<typeof booksAtRest>>
/** Everything the chain shows about a sender. */
export type OnChain = { transfers: Transfer[]; balance: bigint; nonces: bigint[] }

/** The block at which a sender was first seen at rest, and the payouts reclaimed by then. */
const restBlocks = new WeakMap<Sender, { block: number; reclaimed: number }>()

/** Waits until nothing is queued, in progress or held by the wallet, and that is final. */
export async function booksAtRest(
  bursar: BursarClient,
  sender: Sender,
  withinMs: number,
  /** Blocks after which a reclaim is final and its budget released. */
  { finalityBlocks = 2 } = {},
) {
  const { wallet } = sender
  return until(
    `${wallet.id} at rest`,
    async () => {
      const token = await sender.token()
      const ledger = await bursar.api<WalletLedger>(`/wallets/${wallet.id}/ledger`, { token })
      if (ledger.held !== '0') return null
      const listed = await allTransactions(bursar, token)
      const [movements, transactions] = [listed.filter(isMovement), listed.filter((row) => !isMovement(row))]
      const payouts = await allPayouts(bursar, token)
      const moving = transactions.some(({ status }) => status === 'QUEUED' || status === 'PROCESSING')
      if (moving || payouts.some(({ status, inProgress }) => status === 'CREATING' || inProgress)) return null
      const reclaimed = payouts.filter(({ status }) => status === 'RECLAIMED').length
      const rest = restBlocks.get(sender)
      if (rest?.reclaimed !== reclaimed) restBlocks.set(sender, { block: ledger.scannedBlock, reclaimed })
      if (ledger.scannedBlock < (restBlocks.get(sender)?.block ?? 0) + finalityBlocks + 1) return null
      const [group] = await bursar.api<PolicyGroup[]>('/policy-groups', { token })
      const session = await bursar.api<SessionKeyInfo>(`/wallets/smart-wallets-v2/${wallet.id}/session-key`, { token })
      const audit = await bursar.api<AuditCheck>('/audit', { token })
      return { ledger, transactions, movements, payouts, group: group!, session, audit }
    },
    withinMs,
  )
}

/** Money that moved without a payment. */
const isMovement = ({ category }: Transaction) => category === 'deposit' || category === 'withdrawal'

const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
const show = ({ from, to, value }: Transfer) => `${from} → ${to} ${formatUsdc(value)}`

/** Returns one line per violation. */
export function violations(sender: Sender, operations: Operation[], books: Books, onChain: OnChain): string[] {
  const found: string[] = []
  const must = (holds: boolean, what: string) => void (holds || found.push(what))
  const equal = (what: string, value: unknown, expected: unknown) =>
    must(value === expected, `${what}: ${value}, expected ${expected}`)
  const { ledger, transactions, movements, payouts, group, session, audit } = books
  const wallet = sender.wallet.address as Address
  const to = (address: string) => onChain.transfers.filter((transfer) => transfer.to === address)
  const from = (address: string) => onChain.transfers.filter((transfer) => transfer.from === address)
  const exactly = (what: string, moved: Transfer[], ...expected: Transfer[]) =>
    equal(what, moved.map(show).join(', ') || 'nothing', expected.map(show).join(', ') || 'nothing')
  const rows = new Map(transactions.map((row) => [row.id, row]))
  const escrows = new Map(payouts.map((payout) => [payout.id, payout]))

  for (const { key, outcome } of operations) must(outcome !== undefined, `${key} never got a definite reply`)
  const sends = accepted(operations, 'send')
  const created = accepted(operations, 'payout')
  const purchases = accepted(operations, 'purchase')
  const bought = purchases.filter(({ asked }) => asked.settles)

  // Nothing is lost or invented: every acknowledged payment exists once, and there are no others.
  const known = [...sends, ...created, ...purchases].map(({ id }) => id)
  equal('different payments acknowledged', new Set(known).size, known.length)
  for (const id of known) must(rows.has(id), `lost: ${id} was acknowledged and is missing`)
  for (const { id } of created) must(escrows.has(id), `lost: payout ${id}`)
  const decided = (row: Transaction) => !row.id.includes(':') && row.status !== 'POLICY_REJECTED'
  equal('payments in the list', transactions.filter(decided).length, known.length)
  equal('payouts in the list', payouts.length, created.length)
  const deposited = sum(
    movements.map(({ category, amountUsdc }) => usdc(amountUsdc) * (category === 'deposit' ? 1n : -1n)),
  )
  equal('deposits in the list', formatUsdc(microUsdc(deposited)), ledger.deposits)

  // I2: an accepted send moved its money once; a refused one moved nothing.
  for (const { id, asked } of sends) {
    equal(`status of ${id}`, rows.get(id)?.status, 'CONFIRMED')
    equal(`amount of ${id}`, rows.get(id)?.amountUsdc, formatUsdc(asked.amount))
    exactly(`I2 ${id}`, to(asked.to), { from: wallet, to: asked.to, value: asked.amount, tx: '0x' })
  }
  for (const { key, asked, outcome } of operations)
    if ((asked.kind === 'send' || asked.kind === 'purchase' || asked.kind === 'claim') && outcome && !outcome.ok)
      exactly(`refused ${asked.kind} ${key}`, to(asked.to))

  // I18: a purchase moved its money once if its seller took it, and nothing otherwise.
  for (const { id, asked } of purchases) {
    equal(`status of ${id}`, rows.get(id)?.status, asked.settles ? 'CONFIRMED' : 'FAILED')
    const moved = { from: wallet, to: asked.to, value: asked.amount, tx: '0x' as const }
    exactly(`I18 ${id}`, to(asked.to), ...(asked.settles ? [moved] : []))
  }

  // I4: a payout is funded once and then open, withdrawn by the confirmed claimer, or reclaimed.
  const claims = accepted(operations, 'claim')
  const reclaims = accepted(operations, 'reclaim')
  for (const { id, asked } of created) {
    const payout = escrows.get(id)
    if (!payout) continue
    const vault = payout.escrowSubwalletAddress as Address
    const funding = { from: wallet, to: vault, value: asked.amount, tx: '0x' as const }
    exactly(`I2 funding of ${id}`, to(vault), funding)
    const claimers = [...new Set(claims.filter((claim) => claim.id === id).map((claim) => claim.asked.to))]
    const taken = reclaims.some((reclaim) => reclaim.id === id)
    const end: Record<string, [string, ...Transfer[]]> = {
      CREATED: ['PENDING'],
      WITHDRAWN: ['CONFIRMED', { ...funding, from: vault, to: claimers[0] ?? vault }],
      RECLAIMED: ['CANCELLED', { ...funding, from: vault, to: wallet }],
    }
    const wanted = claimers.length > 0 ? 'WITHDRAWN' : taken ? 'RECLAIMED' : 'CREATED'
    equal(`I4 ${id} for claims ${claimers} and reclaim ${taken}`, payout.status, wanted)
    must(
      claimers.length + (taken ? 1 : 0) <= 1,
      `I4 ${id}: confirmed to ${claimers.length} claimers, reclaimed ${taken}`,
    )
    const [status, ...moved] = end[payout.status] ?? ['none of these']
    equal(`status of ${id}`, rows.get(id)?.status, status)
    exactly(`I4 ${id}`, from(vault), ...moved)
  }

  // I1: the wallet's books add up and equal the chain.
  const amountsWith = (status: Escrow['status']) =>
    sum(created.filter(({ id }) => escrows.get(id)?.status === status).map(({ asked }) => asked.amount))
  const sent = sum(sends.map(({ asked }) => asked.amount))
  const spentOnPurchases = sum(bought.map(({ asked }) => asked.amount))
  const paidOut = sum(created.map(({ asked }) => asked.amount))
  const funds = usdc(sender.funds)
  const expected = {
    deposits: funds,
    returns: amountsWith('RECLAIMED'),
    out: sent + paidOut + spentOnPurchases,
    withdrawn: 0n,
    held: 0n,
    available: funds + amountsWith('RECLAIMED') - sent - paidOut - spentOnPurchases,
    escrowed: amountsWith('CREATED'),
    spent: sent + amountsWith('WITHDRAWN') + spentOnPurchases,
    chainBalance: onChain.balance,
  }
  for (const [name, amount] of Object.entries(expected))
    equal(`I1 ${name}`, ledger[name as keyof typeof expected], formatUsdc(amount))
  equal('I1 balance on chain', onChain.balance, expected.available)
  const executed = sends.length + created.length
  equal('transfers out of the wallet', from(wallet).length, executed + bought.length)
  equal('nonces executed', onChain.nonces.length, executed)
  equal('different nonces', new Set(onChain.nonces).size, executed)

  // I3: the group's figures are those of its agents' payments.
  const byAgents = <T extends { asked: { by: 'user' | number } }>(all: T[]) =>
    all.filter(({ asked }) => asked.by !== 'user')
  const groupPayouts = byAgents(created).map(({ id, asked }) => ({
    amount: asked.amount,
    status: escrows.get(id)?.status,
  }))
  const with_ = (status: Escrow['status']) =>
    sum(groupPayouts.filter((payout) => payout.status === status).map(({ amount }) => amount))
  const groupSpent = sum(byAgents(sends).map(({ asked }) => asked.amount)) + spentOnPurchases + with_('WITHDRAWN')
  const limit = usdc(String(sender.limit))
  equal('I3 spent', group.currentSpent, formatUsdc(groupSpent))
  equal('I3 held', group.held, formatUsdc(with_('CREATED')))
  equal('I3 remaining', group.remaining, formatUsdc(limit - groupSpent - with_('CREATED')))
  equal('I21 rolling budget', group.rollingBudget?.used, formatUsdc(groupSpent + with_('CREATED')))
  must(groupSpent + with_('CREATED') <= limit, `I3: ${formatUsdc(groupSpent)} spent of ${sender.limit}`)
  equal('session used', session.spentAmount, String(sent + paidOut))
  equal('session held', session.heldAmount, '0')

  equal('I9 audit broken at', audit.brokenAt, null)
  must(audit.rows >= 2 * known.length, `I9: ${audit.rows} audit rows for ${known.length} payments`)
  return found
}
