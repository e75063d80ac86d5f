/** Who was paid, what an agent wanted and got, and what would have let refused payments pass. */
import type { Page } from '@playwright/test'
import type { AgentRequests, PaidTo, Refusals } from '#schemas/answers.ts'
import { audit } from './audit.ts'
import { beSignedIn, expect, test } from './fixtures.ts'

const moneyIn = (text: string) => /\$([\d,]+\.\d+)/.exec(text)![0]
/** The list behind a figure says the same sum. */
const expectList = (page: Page, sum: string) =>
  expect(page.getByRole('status').filter({ hasText: /Spent:|Together:/ })).toContainText(`${sum} USDC`)

test.describe('answers', () => {
  test.beforeEach(({ context, seeded }) => beSignedIn(context, seeded))

  test('usage shows who was paid this month and week, each with the payments behind it @answers-9', {
    tag: '@core',
  }, async ({ page }) => {
    await page.setViewportSize({ width: 1500, height: 900 })
    await page.goto('/dashboard/overview')
    await page.getByRole('link', { name: 'Usage', exact: true }).click()
    const card = page.getByRole('region', { name: 'Who was paid' })
    const row = card.getByRole('listitem').filter({ hasText: 'Grace Hopper' }).first()
    await expect(row).toContainText('nothing last month')
    await expect(card).toContainText(/vs\. .+, in UTC/)
    await card.scrollIntoViewIfNeeded()
    await audit(page, 'answers-usage')
    await card.getByRole('button', { name: 'This week' }).press('Enter')
    await expect(page).toHaveURL(/period=week/)
    await expect(row).toContainText('nothing last week')
    const sum = moneyIn((await row.textContent())!)
    await row.getByRole('link').press('Enter')
    await expectList(page, sum)
    expect(page.url(), 'URLs do not name people').not.toMatch(/grace|0x7099/i)
    await page.goBack()
    await card.getByRole('button', { name: 'By seller' }).click()
    await expect(card).toContainText('No purchases this week or last week.')
  })

  test('an agent’s page shows what it wanted and got, by answer and by rule, each with its list @answers-10', async ({
    page,
  }) => {
    await page.goto('/dashboard/agents')
    await page.getByRole('button', { name: /^Scout/ }).click()
    await page.getByRole('link', { name: 'This week and month' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Scout')
    const requests = page.getByRole('region', { name: 'Requests' })
    await expect(requests).toContainText(/Got \$[\d.]+ USDC of \$[\d.]+ USDC that it asked for, \d+%/)
    await audit(page, 'answers-agent')
    const rule = page.getByRole('region', { name: 'By rule' }).getByRole('listitem').filter({ hasText: 'Budget limit' })
    await expect(rule).toContainText('Budget limit of $61.50 USDC would have let')
    const sum = moneyIn((await rule.textContent())!)
    await rule.getByRole('link').click()
    await expectList(page, sum)
    await expect(page.getByRole('button', { name: /Rule: Budget limit/ })).toBeVisible()
    await page.goBack()
    await page.getByRole('button', { name: 'This month' }).click()
    await expect(requests).toContainText('Last month')
    const allowed = requests.getByRole('term').filter({ hasText: 'Allowed by the rules' }).locator('xpath=..')
    const got = moneyIn((await allowed.textContent())!)
    await allowed.getByRole('link').click()
    await expectList(page, got)
  })

  test('usage shows refusals by rule and agent, and what would have let them pass @answers-11', async ({ page }) => {
    await page.goto('/dashboard/usage')
    const row = page
      .getByRole('list', { name: 'Refusals by rule and agent' })
      .getByRole('listitem')
      .filter({ hasText: 'Scout' })
      .filter({ hasText: 'Budget limit' })
    await expect(row).toContainText('Budget limit of $61.50 USDC would have let')
    await row.getByRole('link', { name: 'Scout' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Scout')
  })
})

const days = { days: '2026-11-01..2026-11-30', daysBefore: '2026-10-01..2026-10-31' }
const longName = 'x'.repeat(60)
const rightToLeft = 'חברת החשמל והמים'
const answer = (data: unknown) => ({ json: { success: true, data } })

test.describe('answers in rare states', () => {
  test.beforeEach(({ context, seeded }) => beSignedIn(context, seeded))
  test.use({ tolerated: /status of (404|503)/ })

  test('long and right-to-left names, the smallest and largest amounts, nothing, and failures @answers-12', async ({
    page,
    seeded,
  }) => {
    const paid = (i: number, over: Partial<PaidTo['rows'][number]>): PaidTo['rows'][number] => ({
      ...{ lastPaymentId: `pay_${i}`, seller: null, contactId: null, name: null, recipient: `0x${'0'.repeat(39)}${i}` },
      ...{ spent: '1', earlier: '0', ...over },
    })
    const full: PaidTo = {
      ...{ ...days, spent: '9999999.999999', earlier: '12' },
      rows: [
        paid(1, { name: longName, spent: '9999999.999999', earlier: '9999999.999999' }),
        paid(2, { name: rightToLeft, spent: '0.000001', earlier: '10' }),
        paid(3, { seller: `${'a'.repeat(60)}.example.com:8443` }),
        paid(4, { recipient: `${'b'.repeat(60)}@example.com`, spent: '0', earlier: '2' }),
      ],
      others: { count: 9_996, spent: '1234.5', earlier: '0' },
    }
    const refused: Refusals = {
      ...{ ...days, others: 7 },
      rows: [
        {
          ...{ agentId: 'agt_1', agentName: longName, answer: 'refused', chain: 'base', count: 12_345, next: null },
          ...{ rules: ['group.budget_per_day'], amount: '9999999.999999', limitToPass: '0.000001' },
        },
        {
          ...{ agentId: 'agt_2', agentName: rightToLeft, answer: 'refused', chain: 'base-sepolia', count: 1 },
          ...{ rules: ['whitelist'], amount: '1', limitToPass: null, next: 'Whitelist the contact.' },
        },
      ],
    }
    let fails = true
    await page.route('**/api/usage/recipients*', (route) =>
      fails ? route.fulfill({ status: 503, json: { success: false, error: 'Busy.' } }) : route.fulfill(answer(full)),
    )
    await page.route('**/api/usage/refusals*', (route) => route.fulfill(answer(refused)))
    await page.goto('/dashboard/usage')
    const card = page.getByRole('region', { name: 'Who was paid' })
    await expect(card.getByRole('alert')).toBeVisible()
    fails = false
    await card.getByRole('button', { name: 'Try again' }).click()
    await expect(card).toContainText('9,996 others got $1,234.50 this month and $0.00 last month.')
    await expect(card).toContainText('$0.000001')
    await expect(page.getByRole('region', { name: 'Refusals' })).toContainText('and 7 other refusals')
    await card.getByRole('button', { name: 'Show more' }).scrollIntoViewIfNeeded()
    await audit(page, 'answers-extremes', [390, 820, 1400])

    const none = { ...days, spent: '0', earlier: '0', rows: [], others: { count: 0, spent: '0', earlier: '0' } }
    await page.route('**/api/usage/recipients*', (route) => route.fulfill(answer(none)))
    await page.route('**/api/usage/refusals*', (route) => route.fulfill(answer({ ...refused, rows: [], others: 0 })))
    await page.reload()
    await expect(card).toContainText('Nothing spent this month or last month.')
    await expect(page.getByRole('region', { name: 'Refusals' })).toContainText('No rule refused a payment this month.')

    const requests: AgentRequests = {
      ...{ ...days, agent: { id: 'agt_1', name: longName, isDeleted: false }, earlier: [] },
      sums: refused.rows.slice(0, 1),
    }
    await page.route('**/api/usage/agents/*', (route) => route.fulfill(answer(requests)))
    await page.goto('/dashboard/agents/agt_1')
    await expect(page.getByRole('region', { name: 'Requests' })).toContainText('0%')
    await audit(page, 'answers-agent-extremes', [390, 820, 1400])
    await page.route('**/api/usage/agents/*', (route) => route.fulfill(answer({ ...requests, sums: [] })))
    await page.getByRole('button', { name: 'This month' }).click()
    await expect(page.getByRole('region', { name: 'Requests' })).toContainText('No requests this month.')
    await page.unrouteAll()
    await page.goto(`/dashboard/agents/${seeded.wallet.id}`)
    await expect(page.getByRole('alert')).toContainText('Agent not found.')
  })
})
