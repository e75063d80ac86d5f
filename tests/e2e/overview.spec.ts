/** The overview: widgets, library, moving by mouse and keyboard, and storing the layout. */
import { randomUUID } from 'node:crypto'
import type { Locator, Page } from '@playwright/test'
import { widgetTypes } from '#domain/widgets.ts'
import type { CreatedAgent, PolicyGroup } from '#schemas/policy.ts'
import { payOnce } from '../support/agentCalls.ts'
import { within } from '../support/patience.ts'
import { createFundedWallet } from '../support/testStack.ts'
import { createAccount } from './accounts.ts'
import { audit } from './audit.ts'
import { beSignedIn, expect, test } from './fixtures.ts'
import { recipient } from './seededAccount.ts'

const widget = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
type Box = { x: number; y: number; width: number; height: number }
const place = async (page: Page, name: string) => {
  const box = await widget(page, name).boundingBox()
  return { x: Math.round(box!.x), y: Math.round(box!.y), width: Math.round(box!.width) }
}

test.describe('an account in use', () => {
  // One test stores a layout with more widgets, whose calls the other would count.
  test.describe.configure({ mode: 'serial' })
  test.beforeEach(({ context, seeded }) => beSignedIn(context, seeded))

  test('the overview opens with at most six calls and no layout shift, and its figures fit @overview-1', {
    tag: '@core',
  }, async ({ page, watch }) => {
    await page.addInitScript(() => {
      const seen = { shift: 0 }
      Object.assign(window, { seen })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) seen.shift += (entry as unknown as { value: number }).value
      }).observe({ type: 'layout-shift', buffered: true })
    })
    await page.goto('/dashboard/overview')
    await expect(widget(page, 'Recent Transactions').getByRole('listitem').first()).toBeVisible()
    await expect(widget(page, 'Total Balance').getByTestId('total-balance')).toHaveText(/^\$[\d,]+\.\d\d USDC$/)
    await expect(widget(page, 'Active Agents')).toContainText(/\d+of \d+ agents?/)
    await page.waitForLoadState('networkidle')
    const calls = watch.requests.map((url) => new URL(url).pathname).filter((path) => path.startsWith('/api/'))
    // Replace what is shown at first: a balance that is not current, and addresses by the names of contacts.
    const later = ['/api/overview/balance', '/api/contacts/names']
    expect(calls.filter((path) => !later.includes(path)).length, calls.join('\n')).toBeLessThanOrEqual(6)
    for (const path of later) expect(calls.filter((each) => each === path).length, path).toBeLessThanOrEqual(1)
    const shift = await page.evaluate(() => (window as unknown as { seen: { shift: number } }).seen.shift)
    expect(shift).toBeLessThanOrEqual(0.02)
    await test.step('rows are 80 px high, with 16 px between them @overview-17', async () => {
      const boxes = await Promise.all(
        ['Total Balance', 'Active Agents', 'Recent Transactions'].map((name) => widget(page, name).boundingBox()),
      )
      const [balance, agents, recent] = boxes.map((box) => box!) as [Box, Box, Box]
      expect([balance.height, recent.height]).toEqual([2 * 80 + 16, 4 * 80 + 3 * 16])
      expect(agents.x - balance.x - balance.width).toBeCloseTo(16, 1)
      expect(recent.y - balance.y - balance.height).toBeCloseTo(16, 1)
    })
    await audit(page, 'overview')
    await page.setViewportSize({ width: 390, height: 844 })
    const cut = () =>
      page
        .getByRole('main')
        .getByRole('region')
        .evaluateAll((cards) =>
          cards
            .flatMap((card) => [...card.querySelectorAll('p')])
            .filter(
              (text) => text.scrollWidth > text.clientWidth + 1 && getComputedStyle(text).textOverflow !== 'ellipsis',
            )
            .map((text) => text.textContent),
        )
    await expect.poll(cut, 'figures that do not fit').toEqual([])
  })

  test('every widget of the library loads, and one on the dashboard cannot be added again @overview-2', async ({
    page,
    bursar,
    seeded,
  }) => {
    await page.goto('/dashboard/overview')
    await expect(page.getByRole('button', { name: 'Add Widget' })).toBeDisabled()
    await page.getByRole('button', { name: 'Unlock layout' }).click()
    for (;;) {
      await page.getByRole('button', { name: 'Add Widget' }).click()
      const library = page.getByRole('dialog', { name: 'Widget Library' })
      await expect(library).toContainText('Add custom widgets to your dashboard')
      const cards = library.getByRole('listitem').getByRole('button')
      await expect(cards).toHaveCount(widgetTypes.length)
      const free = library.getByRole('listitem').getByRole('button', { disabled: false })
      if ((await free.count()) === 0) break
      await expect(library.getByText('Added', { exact: true })).toHaveCount(widgetTypes.length - (await free.count()))
      await free.first().click()
      await expect(library).toBeHidden()
    }
    const library = page.getByRole('dialog', { name: 'Widget Library' })
    await expect(library.getByText('Added', { exact: true })).toHaveCount(widgetTypes.length)
    await audit(page, 'overview-library')
    for (const [tab, count] of [
      ['stats', 11],
      ['data', 6],
      ['charts', 2],
      ['all', 19],
    ] as const) {
      await library.getByRole('button', { name: tab, exact: true }).click()
      await expect(library.getByRole('listitem')).toHaveCount(count)
    }
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Lock layout' }).click()
    await expect(page.getByRole('main').getByRole('region')).toHaveCount(widgetTypes.length)
    await expect(page.getByRole('main').getByLabel('Loading')).toHaveCount(0)
    await expect(widget(page, 'Total Spent')).toContainText(/\$[\d,.]+ in 30 days, /)
    await expect(widget(page, 'Total Balance')).toContainText('Nothing 30 days ago')
    await audit(page, 'overview-all-widgets')
    await test.step('the transfers chart can show more days, and groups @overview-16', async () => {
      const chart = widget(page, '7-Day Transfers')
      await expect(chart.getByRole('table', { name: 'Spent per day by agent, in USDC' }).getByRole('row')).toHaveCount(
        8,
      )
      await chart.getByRole('button', { name: '30 days' }).click()
      await chart.getByRole('button', { name: 'By group' }).click()
      await expect(chart.getByRole('heading')).toHaveText('30-Day Transfers')
      const table = chart.getByRole('table', { name: 'Spent per day by group, in USDC' })
      await expect(table.getByRole('row')).toHaveCount(31)
      await expect(table.getByRole('columnheader', { name: 'Research' })).toBeAttached()
    })
    await test.step('figures link to lists of what they count @overview-13', async () => {
      for (const [name, filter] of [
        ['Success Rate', /transactions\?figure=ended$/],
        ['Failed Transactions', /transactions\?figure=failed_24h$/],
        ['Pending Payouts', /payouts\?status=CREATING%2CCREATED&network=base$/],
      ] as const)
        await expect(widget(page, name).getByRole('link')).toHaveAttribute('href', filter)
      const recipients = widget(page, 'Recipient Activity').getByRole('listitem')
      await expect(recipients.first().getByRole('link')).toHaveAttribute(
        'href',
        /transactions\?recipientOf=pay_\w+&figure=paid$/,
      )
    })
    await test.step('every count that links to a list equals the length of that list @screens-53', async () => {
      const lengthOf = async (link: Locator) => {
        const url = new URL((await link.getAttribute('href'))!, page.url())
        const list = url.pathname.endsWith('/payouts') ? '/escrow/list' : '/transactions/user'
        url.searchParams.set('pageSize', '1')
        return (await bursar.call<{ page: { total: number } }>(`/api${list}${url.search}`, { token: seeded.token }))
          .body.page.total
      }
      const sumOf = (texts: RegExpMatchArray | null) => texts!.slice(1).reduce((sum, text) => sum + Number(text), 0)
      let compared = 0
      for (const [name, count] of [
        ['Transactions', /^Transactions\n+(\d+)/],
        ['Success Rate', /(\d+) completed, (\d+) failed/],
        ['Average Transaction', /of (\d+) completed/],
        ['Failed Transactions', /^Failed Transactions\n+(\d+)/],
        ['Pending Payouts', /^Pending Payouts\n+(\d+)/],
        ['Top Wallets', /(\d+) payments?/],
        ['Recipient Activity', /(\d+) payments?/],
      ] as const) {
        const rows = widget(page, name).getByRole('listitem')
        const parts = (await rows.count()) > 0 ? await rows.all() : [widget(page, name)]
        for (const part of parts) {
          const link = part.getByRole('link').last()
          // biome-ignore lint/performance/useDomNodeTextContent: it keeps the lines of a widget apart
          expect.soft(sumOf((await part.innerText()).match(count)), name).toBe(await lengthOf(link))
          compared++
        }
      }
      expect(compared).toBeGreaterThanOrEqual(6)
    })
    await page.getByRole('button', { name: 'Unlock layout' }).click()
    await page.getByRole('button', { name: 'Reset layout' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Reset layout' }).click()
    await expect(page.getByRole('main').getByRole('region')).toHaveCount(6)
  })
})

test('changes of the layout by mouse and keyboard, removed widgets and dismissed first steps are stored @overview-3', {
  tag: '@core',
}, async ({ page, context, bursar }) => {
  const account = await createAccount(bursar)
  await account.keep(context)
  await page.goto('/dashboard/overview')
  await expect(page.getByRole('region', { name: 'First steps' })).toBeVisible()
  await page.getByRole('button', { name: 'Dismiss first steps' }).click()
  await expect(page.getByRole('region', { name: 'First steps' })).toBeHidden()

  const saved = () =>
    page.waitForResponse((answer) => answer.url().endsWith('/api/preferences') && answer.request().method() === 'PUT')
  await expect(widget(page, 'Total Balance').locator('.drag')).toHaveCount(0)
  const before = await place(page, 'Active Agents') // unlocking replaces the grid with one that can be dragged
  await page.getByRole('button', { name: 'Unlock layout' }).click()

  await test.step('by mouse', async () => {
    const grip = widget(page, 'Total Balance').locator('.drag')
    await expect(grip).toBeVisible() // shown once the grid can be dragged
    const handle = (await grip.boundingBox())!
    const stored = saved()
    await page.mouse.move(handle.x + 10, handle.y + 10)
    await page.mouse.down()
    await page.mouse.move(handle.x + 330, handle.y + 12, { steps: 12 })
    await page.mouse.up()
    await stored
    expect((await place(page, 'Total Balance')).x).toBeGreaterThan(200)
  })

  await test.step('by keyboard', async () => {
    const at = await place(page, 'Quick Stats')
    const stored = saved()
    await page.getByRole('button', { name: 'Move or resize Quick Stats' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Narrower' }).press('Enter')
    await stored
    await expect.poll(async () => (await place(page, 'Quick Stats')).width).toBeLessThan(at.width)
    await expect(page.locator('[aria-live=polite]').filter({ hasText: 'Quick Stats, column' })).toHaveCount(1)
  })

  await test.step('removed from the dashboard', async () => {
    const stored = saved()
    await page.getByRole('button', { name: 'Remove Policy Groups' }).click()
    await stored
    await expect(widget(page, 'Policy Groups')).toHaveCount(0)
  })

  const arranged = await Promise.all(['Total Balance', 'Quick Stats', 'Active Agents'].map((name) => place(page, name)))
  expect(arranged[2]).not.toEqual(before)
  await page.reload()
  await expect(widget(page, 'Quick Stats')).toBeVisible()
  await expect(page.getByRole('region', { name: 'First steps' })).toBeHidden()
  await expect(widget(page, 'Policy Groups')).toHaveCount(0)
  await expect
    .poll(() => Promise.all(['Total Balance', 'Quick Stats', 'Active Agents'].map((name) => place(page, name))))
    .toEqual(arranged)

  await test.step('a narrower window shows another arrangement and stores nothing @overview-4', async () => {
    let puts = 0
    page.on('request', (request) => {
      if (request.method() === 'PUT') puts += 1
    })
    await page.setViewportSize({ width: 820, height: 900 })
    await expect.poll(async () => (await place(page, 'Total Balance')).width).toBeGreaterThan(300)
    await test.step('where widgets cannot be dragged, the page says so @screens-127', async () => {
      const why = page.getByText('Widgets can be dragged in a wider window.')
      await page.getByRole('button', { name: 'Unlock layout' }).click()
      await expect(why).toBeVisible()
      await page.getByRole('button', { name: 'Lock layout' }).click()
      await expect(why).toHaveCount(0)
    })
    await page.setViewportSize({ width: 1400, height: 900 })
    await expect
      .poll(() => Promise.all(['Total Balance', 'Quick Stats', 'Active Agents'].map((name) => place(page, name))))
      .toEqual(arranged)
    expect(puts).toBe(0)
  })
})

test('the first steps link to where they can be completed @overview-5', async ({ page, context, bursar }) => {
  const account = await createAccount(bursar)
  await account.keep(context)
  const token = account.session.accessToken
  const wallet = await createFundedWallet(bursar, token)
  const make = <T>(path: string, body: unknown) => bursar.api<T>(path, { token, key: randomUUID(), body })
  const scopes = ['address_payments:write']
  const group = await make<PolicyGroup>('/policy-groups', { name: 'One', spendLimit: 5, scopes, walletId: wallet.id })
  const { apiKey } = await make<CreatedAgent>('/agents', { name: 'Scout', policyGroupId: group.id })

  const steps = page.getByRole('region', { name: 'First steps' })
  await page.goto('/dashboard/overview')
  await test.step('each step looks like a link and is reached by Tab @overview-18', async () => {
    for (const label of await steps.getByRole('link').locator('span > span:first-child').all())
      await expect(label).toHaveCSS('text-decoration-line', 'underline')
    await steps.getByRole('button', { name: 'Dismiss first steps' }).focus()
    await page.keyboard.press('Tab')
    await expect(steps.getByRole('link', { name: 'Create a wallet' })).toBeFocused()
    await page.keyboard.press('Tab')
    await expect(steps.getByRole('link', { name: 'Add funds' })).toBeFocused()
  })
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Add Funds' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.locator('#content')).toBeFocused()

  // The payment is refused, so the step remains.
  const refused = await payOnce(bursar, apiKey!, { to: recipient, amount: '6' })
  expect(refused.status).toBe(403)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/dashboard/overview')
  await expect(steps).toContainText('4 of 5 done')
  await steps.getByRole('link', { name: 'Make your first payment' }).click()
  await expect(page.getByTestId('agent-row')).toBeInViewport()
  await expect(page.getByRole('tab', { name: 'curl', exact: true })).toBeVisible()

  await test.step('the next step stays in view on the way, and the first payment appears while one watches @screens-60', async () => {
    const next = page.getByRole('region', { name: 'Next step' })
    await expect(next).toContainText('4 of 5 done')
    const activity = page.getByTestId('activity').getByRole('listitem')
    await expect(activity).toContainText(['Refused $6.00 USDC'])
    await expect(page.getByText('Waiting for the first payment: it appears here.')).toBeVisible()
    await audit(page, 'agents-first-payment')
    const paid = { to: recipient, amount: '1.5', memo: 'First data set' }
    expect((await payOnce(bursar, apiKey!, paid)).status).toBe(201)
    await expect(activity).toHaveCount(2)
    await expect(activity.first()).toContainText(/^(On its way|Paid) .?\$1\.50 USDC to .*First data set/)
    await expect(activity.first()).toContainText(/^Paid −\$1\.50 USDC/, within(20_000))
    await expect(next).toContainText('Your first payment was made.')
    await next.getByRole('link', { name: 'See the payment' }).click()
    await expect(page.getByRole('table', { name: 'Transactions' })).toContainText('$1.50')
    await page.goto('/dashboard/agents')
    await expect(page.getByTestId('agent-row').first()).toBeAttached()
    await expect(next).toHaveCount(0)
  })
})

test('returning from buying USDC shows one toast, polls the balance and removes the flag from the URL @overview-6', async ({
  page,
  context,
  seeded,
  watch,
}) => {
  await beSignedIn(context, seeded)
  await page.clock.install()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/assets/later-*.js', async (route) => {
    await released
    await route.continue()
  })
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      const list = document.querySelector('[data-toasts]')
      if (!list) return
      observer.disconnect()
      document.documentElement.dataset.firstToasts = list.textContent
    }).observe(document, { childList: true, subtree: true })
  })
  await page.goto('/dashboard?onramp=success')
  await expect(page).toHaveURL(/\/dashboard\/overview$/)
  await page.clock.pauseAt(Date.now() + 60_000)
  release()
  await expect(async () => {
    await page.clock.runFor(100)
    const message = page.getByText('Payment received. Your USDC arrives within a minute or two.')
    await expect(message, 'shown for two seconds even if its file was late').toBeVisible({ timeout: 500 })
  }).toPass(within(15_000))
  // Otherwise screen readers would not announce what it began with.
  await expect(page.locator('html')).toHaveAttribute('data-first-toasts', '')
  await page.clock.resume()
  await expect(widget(page, 'Total Balance').getByTestId('total-balance')).toBeVisible()
  const overviewRequests = () => watch.requests.filter((url) => new URL(url).pathname === '/api/overview').length
  const before = overviewRequests()
  await page.clock.runFor(6_000)
  await expect.poll(overviewRequests).toBeGreaterThan(before)
  await page.clock.runFor(130_000)
  const after = overviewRequests()
  await page.clock.runFor(20_000)
  expect(overviewRequests(), 'polling stops after two minutes').toBeLessThanOrEqual(after + 1)
})

test('a balance that is not current says when it was read, until another call has replaced it @overview-20', async ({
  page,
  context,
  seeded,
}) => {
  await beSignedIn(context, seeded)
  const asOf = new Date(Date.now() - 5 * 60_000).toISOString()
  await page.route('**/api/overview', async (route) => {
    const response = await route.fetch()
    const { data, ...rest } = await response.json()
    await route.fulfill({ response, json: { ...rest, data: { ...data, totalBalance: '1.5', balanceAsOf: asOf } } })
  })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/api/overview/balance', async (route) => {
    await released
    await route.continue()
  })
  await page.goto('/dashboard/overview')
  const balance = widget(page, 'Total Balance')
  await expect(balance.getByTestId('total-balance')).toHaveText('$1.50 USDC')
  await expect(balance).toContainText('As of 5 min ago')
  release()
  await expect(balance.getByTestId('total-balance')).not.toHaveText('$1.50 USDC')
  await expect(balance).not.toContainText('As of')
  await expect(balance).toContainText(/Nothing held|held for payments/)
})

test.describe('a session that ends', () => {
  // The page may be reading when its session is removed.
  test.use({ tolerated: /status of 401/ })

  test('the last figures are shown at once, marked until newer ones are there, and end with the session @screens-58', async ({
    page,
    context,
    seeded,
  }) => {
    await beSignedIn(context, seeded)
    const endsAt = new Date(Date.now() + 20 * 3_600_000).toISOString()
    const endingKeys = [{ walletId: seeded.wallet.id, name: 'Main', endsAt, agents: ['Buyer', 'Scout'] }]
    let [balance, released] = ['1.5', Promise.resolve()]
    await page.route(/\/api\/(overview|transactions\/user.*)$/, async (route) => {
      await released
      const response = await route.fetch()
      const reply = await response.json()
      if (route.request().url().endsWith('/overview'))
        Object.assign(reply.data, { totalBalance: balance, balanceAsOf: null, endingKeys })
      await route.fulfill({ response, json: reply })
    })
    const total = page.getByTestId('total-balance')
    const syncing = page.getByRole('status').filter({ hasText: 'Syncing...' })
    await page.goto('/dashboard/overview')
    await expect(total).toHaveText('$1.50 USDC')
    await expect(syncing).toHaveCount(0)
    await test.step('a banner says which agents a session key that ends soon stops, with a link to rotate it @screens-59', async () => {
      const banner = page.getByText('The session key of Main ends on')
      await expect(banner).toContainText('After that, Buyer and Scout can’t pay.')
      await expect(banner.getByRole('link', { name: 'Rotate' })).toHaveAttribute('href', /wallets\?session=wal_/)
      await audit(page, 'overview-ending-key')
    })

    const { promise, resolve: release } = Promise.withResolvers<void>()
    ;[balance, released] = ['2.25', promise]
    await page.reload()
    await expect(total).toHaveText('$1.50 USDC')
    await expect(widget(page, 'Recent Transactions').getByRole('listitem').first()).toBeVisible()
    await expect(syncing).toBeVisible()
    release()
    await expect(total).toHaveText('$2.25 USDC')
    await expect(syncing).toHaveCount(0)

    await page.evaluate(() => localStorage.clear())
    await page.reload() // until it is loaded: the page itself may have gone to sign-in before
    await expect(page).toHaveURL(/\/login/)
    expect(await page.evaluate(() => sessionStorage.getItem('kept_answers'))).toBeNull()
  })
})

test('after ten payments, the suggested layout is offered once, with a chart of 30 days @overview-33', async ({
  page,
  context,
  seeded,
}) => {
  await beSignedIn(context, seeded)
  let stored: Record<string, unknown> = {}
  let confirmed = 9
  await page.route('**/api/overview', async (route) => {
    const response = await route.fetch()
    const reply = await response.json()
    Object.assign(reply.data, { confirmed })
    await route.fulfill({ response, json: reply })
  })
  await page.route('**/api/preferences', async (route) => {
    if (route.request().method() === 'PUT') stored = { ...stored, ...route.request().postDataJSON() }
    await route.fulfill({ json: { success: true, data: stored } })
  })
  const offer = page.getByRole('region', { name: 'See a month at a glance' })
  await page.goto('/dashboard/overview')
  await expect(widget(page, 'Quick Stats')).toContainText('Success rate')
  await expect(offer, 'too early').toHaveCount(0)
  confirmed = 10
  await page.reload()
  await expect(offer).toBeVisible()
  await audit(page, 'overview-suggested-layout')

  await test.step('declined, it does not come back', async () => {
    await offer.getByRole('button', { name: 'Keep this layout' }).click()
    await expect(offer).toHaveCount(0)
    expect(stored).toEqual({ layoutSuggested: true })
    await page.reload()
    await expect(widget(page, 'Quick Stats')).toContainText('Success rate')
    await expect(offer).toHaveCount(0)
  })

  stored = {}
  await page.reload()
  await offer.getByRole('button', { name: 'Use suggested layout' }).click()
  await expect(widget(page, '7-Day Transfers').getByRole('heading')).toHaveText('30-Day Transfers')
  await expect(widget(page, 'Total Spent')).toContainText('in 30 days')
  await expect(offer).toHaveCount(0)
  await page.reload()
  await expect(widget(page, '7-Day Transfers').getByRole('heading'), 'the span is stored').toHaveText(
    '30-Day Transfers',
  )
  await audit(page, 'overview-suggested')
})

test.describe('when the server fails', () => {
  test.use({ tolerated: /status of 503|Failed to load resource/ })

  test('a layout that cannot be loaded is kept, and the default layout is shown until it loads @overview-14', async ({
    page,
    context,
    seeded,
    watch,
  }) => {
    await beSignedIn(context, seeded)
    let broken = true
    const own = [{ id: 'w', type: 'total-contacts', x: 0, y: 0, w: 3, h: 2 }]
    await page.route('**/api/preferences', (route) =>
      broken
        ? route.fulfill({ status: 503, json: { success: false, code: 'unavailable', error: 'x' } })
        : route.fulfill({ json: { success: true, data: { dashboardWidgets: own } } }),
    )
    let areFiguresBroken = true
    await page.route('**/api/overview', (route) =>
      areFiguresBroken
        ? route.fulfill({
            status: 503,
            json: { success: false, code: 'unavailable', error: 'Please try again later.' },
          })
        : route.continue(),
    )
    await page.goto('/dashboard/overview')
    const notice = page.getByRole('alert').filter({ hasText: 'Your own layout could not be loaded' })
    await expect(notice).toBeVisible()
    await test.step('each widget shows an error and can be retried @overview-7', async () => {
      const balance = widget(page, 'Total Balance')
      await expect(balance.getByRole('alert')).toContainText('Please try again later.')
      await expect(widget(page, 'Recent Transactions').getByRole('listitem').first()).toBeVisible()
      areFiguresBroken = false
      await balance.getByRole('button', { name: 'Try again' }).click()
      await expect(balance.getByTestId('total-balance')).toBeVisible()
    })
    await expect(widget(page, 'Quick Stats')).toContainText('Success rate')
    await expect(page.getByRole('button', { name: 'Unlock layout' })).toBeDisabled()
    await audit(page, 'overview-unknown-layout')
    broken = false
    await notice.getByRole('button', { name: 'Try again' }).click()
    await expect(notice).toBeHidden()
    await expect(widget(page, 'Contacts')).toBeVisible()
    await expect(page.getByRole('main').getByRole('region')).toHaveCount(1)
    await expect(page.getByRole('button', { name: 'Unlock layout' })).toBeEnabled()
    expect(watch.requests.filter((url) => url.endsWith('/api/preferences')).length).toBeGreaterThan(1)
  })
})
