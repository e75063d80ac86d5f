/** Lists and usage in states that the seeded account does not reach: slow, partly done. */
import type { Page } from '@playwright/test'
import { dayMs } from '#domain/time.ts'
import type { Page as ListPage } from '#schemas/common.ts'
import type { Escrow } from '#schemas/escrow.ts'
import type { BudgetHistory, Spending, Usage } from '#schemas/usage.ts'
import { audit } from './audit.ts'
import { beSignedIn, expect, test } from './fixtures.ts'

const answer = (data: unknown, page?: ListPage) => ({
  json: { success: true, data, ...(page && { page }) },
})

test.beforeEach(({ context, seeded }) => beSignedIn(context, seeded))

test('the list of transactions is refreshed every 30 seconds, but not while a detail is open @list-states-2', async ({
  page,
  watch,
}) => {
  await page.clock.install()
  await page.goto('/dashboard/transactions')
  await expect(page.getByRole('table', { name: 'Transactions' })).toBeVisible()
  const listRequests = () => watch.requests.filter((url) => new URL(url).pathname === '/api/transactions/user').length
  const before = listRequests()
  await page.clock.runFor(31_000)
  await expect.poll(listRequests).toBe(before + 1)
  await page
    .getByRole('link', { name: /^View details/ })
    .first()
    .press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Transaction details' })
  await expect(dialog).toContainText('ID')
  await page.clock.runFor(95_000)
  expect(listRequests()).toBe(before + 1)
})

test('shows each status in plain words, an unknown recipient and a slow refresh @list-states-11', async ({ page }) => {
  const at = new Date().toISOString()
  const rowOf = (status: string, category = 'address', over = {}) => ({
    id: `pay_${status}_${category}`,
    status,
    category,
    amountUsdc: '5',
    createdAt: at,
    agent: null,
    contact: null,
    toAddress: `0x${'12'.repeat(20)}`,
    fromWalletChain: 'base',
    txHash: `0x${'34'.repeat(32)}`,
    memo: `${status} ${category}`,
    errorMessage: null,
    refusal: null,
    recipientEmail: null,
    recipientPhone: null,
    timeline: { decidedAt: at },
    ...over,
  })
  const refusal = { rule: 'group.budget_per_day', next: 'x' }
  const paid = ['−$5.00 USDC', ''] as const
  const held = ['$5.00 USDC', 'Held'] as const
  const unmoved = ['$5.00 USDC', ''] as const
  const expected: [row: object, shown: RegExp, moved: readonly [amount: string, word: string]][] = [
    [rowOf('QUEUED'), /Pending$/, held],
    [rowOf('PROCESSING'), /Pending$/, held],
    [rowOf('CONFIRMED'), /Completed$/, paid],
    [rowOf('FAILED', 'address', { errorMessage: 'Reverted.' }), /Failed\s*Reverted\.$/, unmoved],
    [rowOf('EXPIRED'), /Failed$/, unmoved],
    [rowOf('CANCELLED'), /Failed$/, unmoved],
    [rowOf('VALIDATION_FAILED'), /Failed$/, unmoved],
    [rowOf('POLICY_REJECTED', 'address', { refusal, errorMessage: 'x' }), /Failed\s*Daily budget$/, unmoved],
    [rowOf('PENDING', 'escrow'), /^Awaiting Claim$/, paid],
    [rowOf('CONFIRMED', 'escrow'), /Completed\s*Funds Withdrawn$/, paid],
    [rowOf('CANCELLED', 'escrow', { toAddress: null }), /Failed\s*Funds Reclaimed$/, ['−$5.00 USDC', 'Was in payout']],
    [rowOf('CONFIRMED', 'deposit', { fromAddress: `0x${'56'.repeat(20)}` }), /Completed$/, ['+$5.00 USDC', 'Received']],
    [rowOf('CONFIRMED', 'withdrawal'), /Completed$/, ['−$5.00 USDC', 'Withdrawn']],
    [rowOf('CONFIRMED', 'escrow_withdraw'), /Completed$/, ['$5.00 USDC', 'Withdrawn']],
    [rowOf('CONFIRMED', 'escrow_reclaim', { toAddress: null }), /Completed$/, ['+$5.00 USDC', 'Returned']],
  ]
  const page1 = { number: 1, size: 25, total: expected.length }
  let delay: Promise<void> | null = null
  await page.route('**/api/transactions/user*', async (route) => {
    await delay
    await route.fulfill(
      answer(
        expected.map(([row]) => row),
        page1,
      ),
    )
  })
  await page.clock.install()
  await page.goto('/dashboard/transactions')
  const rows = page.getByRole('table', { name: 'Transactions' }).getByRole('row')
  await expect(rows).toHaveCount(expected.length + 1)
  for (const [i, [, shown, moved]] of expected.entries()) {
    const cells = rows.nth(i + 1).getByRole('cell')
    await expect(cells.nth(5)).toHaveText(shown)
    await expect(cells.nth(4)).toHaveText(moved.join(''))
  }
  await expect(rows.last().getByRole('cell').nth(3)).toContainText('Not specified')
  await audit(page, 'transactions-moved')
  await test.step('on a phone, too, sign and word tell what was paid, is held and came back @list-states-14', async () => {
    await page.setViewportSize({ width: 320, height: 700 })
    for (const [i, [, , [amount, word]]] of expected.entries()) {
      const lines = rows.nth(i + 1).getByRole('paragraph')
      await expect(lines.nth(1)).toHaveText(amount)
      await expect(lines.nth(2)).toContainText(word)
      expect(await lines.nth(0).evaluate((title) => title.clientWidth), 'space for the name').toBeGreaterThan(90)
    }
    await page.setViewportSize({ width: 1400, height: 900 })
  })

  await expect(page.getByText('Syncing...')).toHaveCount(0)
  let arrive = () => {}
  delay = new Promise((resolve) => {
    arrive = resolve
  })
  await page.clock.runFor(31_000)
  await expect(page.getByText('Syncing...')).toBeVisible()
  await expect(rows, 'old rows stay meanwhile').toHaveCount(expected.length + 1)
  arrive()
  await expect(page.getByText('Syncing...')).toHaveCount(0)
})

test('a filter that did not search all transactions says how far it went @list-states-13', async ({ page }) => {
  await page.route(/\/api\/transactions\/user/, (route) =>
    route.fulfill(
      answer([], {
        number: 1,
        size: 25,
        total: 0,
        searchedFrom: '2026-03-04T12:00:00Z',
        spent: { base: '0', 'base-sepolia': '0' },
      }),
    ),
  )
  await page.goto('/dashboard/transactions?type=payout')
  await expect(
    page.getByText(
      'Filters search the newest 10,000 transactions of the chosen days. These go back to Mar 4, 2026: choose that as the last day to search older ones.',
    ),
  ).toBeVisible()
  await expect(page.getByText('No transactions match your filters.')).toBeVisible()
  await audit(page, 'transactions-searched')
})

test('a payment’s detail shows when it was decided, signed, sent and confirmed @list-states-3', async ({ page }) => {
  await page.goto('/dashboard/transactions?status=completed&type=transfer')
  await page
    .getByRole('link', { name: /^View details/ })
    .first()
    .click()
  const dialog = page.getByRole('dialog', { name: 'Transaction details' })
  for (const step of ['Accepted', 'Signed', 'Sent to the network', 'Confirmed on Base'])
    await expect(dialog.getByRole('listitem').filter({ hasText: step }).getByRole('time')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Copy transaction hash' })).toBeVisible()
  await audit(page, 'transactions-detail')
  await test.step('a dialog that only shows something closes on a press outside, but not on a toast @screens-26', async () => {
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))
    })
    await dialog.getByRole('button', { name: 'Copy transaction hash' }).click()
    await page.getByRole('log').getByText('Failed to copy').click()
    // A dialog that is about to close is still visible, so it is used once more.
    await expect(page).toHaveURL(/detail=/)
    await dialog.getByRole('button', { name: 'Copy transaction hash' }).click()
    await expect(page.getByRole('log')).toContainText('Failed to copy')
    await page.mouse.click(10, 400)
    await expect(dialog).toBeHidden()
  })
  await page.goto('/dashboard/transactions?type=payout&status=pending')
  await page
    .getByRole('link', { name: /^View details/ })
    .first()
    .click()
  await expect(dialog).toContainText('Awaiting Claim')
  await dialog.getByRole('button', { name: 'Reclaim Funds' }).click()
  await expect(page.getByRole('alertdialog', { name: 'Reclaim payout' })).toBeVisible()
  await page.keyboard.press('Escape')
})

test('an email that bounced is shown in the list and in the details @list-states-8', async ({ page }) => {
  const at = new Date().toISOString()
  const payout = {
    id: 'pay_1',
    escrowId: 'pay_1',
    sourceWallet: null,
    amount: '5',
    status: 'CREATED',
    inProgress: null,
    recipientEmail: 'ann@bursar.test',
    recipientPhone: null,
    createdAt: at,
    expiresAt: new Date(Date.now() + dayMs).toISOString(),
    escrowSubwalletAddress: `0x${'12'.repeat(20)}`,
    delivery: { channel: 'email', state: 'bounced', at },
  }
  const to = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  const claimed = {
    ...payout,
    id: 'pay_2',
    escrowId: 'pay_2',
    status: 'WITHDRAWN',
    withdrawnToAddress: to.toLowerCase(),
  }
  const down = { ...payout, id: 'pay_3', escrowId: 'pay_3', delivery: null, linkTakenDown: true }
  await page.route(/\/api\/escrow\/list/, (route) =>
    route.fulfill(answer({ escrows: [payout, claimed, down] }, { number: 1, size: 25, total: 3 })),
  )
  // The details load separately if they open before the list has loaded.
  for (const one of [claimed, down]) await page.route(`**/api/escrow/${one.id}`, (route) => route.fulfill(answer(one)))
  await page.route('**/api/escrow/pay_1/link', (route) => route.fulfill(answer({ claimUrl: 'https://x.test/claim/t' })))
  await page.goto('/dashboard/payouts')
  // After a payout has ended, the state of its message no longer matters.
  await expect(page.getByText('Email bounced')).toHaveCount(1)
  await page
    .getByRole('link', { name: /^View details/ })
    .first()
    .click()
  const dialog = page.getByRole('dialog', { name: 'Payout details' })
  await expect(dialog.getByRole('alert')).toContainText('Email bounced. If ann@bursar.test is not the right recipient')
  await expect(dialog.getByText(/^Email bounced, /)).toBeVisible()
  await audit(page, 'payout-bounced')

  await test.step('a link that the operator took down is marked and hidden @list-states-12', async () => {
    await page.keyboard.press('Escape')
    await expect(page.getByText('Link taken down')).toHaveCount(1)
    await page.goto('/dashboard/payouts?detail=pay_3')
    await expect(dialog.getByRole('alert')).toContainText('The operator has taken this payout’s link down')
    await expect(dialog.getByText('Claim link'), 'it should not be passed on').toHaveCount(0)
    await expect(dialog.getByRole('button', { name: 'Reclaim funds' })).toBeVisible()
  })

  await test.step('the address that withdrew has its checksum @list-states-15', async () => {
    await page.goto('/dashboard/payouts?detail=pay_2')
    await expect(dialog.getByTitle(to)).toBeVisible()
  })
})

test.describe('one payout', () => {
  test.use({ tolerated: /status of (409|500)/ })

  test('a payout opened by its URL shows its funding, adds its recipient as a contact and explains a refused reclaim @list-states-9', async ({
    page,
  }) => {
    const at = new Date().toISOString()
    let payout = {
      id: 'pay_1',
      escrowId: 'pay_1',
      sourceWallet: null,
      amount: '5',
      status: 'CREATING',
      inProgress: null,
      recipientEmail: null,
      recipientPhone: '+14155550188',
      createdAt: at,
      updatedAt: at,
      fundedAt: null as string | null,
      withdrawnAt: null,
      reclaimedAt: null as string | null,
      expiresAt: new Date(Date.now() + dayMs).toISOString(),
      escrowSubwalletAddress: `0x${'12'.repeat(20)}`,
      delivery: null,
      errorMessage: null as string | null,
    }
    await page.route(/\/api\/escrow\/list/, (route) =>
      route.fulfill(answer({ escrows: [] }, { number: 1, size: 25, total: 0 })),
    )
    await page.route('**/api/escrow/pay_1', (route) => route.fulfill(answer(payout)))
    await page.route('**/api/escrow/pay_1/link', (route) =>
      route.fulfill(answer({ claimUrl: 'https://x.test/claim/t' })),
    )
    let contacts: unknown[] = []
    let refusal: { status: number; error: string } = { status: 500, error: 'Something went wrong' }
    await page.route('**/api/contacts/matches?*', (route) =>
      route.fulfill(answer({ contacts, total: contacts.length, lookAlike: null })),
    )
    await page.route('**/api/contacts', (route) => {
      if (refusal.error) return route.fulfill({ status: refusal.status, json: { success: false, ...refusal } })
      const contact = { id: 'con_1', address: null, email: null, ...route.request().postDataJSON() }
      contacts = [contact]
      return route.fulfill(answer(contact))
    })
    await page.route('**/api/escrow/pay_1/reclaim', (route) =>
      route.fulfill({ status: refusal.status, json: { success: false, ...refusal } }),
    )

    await page.goto('/dashboard/payouts?detail=pay_1')
    const dialog = page.getByRole('dialog', { name: 'Payout details' })
    await expect(dialog).toContainText('Funding on Base')
    payout = { ...payout, status: 'CREATED', fundedAt: at }
    await expect(dialog).toContainText('Waiting for the recipient')
    await audit(page, 'payout-by-phone')

    await dialog.getByRole('button', { name: 'Add as Contact' }).click()
    const adding = page.getByRole('dialog', { name: 'Add as Contact' })
    await expect(adding).toContainText('+14155550188')
    await adding.getByLabel('Name').fill('Ann')
    await adding.getByRole('button', { name: 'Add Contact' }).click()
    await expect(adding.getByRole('alert')).toHaveText('Failed to add contact')
    refusal = { status: 200, error: '' }
    await adding.getByRole('button', { name: 'Add Contact' }).click()
    await expect(page.getByText('Ann was added to your contacts.')).toBeVisible()
    await expect(dialog.getByRole('button', { name: 'Add as Contact' })).toHaveCount(0)

    await dialog.getByRole('button', { name: 'Reclaim funds' }).click()
    refusal = { status: 409, error: 'Something went wrong' }
    await page.getByRole('button', { name: 'Reclaim 5.00 USDC' }).click()
    const failed = page.getByRole('alertdialog', { name: 'Payout not reclaimed' })
    await expect(failed.getByRole('alert')).toHaveText('Failed to reclaim payout')
    await audit(page, 'payout-not-reclaimed')
    refusal = { status: 409, error: 'The recipient is claiming this payout right now.' }
    await failed.getByRole('button', { name: 'Try again' }).click()
    await expect(failed.getByRole('alert')).toHaveText('The recipient is claiming this payout right now.')
    await failed.getByRole('button', { name: 'Close' }).first().click()
    await test.step('funding, claim and reclaim are one story, with what each did to the wallet @screens-44', async () => {
      payout = { ...payout, status: 'RECLAIMED', reclaimedAt: at }
      await page.reload()
      const steps = dialog.getByRole('list', { name: 'Progress' }).getByRole('listitem')
      await expect(steps).toHaveText([
        /^Accepted/,
        /^Funded from the wallet−\$5\.00/,
        /^Returned to the wallet\+\$5\.00/,
      ])
      await audit(page, 'payout-returned')
    })
    payout = { ...payout, status: 'FAILED' }
    await page.reload()
    await expect(dialog.getByRole('alert')).toHaveText('Failed to create payout. Please try again or contact support.')
  })
})

test.describe('reclaim all', () => {
  test.use({ tolerated: /status of 500/ })
  const payouts = Array.from({ length: 3 }, (_, i) => ({
    id: `pay_${i}`,
    escrowId: `pay_${i}`,
    sourceWallet: null,
    amount: '5',
    status: 'CREATED',
    inProgress: null,
    recipientEmail: `person${i}@bursar.test`,
    recipientPhone: null,
    memo: null,
    createdAt: new Date().toISOString(),
    expiresAt: new Date(Date.now() + dayMs).toISOString(),
  })) as Escrow[]

  /** Serves the list from `shown`, which the test may change, and starts to reclaim everything. */
  async function startReclaimAll(page: Page, shown: { payouts: Escrow[]; failsWith?: number | undefined }) {
    await page.route(/\/api\/escrow\/list/, (route) => {
      const query = new URL(route.request().url()).searchParams
      const status = query.get('status')
      const rows = shown.payouts.filter((payout) => !status || status.split(',').includes(payout.status))
      return route.fulfill(answer({ escrows: rows }, { number: 1, size: 100, total: rows.length }))
    })
    await page.route('**/api/escrow/reclaim-all', (route) =>
      route.fulfill(
        shown.failsWith === undefined
          ? answer({ count: 3, total: '15' })
          : { status: shown.failsWith, json: { success: false, error: 'Something went wrong', code: 'internal' } },
      ),
    )
    await page.clock.install()
    await page.goto('/dashboard/payouts')
    await page.getByRole('button', { name: 'Reclaim All Pending (3)' }).press('Enter')
    await page.getByRole('button', { name: 'Reclaim 3 payouts' }).press('Enter')
  }
  const running = (page: Page) => page.getByRole('dialog', { name: 'Reclaiming payouts' })

  test('names a payout that the recipient claimed first @list-states-4', async ({ page }) => {
    const shown: { payouts: Escrow[]; failsWith?: number | undefined } = { payouts, failsWith: 200 }
    await startReclaimAll(page, shown)
    const failed = page.getByRole('alertdialog', { name: 'Payouts not reclaimed' })
    await test.step('a failed reclaim request shows an error and can be retried @list-states-10', async () => {
      await expect(failed.getByRole('alert')).toHaveText('Failed to queue reclaims')
      shown.failsWith = 500
      await failed.getByRole('button', { name: 'Try again' }).click()
      await expect(failed.getByRole('alert')).toHaveText('Failed to reclaim payouts')
      shown.failsWith = undefined
      await failed.getByRole('button', { name: 'Try again' }).click()
    })
    await expect(running(page)).toContainText('0 of 3')
    shown.payouts = payouts.map((payout, i) => ({ ...payout, status: i === 0 ? 'CREATED' : 'RECLAIMED' }))
    await page.clock.runFor(2_100)
    await expect(running(page)).toContainText('2 of 3')
    await expect(page.getByText('Reclaimed', { exact: true }), 'in the list, while the rest continues').toHaveCount(2)
    shown.payouts = payouts.map((payout, i) => ({ ...payout, status: i === 0 ? 'WITHDRAWN' : 'RECLAIMED' }))
    await page.clock.runFor(2_100)
    await expect(failed.getByRole('alert')).toHaveText('Some payouts could not be reclaimed.')
    await expect(failed.getByRole('list', { name: 'Not reclaimed' }).getByRole('listitem')).toHaveText([
      /person0@bursar\.test/,
    ])
  })

  test('after 150 polls, the dialog says that some reclaims may still be in progress @list-states-5', async ({
    page,
  }) => {
    let polls = 0
    page.on('request', (request) => {
      const { pathname, searchParams: query } = new URL(request.url())
      // The page's own count of unclaimed payouts asks for page 1.
      if (pathname === '/api/escrow/list' && query.get('status') === 'CREATED' && !query.has('page')) polls += 1
    })
    await startReclaimAll(page, { payouts })
    await expect(running(page)).toContainText('0 of 3')
    const timeout = page.getByText('Timeout: Some reclaims may still be processing. Please check your payouts tab.')
    for (let i = 0; i < 200 && !(await timeout.isVisible()); i++) {
      await page.clock.runFor(2_000)
      await page.evaluate(() => null)
    }
    await expect(timeout).toBeVisible()
    expect(polls, 'one request for the payouts, then 150 polls').toBe(1 + 150)
  })
})

test('usage shows all wallets side by side and explains what is empty @list-states-6', async ({ page }) => {
  const key = {
    limit: '1000',
    used: '750',
    remaining: '250',
    percentUsed: 75,
    endsAt: '2026-12-10T12:00:00.000Z',
  }
  const wallet = (
    id: string,
    name: string | null,
    chain: Usage['wallets'][number]['chain'],
    policyGroups: Usage['wallets'][number]['policyGroups'],
  ) => ({
    id,
    name,
    address: '0x52908400098527886E0F7030069857D2E4169EE7',
    chain,
    sessionKeyBudget: { currentSpent: '900', limit: '1000', percentUsed: 90, remaining: '100' },
    sessionKey: key,
    policyGroups,
  })
  const unlimited = {
    hasLimit: false,
    limit: null,
    currentSpent: '12.5',
    held: '0',
    remaining: null,
    percentUsed: null,
    lastsUntil: null,
  }
  const limited = {
    hasLimit: true,
    limit: '100',
    currentSpent: '75',
    held: '5',
    remaining: '20',
    percentUsed: 80,
    lastsUntil: '2026-12-24T12:00:00.000Z',
  }
  const usage: Usage = {
    globalBudget: {
      currentSpent: '900',
      limit: '2000',
      percentUsed: 45,
      remaining: '1100',
      currentPeriod: '2026-11',
      periodStart: '2026-11-01T00:00:00.000Z',
      periodEnd: '2026-12-01T00:00:00.000Z',
      previous: { period: '2026-10', periodStart: '2026-10-01T00:00:00.000Z', spent: '640.25' },
    },
    sessionKeys: { limit: '2000', used: '1500', remaining: '500', percentUsed: 75, endsAt: key.endsAt },
    gasAllowance: {
      limit: 20_000_000,
      used: 5_000_000,
      remaining: 15_000_000,
      resetsAt: '2026-11-23T00:00:00.000Z',
      payments: 214,
    },
    wallets: [
      wallet('w1', null, 'base-sepolia', []),
      wallet('w2', 'Till', 'base', [
        { id: 'g1', name: 'Open', budget: unlimited, agents: [] },
        { id: 'g2', name: 'Bound', budget: limited, agents: [] },
      ]),
    ],
  }
  await page.route('**/api/usage/dashboard', (route) => route.fulfill(answer(usage)))
  const day = (i: number) => new Date(Date.UTC(2026, 9, 24 + i)).toISOString().slice(0, 10)
  const days = Array.from({ length: 30 }, (_, i) => i)
  const series = ['Scout', 'Buyer', 'Researcher', 'Courier', 'Night shift'].map((name, n) => {
    const amounts = days.map((i) => ((i * 7 + n * 5) % 11 > 4 ? String(((i * 3 + n * 13) % 17) / 2) : '0'))
    const total = String(amounts.reduce((sum, amount) => sum + Number(amount), 0))
    return { kind: 'agent' as const, id: name, name, order: n, count: 20, total, amounts }
  })
  const previous = days.map((i) => String((i * 5) % 13))
  const spending: Spending = { days: days.map(day), previous, series }
  await page.route('**/api/usage/spending*', (route) =>
    route.fulfill(answer(route.request().url().includes('wallet=w1') ? { ...spending, series: [] } : spending)),
  )
  const history: BudgetHistory = {
    days: days.map((i) => ({ day: day(i), limit: i < 9 ? '40' : i < 20 ? '75' : '100', spent: String(i * 2.5) })),
    changes: [
      { id: '3', at: `${day(20)}T10:00:00.000Z`, kind: 'topped_up', amount: '25', limit: '100' },
      { id: '2', at: `${day(9)}T10:00:00.000Z`, kind: 'changed', amount: null, limit: '75' },
    ],
    next: '1-1',
  }
  const earlier = [{ id: '1', at: '2026-09-01T10:00:00.000Z', kind: 'created', amount: null, limit: '40' }]
  await page.route('**/api/policy-groups/*/budget-history*', (route) =>
    route.fulfill(
      answer(
        route.request().url().includes('before=1-1') ? { ...history, changes: earlier, next: undefined } : history,
      ),
    ),
  )
  await page.goto('/dashboard/usage')
  const month = page.getByRole('region', { name: 'Monthly Account Spend' })
  await expect(month).toContainText('November 2026 · Nov 1, 2026 to Nov 30, 2026 (UTC)')
  await expect(month).toContainText('Dec 1, 2026, 00:00 UTC')
  await expect(month, 'unlike the days of lists').toContainText('Months and days here are in UTC')
  await expect(month).toContainText('Spent in October 2026$640.25 USDC')
  await expect(month).toContainText('The session keys can still pay $500.00 USDC of $2,000.00 USDC')
  const all = page.getByRole('region', { name: 'All Wallets' })
  await expect(all.getByRole('listitem')).toHaveCount(2)
  for (const text of ['Unnamed Wallet', 'Spent', 'Limit', 'Used %', '90%', 'Policy groups'])
    await expect(all.getByRole('listitem').first()).toContainText(text)
  await test.step('test money is marked and not part of the total @usage-3', async () => {
    await expect(all.getByRole('listitem').first()).toContainText('$900.00 Test USDC')
    await expect(all.getByRole('listitem').nth(1)).toContainText('$900.00 USDC')
    await expect(page.getByLabel('Wallet', { exact: true })).toContainText('Unnamed Wallet (test network)')
    await expect(page.getByRole('region', { name: 'Spending' })).toContainText('All wallets on Base')
  })
  await audit(page, 'usage-all-wallets')
  await all.getByRole('button', { name: 'View Details of Unnamed Wallet' }).click()
  await expect(page.getByText('No policy groups for this wallet')).toBeVisible()
  await expect(page.getByText('Spent This Month')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Unnamed Wallet' })).toContainText('$900.00 Test USDC')
  await expect(page.getByText('Nothing spent in the last 30 days.')).toBeVisible()
  await page.getByLabel('Wallet', { exact: true }).selectOption('w2')
  await expect(page.getByText('No budget limit')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Top Up/ })).toHaveCount(1)
  await expect(page.getByText('At this pace the budget lasts until Dec 24, 2026')).toBeVisible()
  await expect(page.getByRole('img', { name: '80% used' })).toHaveClass(/text-amber/)
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await expect(page.getByText('No agents in this group yet').filter({ visible: true })).toHaveCount(1)
  const changes = page.getByRole('list', { name: 'Changes of the budget' }).getByRole('listitem')
  await expect(changes).toHaveText([/^Topped up by \$25\.00 to \$100\.00/, /^Changed to \$75\.00/])
  await page.getByRole('button', { name: 'Show earlier changes' }).click()
  await expect(changes.nth(2)).toContainText('Created with a limit of $40.00')
  await audit(page, 'usage-wallet')
})
