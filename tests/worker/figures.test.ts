import { beforeAll, expect, test } from 'vitest'
import type { FigureName } from '#domain/figures.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type { Listed } from '../../worker/history/api.ts'
import { type Result, unwrap } from '../../worker/result.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { owner, usdc } from '../support/build.ts'
import { historyOf, historyRows, overviewOf, syncHistory } from '../support/histories.ts'
import { accepted, chain, createPayer, fresh, type Payer, prepare, until } from '../support/payer.ts'

beforeAll(prepare)

const recipient = fresh('shop')
const toShop = { type: 'address' as const, address: recipient }
const toAnna = { type: 'email' as const, email: 'anna@example.com' }

/** Creates one of everything: sends by agent and user, refusals, a withdrawn, a reclaimed and an open payout. */
async function createHistory(payer: Payer) {
  const { treasury, payment, final } = payer
  const paid = async (over: Parameters<Payer['payment']>[0]) => {
    const result = await treasury().payAsAgent(payment(over))
    if (!result.ok) return null
    return (await final(result.value.payment.id)).id
  }
  await paid({ to: toShop, amount: usdc('1.5') })
  await paid({ to: { type: 'contact', contactId: 'contact_1' }, amount: usdc('2') })
  expect(await paid({ to: toShop, amount: usdc('51') }), 'over budget').toBeNull()
  const sent = unwrap(await treasury().send(payment({ principal: owner, to: toShop, amount: usdc('4') })))
  await final(sent.id)
  const payouts: string[] = []
  for (const amount of ['5', '6', '7']) {
    const id = (await paid({ to: toAnna, amount: usdc(amount) }))!
    payouts.push(id)
    await payer.payoutBecomes(id, 'CREATED')
  }
  const [withdrawn, reclaimed] = payouts as [string, string, string]
  expect((await treasury().claim({ payoutId: withdrawn, codeVersion: 1, to: fresh('anna') })).ok).toBe(true)
  expect((await treasury().reclaim(reclaimed)).ok).toBe(true)
  await payer.payoutBecomes(withdrawn, 'WITHDRAWN')
  await payer.payoutBecomes(reclaimed, 'RECLAIMED')
  await payer.returnedIsFinal()
}

test('overview and usage match the totals of the transaction list @figures-1', async () => {
  const payer = await createPayer({ limit: '50' })
  await createHistory(payer)
  const overview = await overviewOf(payer)
  expect(overview).toMatchObject({
    totalBalance: '180.5', // 200 − 1.5 − 2 − 4 − 5 − 7
    totalSpent: '12.5', // 1.5 + 2 + 4 + 5
    held: '0',
    average: '3.125',
    confirmed: 4,
    failed: 1,
    successRate: 80,
    failedToday: 1,
    transactionCount: 7,
    pendingPayouts: { count: 1, amount: '7' },
    walletCount: 1,
    payingWalletId: payer.wallet.id,
    groupCount: 1,
    agentCount: 1,
    activeAgentCount: 1,
    topWallets: [{ id: payer.wallet.id, count: 6, spent: '12.5' }],
    activeAgents: [{ transactionCount: 5, totalSpent: '8.5' }],
    budgets: [{ limit: '50', spent: '8.5', held: '7', percentUsed: 31 }],
  })
  expect(overview.methods).toEqual(
    expect.arrayContaining([
      { method: 'email', count: 2, amount: '12' },
      { method: 'address', count: 2, amount: '5.5' },
      { method: 'contact', count: 1, amount: '2' },
    ]),
  )
  for (const by of ['agent', 'group'] as const) {
    const { days, series } = unwrap(await payer.treasury().reports().spending({ days: 7, by }))
    expect(days).toHaveLength(7)
    expect(series.map(({ kind, count, total }) => [kind, count, total])).toEqual([
      [by, 3, '8.5'], // 1.5 + 2 + the withdrawn payout's 5
      ['user', 1, '4'],
    ])
    for (const { amounts, total } of series)
      expect(amounts.reduce((sum, amount) => sum + usdc(amount), 0n)).toBe(usdc(total))
  }
  const [group] = await payer.policies().groups()
  const history = await payer.treasury().reports().budgetHistory(group!.policyGroup.id, { days: 30 })
  expect(history.ok && history.value.days.at(-1)).toMatchObject({ limit: '50', spent: '8.5' })
  expect(history.ok && history.value.changes).toMatchObject([{ kind: 'created', amount: null, limit: '50' }])
  expect(overview.recipients.map(({ name, recipient: to, amount }) => [name, to, amount])).toEqual(
    expect.arrayContaining([
      [null, recipient, '5.5'],
      ['Ada', expect.stringMatching(/^0x/), '2'],
    ]),
  )

  expect((await payer.policies().pause({ kind: 'account' }, true)).ok).toBe(true)
  expect(await overviewOf(payer), 'all paused at once').toMatchObject({
    agentCount: 1,
    activeAgentCount: 0,
  })

  const usage = await payer.treasury().reports().usage()
  // The key's own figure: a returned payout and one that waits have used up its limit as well.
  expect(usage.globalBudget).toMatchObject({ currentSpent: '12.5', limit: '1000', percentUsed: 1, remaining: '987.5' })
  expect(usage.sessionKeys).toMatchObject({ limit: '1000', used: '25.5', remaining: '974.5', percentUsed: 2 })
  expect(usage.globalBudget.currentPeriod).toBe(usage.globalBudget.periodStart.slice(0, 7))
  expect(usage.wallets).toMatchObject([
    {
      sessionKeyBudget: { currentSpent: '12.5', limit: '1000', percentUsed: 1 },
      policyGroups: [
        {
          budget: { hasLimit: true, limit: '50', currentSpent: '8.5', held: '7', remaining: '34.5', percentUsed: 31 },
          agents: [{ transactionCount: 5, totalSpent: '8.5' }],
        },
      ],
    },
  ])

  // The lists add up to the same totals, and show as many payments as each figure counts.
  await syncHistory(payer)
  for (const [name, total] of Object.entries({ payments: 7, accepted: 6, completed: 4, ended: 5, failed_24h: 1 })) {
    const figure = name as FigureName
    const paging = { page: 1, pageSize: 25 }
    const filter = { figure, network: 'base', now: Date.now() } as const
    const found = await historyOf(payer).transactions('ses_test', filter, paging)
    expect([name, unwrap(found as Result<Listed<Transaction>>).page.total]).toEqual([name, total])
  }
  const results = await historyRows<{ body: string }>(payer, 'SELECT body FROM transaction_view')
  const listed = results.map(({ body }) => JSON.parse(body) as Transaction)
  const spent = listed
    .filter((row) => row.status === 'CONFIRMED' && /^(address|contact|escrow)$/.test(row.category))
    .reduce((sum, row) => sum + usdc(row.amountUsdc), 0n)
  expect(spent).toBe(usdc(overview.totalSpent))
  expect(usdc(overview.totalBalance!)).toBe(await chain.usdcBalance(payer.wallet.address as `0x${string}`))
})

test('the transactions CSV has every movement of money: opening balance and changes add up to the closing balance @screens-34', async () => {
  const home = await createAccountFixture(await createTestApp())
  const to = { type: 'address', address: fresh('shop') }
  const paid = await home.pay({ to, amount: '1.5' })
  const payout = await home.createPayout({ amount: '2' })
  await home.asOwner('POST', `/escrow/${payout.id}/reclaim`)
  await until('all confirmed', async () => {
    const { data } = (await home.asOwner('GET', '/transactions/user')).json
    const [payment, reclaim] = [paid.json.id, `${payout.id}:reclaim`].map((id) =>
      data.find((row: Transaction) => row.id === id),
    )
    return payment?.status === 'CONFIRMED' && reclaim?.status === 'CONFIRMED'
  })
  const csv = async (query: string) => {
    const { text } = await home.asOwner('GET', `/transactions/export?${query}`)
    const [header, ...lines] = text
      .trim()
      .split('\r\n')
      .map((line) => line.split(','))
    return lines.map((cells) => Object.fromEntries(cells.map((cell, i) => [header![i]!, cell])))
  }
  const rows = await csv(`wallet=${home.wallet}`)
  const changes = rows.map((row) => [row.Type, row['Balance change (USDC)']])
  expect(changes).toEqual([
    ['escrow_reclaim', '2'],
    ['escrow', '-2'],
    ['address', '-1.5'],
    ['deposit', '50'],
    ['opening_balance', ''],
    ['closing_balance', ''],
  ])
  const balanceOf = (type: string) => rows.find(({ Type }) => Type === type)!['Amount (USDC)']
  expect([balanceOf('opening_balance'), balanceOf('closing_balance')]).toEqual(['0', '48.5'])
  expect(rows[3]!['Spent (USDC)'], 'a deposit is not spent').toBe('0')
  expect(
    (await csv('type=deposit')).map(({ Type }) => Type),
    'no balances between rows that a filter left out',
  ).toEqual(['deposit'])
})

test('reclaim all returns every unclaimed payout, also when requested twice, and ignores ended ones @figures-2', async () => {
  const payer = await createPayer()
  const ids: string[] = []
  for (let i = 0; i < 4; i++) {
    const made = await accepted(payer, { to: toAnna, amount: usdc('2') })
    ids.push(made.id)
  }
  const status = async (id: string) => {
    const found = await payer.treasury().escrow(id)
    return found.ok ? found.value.status : null
  }
  await until('all claimable', async () => (await Promise.all(ids.map(status))).every((one) => one === 'CREATED'))
  expect((await payer.treasury().claim({ payoutId: ids[0]!, codeVersion: 1, to: fresh('anna') })).ok).toBe(true)
  const first = await payer.treasury().reclaimAll()
  expect(first).toEqual({ ok: true, value: { count: 3, total: '6' } })
  await payer.treasury().reclaimAll()
  await until('all ended', async () =>
    (await Promise.all(ids.map(status))).every((one, i) => one === (i === 0 ? 'WITHDRAWN' : 'RECLAIMED')),
  )
  expect(await payer.treasury().reclaimAll()).toEqual({ ok: true, value: { count: 0, total: '0' } })
  await until('books at rest', async () => (await payer.ledger()).held === '0')
  const books = await payer.booksBalance()
  expect(usdc(books.chainBalance!)).toBe(usdc('198'))
})
