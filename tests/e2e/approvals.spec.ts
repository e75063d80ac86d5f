/** Approvals as the owner sees them: on a phone, from a real agent's request to the payment. */
import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { dayMs, minuteMs } from '#domain/time.ts'
import type { Approval } from '#schemas/approval.ts'
import type { Agent } from '#schemas/policy.ts'
import { until } from '../../local/client.ts'
import { approvalNotice } from '../../worker/notifications/approvalMessages.ts'
import { agentAt } from '../support/agentCalls.ts'
import { installClients } from '../support/clients.ts'
import { within } from '../support/patience.ts'
import { addressFor } from '../support/stackClient.ts'
import { openTaskSession } from '../support/taskSession.ts'
import { audit, spokenAddress } from './audit.ts'
import { button, expect, testAsOwner as test } from './fixtures.ts'
import { type Owner, usdcOf } from './people.ts'
import { recipient } from './seededAccount.ts'

/** Refusals that the tests cause, whose status the browser logs. */
test.use({ tolerated: /status of (400|403|409|422)/, viewport: { width: 390, height: 844 } })

type Asked = { id: string; status: string; approval: { id: string; url: string; expires_at: string } }

const pathOf = ({ approval }: Asked) => new URL(approval.url).pathname
/** The path that a push message about this request alone opens. */
const pushPathOf = ({ approval }: Asked) =>
  approvalNotice(
    [
      {
        approvalId: approval.id,
        kind: 'payment',
        agent: 'Bot',
        amount: '12',
        isTest: false,
        recipient: null,
        expiresAt: Date.parse(approval.expires_at),
      },
    ],
    null,
  ).path

/** Counts presses and keystrokes on the page from now on, however a test triggers them. */
async function countTaps(page: Page): Promise<() => number> {
  let taps = 0
  await page.exposeFunction('countTap', () => {
    taps += 1
  })
  await page.addInitScript(() => {
    const count = (event: Event) => {
      if (event.isTrusted) (globalThis as unknown as { countTap: () => void }).countTap()
    }
    for (const type of ['pointerdown', 'keydown']) addEventListener(type, count, true)
  })
  return () => taps
}

/** Creates a group that asks above 5 USDC, and an agent that requests a payment of 12 USDC. */
async function ask(owner: Owner, name: string, more: object = {}) {
  const group = await owner.group(name, { approveAbove: '5', ...more })
  const created = await owner.agent(group, `${name} bot`)
  const reason = { reason: 'The data set is due.', memo: `${name}, November` }
  const { status, body } = await owner.pay<Asked>(created.apiKey!, '12', undefined, reason)
  expect(status).toBe(202)
  expect(body.status).toBe('PENDING_APPROVAL')
  return { group, agent: created.agent, apiKey: created.apiKey!, asked: body }
}

/** The groups of the full address whose digits run into the next group. */
const overlapping = (page: Page) =>
  page.getByTestId('full-address').evaluate((address) => {
    const widthOf = (group: Element) => {
      const range = document.createRange()
      range.selectNodeContents(group)
      return range.getBoundingClientRect()
    }
    const boxes = [...address.querySelectorAll(':scope > span > span')].map((group) => [group, widthOf(group)] as const)
    return boxes.flatMap(([group, box], i) => {
      const next = boxes[i + 1]?.[1]
      return next && next.top === box.top && next.left < box.right + 6 ? [group.textContent] : []
    })
  })

/** Removes the password limit again, for later tests that use this account. */
const askNoPassword = (owner: Owner) =>
  owner.api('/approval-settings', { passwordAbove: null, password: owner.account.password }, 'PUT')

test('one tap on the phone approves and pays an agent’s request @approval-screens-1', { tag: '@core' }, async ({
  page,
  owner,
  bursar,
}) => {
  const { apiKey, asked } = await ask(owner, 'Data')
  await page.goto('/dashboard/transactions')
  await expect(page.getByRole('link', { name: /^Notices: \d+ \(\d+ waiting/ })).toBeVisible()
  const row = page.getByRole('row').filter({ hasText: 'Data bot' })
  await expect(row).toContainText('Pending')
  await expect(row).toContainText('Awaiting approval')
  await row.click()
  const decide = page.getByRole('dialog').getByRole('link', { name: 'Decide' })
  await expect(decide).toHaveAttribute('href', pathOf(asked))

  // What a tap on the notification opens.
  const taps = await countTaps(page)
  await page.goto(pushPathOf(asked))
  const card = page.getByRole('region', { name: 'Data bot asks to pay' })
  await expect(page).toHaveTitle('Data bot asks to pay 12.00 USDC · Bursar')
  await expect(card).toContainText('$12.00 USDC')
  await expect(card.getByTestId('full-address')).toContainText(recipient)
  await expect(card.getByTestId('full-address'), 'read by groups').toMatchAriaSnapshot(spokenAddress(recipient))
  const exact = /^just now, \w{3}, \w{3} \d+, \d{4}, \d+:\d\d\s[AP]M/
  await expect(card.locator('time').first(), 'not only in the tooltip').toHaveText(exact)
  await expect(card).toContainText('Would pass now')
  await expect(card.getByRole('region', { name: 'Why you are asked' })).toContainText('5.00 USDC')
  await expect(card.getByRole('region', { name: 'The agent says' })).toContainText('The data set is due.')
  // Messages to one account are batched, so only the first is sent immediately.
  await expect(card).toContainText(/Email(About to be sent|Sent)/)
  await expect(card).toContainText(/Push(Not set up|About to be sent|Failed)/)
  await expect(card).toContainText(/Expires in 2[34] h/)
  // Within reach of the thumb without scrolling.
  for (const name of ['Approve once', 'Approve and always allow…', 'Deny', 'Deny and pause agent'])
    await expect(button(page, name)).toBeInViewport({ ratio: 1 })
  await audit(page, 'approval')
  // A small phone, and a window at 200 % zoom.
  for (const [width, height] of [
    [320, 568],
    [640, 360],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.evaluate(() => scrollTo(0, 0))
    const at = `${width} × ${height}`
    expect(await overlapping(page), `${at}: groups of the address that overlap`).toEqual([])
    const address = (await card.getByTestId('full-address').boundingBox())!
    const buttons = await Promise.all(
      ['Approve and always allow…', 'Deny', 'Approve once'].map((name) => button(page, name).boundingBox()),
    )
    for (const box of buttons) expect(box!.y, `${at}: above the buttons`).toBeGreaterThan(address.y + address.height)
  }
  await page.setViewportSize({ width: 390, height: 844 })

  const before = taps()
  await button(page, 'Approve once').click()
  await expect(card.or(page.getByRole('region', { name: 'Data bot asked to pay' }))).toContainText('Approved by you.')
  const progress = page.getByRole('list', { name: 'Progress' })
  const confirmed = progress.getByRole('listitem').filter({ hasText: 'Confirmed on Base' })
  await expect(confirmed.getByLabel('Done:')).toBeVisible(within(20_000))
  await expect(page.getByRole('status').filter({ hasText: 'Approved by you.' }), 'is announced').toHaveText(
    'Approved by you. The payment is confirmed.',
  )
  expect((await agentAt(bursar.url, apiKey).payments.get(asked.id)).status).toBe('CONFIRMED')
  // Plus the tap on the notification.
  expect(1 + taps() - before).toBe(2)
  await page.getByRole('link', { name: 'View payment' }).click()
  await expect(page.getByRole('dialog')).toContainText('Completed')
})

test.describe('by touch', () => {
  test.use({ hasTouch: true, isMobile: true })

  test('with unmodified ext-tasks, an agent’s payment becomes a task that completes after approval on the phone @approval-screens-12', async ({
    page,
    owner,
    bursar,
    baseURL,
  }) => {
    test.slow() // the first test that needs these clients installs them
    await installClients()
    const group = await owner.group('Tasks', { approveAbove: '5' })
    const { apiKey } = await owner.agent(group, 'Task bot')
    const { session, close, resultOf } = await openTaskSession(baseURL!, apiKey!)
    const to = addressFor(`task ${group.id}`)
    const args = { address: to, amount: '6.25', idempotency_key: randomUUID(), reason: 'The corpus is ready.' }
    const execution = await session.callTool('pay_address', args)
    expect(execution.kind).not.toBe('immediate')
    let isSettled = false
    const settled = execution.settle().finally(() => {
      isSettled = true
    })

    await page.goto('/dashboard/overview')
    await page.getByRole('link', { name: /^Notices:/ }).tap()
    await page.getByRole('link', { name: 'Review' }).tap()
    await page.getByRole('link', { name: /^Decide: Task bot, 6\.25 USDC/ }).tap()
    const card = page.getByRole('region', { name: 'Task bot asks to pay' })
    await expect(card.getByTestId('full-address')).toContainText(to)
    await expect(card.getByRole('region', { name: 'The agent says' })).toContainText('The corpus is ready.')
    // Only the owner's approval completes the task and moves money.
    expect(isSettled).toBe(false)
    const token = await usdcOf(bursar)
    expect(await bursar.usdcOnChain(token, to)).toBe(0n)
    await button(page, 'Approve once').tap()
    await expect(page.getByText('Approved by you.')).toBeVisible()

    const result = resultOf((await settled).outcome)
    expect(result.isError ?? false, JSON.stringify(result)).toBe(false)
    const { id } = result.structuredContent
    expect(result.structuredContent).toMatchObject({ amount: '6.25', approval: { status: 'APPROVED' } })
    expect(page.url()).toContain(result.structuredContent.approval.id)
    await until('the payment on chain', async () => (await bursar.usdcOnChain(token, to)) === 6_250_000n)
    await agentAt(bursar.url, apiKey!).payments.wait(id)
    await close()
  })
})

test('sign-in leads back to the approval, and opening it decides nothing @approval-screens-2', {
  tag: '@core',
}, async ({ browser, owner, baseURL }) => {
  const { asked } = await ask(owner, 'Late')
  const context = await browser.newContext({ baseURL: baseURL!, viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  await page.goto(pathOf(asked))
  await page.getByLabel('Email').fill(owner.account.email)
  await page.getByLabel('Password', { exact: true }).fill(owner.account.password)
  await button(page, 'Sign In').click()
  await expect(page).toHaveURL(pathOf(asked))
  await expect(button(page, 'Approve once')).toBeVisible()
  await context.close()
  expect((await owner.api<Approval>(`/approvals/${asked.approval.id}`)).status).toBe('PENDING')
})

test('denies a request and pauses its agent by keyboard, and the agent is refused from then on @approval-screens-3', {
  tag: '@core',
}, async ({ page, owner }) => {
  const { apiKey, agent, asked } = await ask(owner, 'Rogue')
  await page.goto('/dashboard/overview')
  const recent = page.getByRole('region', { name: 'Recent Transactions' }).getByRole('listitem')
  await expect(recent.filter({ hasText: 'Rogue bot' })).toContainText('Awaiting approval')
  await page.getByRole('link', { name: /^Notices:/ }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Notices' })).toBeVisible()
  await page.getByRole('link', { name: 'Review' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Approvals' })).toBeVisible()
  await expect(page.getByRole('row').filter({ hasText: 'Rogue bot' })).toContainText('Rogue, November')
  await audit(page, 'approvals')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('link', { name: 'Decide: Rogue bot, 12.00 USDC to Grace Hopper' }).focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(pathOf(asked))
  await button(page, 'Deny and pause agent').focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('status').filter({ hasText: 'Denied' })).toHaveText(
    'Denied by you. Nothing was paid. Rogue bot is paused.',
  )
  await expect(page.getByRole('heading', { level: 1 }), 'the focus is not lost with the button').toBeFocused()
  const { status } = await owner.pay(apiKey, '1')
  expect(status).toBe(403)
  const agents = await owner.api<Agent[]>('/agents')
  expect(agents.find(({ id }) => id === agent.id)?.status).toBe('paused')
})

/** The page of the request does not know of what `act` changes, and sends what it showed. */
async function beforeItReads(page: Page, { approval }: Asked, act: () => Promise<void>): Promise<void> {
  const acted = Promise.withResolvers<void>()
  await page.route(`**/api/approvals/${approval.id}`, async (route) => {
    await acted.promise
    await route.continue()
  })
  await act()
  acted.resolve()
}

test('approving a request that changed since it was shown lists the changes and asks again @approval-screens-4', {
  tag: '@core',
}, async ({ page, owner }) => {
  const { group, agent, asked } = await ask(owner, 'Alias')
  await page.goto(pathOf(asked))
  await expect(button(page, 'Approve once')).toBeEnabled()
  await beforeItReads(page, asked, async () => {
    await owner.api(`/agents/${agent.id}`, { name: 'Alias II' }, 'PUT')
    await button(page, 'Approve once').click()
  })
  const notice = page.getByRole('alert').filter({ hasText: 'has changed since you opened it' })
  await expect(notice).toContainText('Agent: Alias bot → Alias II')
  await expect(button(page, 'Approve once')).toBeHidden()
  expect((await owner.api<Approval>(`/approvals/${asked.approval.id}`)).status).toBe('PENDING')

  await button(page, 'Show the new version').click()
  await expect(page.getByRole('heading', { name: 'Alias II asks to pay' })).toBeVisible()

  // The page already shows what the rules would decide now, and approving anyway changes nothing.
  const { name, scopes } = group
  await owner.api(`/policy-groups/${group.id}`, { name, scopes, maxPayment: '5' }, 'PUT')
  await page.reload()
  await expect(page.getByText('Would be refused now: One payment may be at most 5.00 USDC.')).toBeVisible()
  await button(page, 'Approve once').click()
  await expect(page.getByRole('alert').filter({ hasText: '5.00 USDC' }).first()).toBeVisible()
  expect((await owner.api<Approval>(`/approvals/${asked.approval.id}`)).status).toBe('PENDING')

  // All limits in the way are named at once, with what lifts them.
  const change = async (rules: object) => {
    await owner.api(`/policy-groups/${group.id}`, { name, scopes, ...rules }, 'PUT')
    await page.reload()
  }
  await change({ maxPayment: '5', spendLimit: 10 })
  const refused = page.getByRole('alert').filter({ hasText: 'Would be refused now' })
  await expect(refused).toContainText("One payment may be at most 5.00 USDC. The group's budget has 10.00 USDC left.")
  await expect(refused.getByRole('link', { name: `Change the rules of ${name}` })).toHaveAttribute(
    'href',
    `/dashboard/agents?group=${group.id}`,
  )
  await change({ maxPayment: null, spendLimit: 10 })
  await refused.getByRole('button', { name: 'Top up $2.00', exact: true }).click()
  await expect(page.getByText('Would pass now')).toBeVisible()

  // Somebody else denies it first, and this page does not know yet.
  let isBehind = true
  await page.route(/\/api\/approvals\/[^/]+$/, (route) => (isBehind ? route.abort() : route.continue()))
  await page.route(/\/approve$/, (route) => {
    isBehind = false
    return route.continue()
  })
  const { hash } = await owner.api<Approval>(`/approvals/${asked.approval.id}`)
  await owner.api(`/approvals/${asked.approval.id}/deny`, { hash })
  await button(page, 'Approve once').click()
  await expect(page.getByRole('status').filter({ hasText: 'Denied' })).toHaveText(
    /^Your answer came too late and changed nothing\. Denied by you\. Nothing was paid\./,
  )
})

test('a request to pay a look-alike of a paid address is shown as such, and a fact that changes is named @approval-screens-13', {
  tag: '@core',
}, async ({ page, owner }) => {
  const paid = addressFor(`paid ${randomUUID()}`).toLowerCase()
  const twin = `${paid.slice(0, 6)}${'1'.repeat(32)}${paid.slice(-4)}`
  const group = await owner.group('Twin', { approveAbove: '5' })
  const { apiKey } = await owner.agent(group, 'Twin bot')
  const pay = (address: string, amount: string) => owner.pay<Asked>(apiKey!, amount, { type: 'address', address })
  expect((await pay(paid, '1')).status).toBe(201)
  const asked = (await pay(twin, '12')).body
  await page.goto(pathOf(asked))
  const card = page.getByRole('region', { name: 'Twin bot asks to pay' })
  await expect(
    card.getByRole('alert').filter({ hasText: /looks like 0x\w+….*, which you paid before, but is a/ }),
  ).toBeVisible()
  await expect(card.getByRole('alert').filter({ hasText: 'your first payment to this address' })).toBeVisible()
  await audit(page, 'approval-look-alike')
  await page.setViewportSize({ width: 390, height: 844 })

  await beforeItReads(page, asked, async () => {
    expect((await pay(twin, '2')).status).toBe(201)
    await button(page, 'Approve once').click()
  })
  const changed = page.getByRole('alert').filter({ hasText: 'has changed since you opened it' })
  await expect(changed).toContainText('Paid before: never → once')
  await button(page, 'Show the new version').click()
  await expect(card).toContainText('You have paid this address once before.')
  await button(page, 'Deny').click()
  await expect(page.getByText('Denied by you.')).toBeVisible()
})

test('an expired request cannot be approved, and a decision made elsewhere appears @approval-screens-5', async ({
  page,
  owner,
}) => {
  const { asked } = await ask(owner, 'Slow', { approvalTtlHours: 1 })
  // The page's clock runs ahead of the server's.
  await page.clock.install({ time: Date.now() })
  await page.addInitScript((ms) => localStorage.setItem('token_expiry', String(Date.now() + ms)), dayMs)
  await page.goto(pathOf(asked))
  await expect(button(page, 'Approve once')).toBeEnabled()
  await page.clock.fastForward(61 * minuteMs)
  await expect(page.getByText('The time to answer has expired. Nothing is paid.')).toBeVisible()
  for (const name of ['Approve once', 'Deny']) await expect(button(page, name)).toBeDisabled()

  const { hash } = await owner.api<Approval>(`/approvals/${asked.approval.id}`)
  await owner.api(`/approvals/${asked.approval.id}/deny`, { hash })
  await page.clock.runFor(20_000)
  await expect(page.getByText('Denied by you.')).toBeVisible()
})

test('“always allow” creates a permission that pays without asking and can be ended in the settings @approval-screens-9', {
  tag: '@core',
}, async ({ page, owner }) => {
  const { apiKey, asked } = await ask(owner, 'Rent', { spendLimit: 40 })
  await owner.api('/approval-settings', { passwordAbove: '10' }, 'PUT')
  await page.goto(pathOf(asked))
  await button(page, 'Approve and always allow…').click()
  await page.getByLabel('Further payments in total').fill('15')
  await expect(page.getByTestId('effect')).toContainText('Rent bot may pay')
  await audit(page, 'always-allow')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByLabel('Password', { exact: true }).fill('wrong password')
  await button(page, 'Approve 12.00 USDC').click()
  await expect(page.getByRole('dialog').getByRole('alert').first()).toBeVisible()
  await page.getByLabel('Password', { exact: true }).fill(owner.account.password)
  await button(page, 'Approve 12.00 USDC').click()
  await expect(page.getByText('Approved by you.')).toBeVisible()
  expect((await owner.pay(apiKey, '7')).status).toBe(201)

  await page.goto('/dashboard/settings')
  const allowed = page.getByRole('list', { name: 'Always allowed' })
  await expect(allowed).toContainText('8.00 of 15.00 USDC left')
  await audit(page, 'settings-approvals')
  await page.setViewportSize({ width: 390, height: 844 })
  await allowed.getByRole('button', { name: /^End: Rent bot/ }).click()
  await button(page, 'End').last().click()
  await expect(allowed).toContainText('None.')
  expect((await owner.pay(apiKey, '6')).status).toBe(202)
  await askNoPassword(owner)
})

test('the bell counts refusals until they are seen and links to them @approval-screens-10', async ({ page, owner }) => {
  const group = await owner.group('Bell', { maxPayment: '5' })
  const { apiKey } = await owner.agent(group, 'Bell bot')
  for (const amount of ['6', '7']) expect((await owner.pay(apiKey!, amount)).status).toBe(403)
  await page.goto('/dashboard/overview')
  const bell = page.getByRole('link', { name: /^Notices:/ })
  await expect(bell).toHaveAccessibleName(/\d new\)$/)
  await bell.click()
  const row = page
    .getByRole('list', { name: 'Notices' })
    .getByRole('listitem')
    .filter({ hasText: 'Bell bot was refused' })
  await expect(row).toContainText(/Bell bot was refused 2 payments/)
  await expect(row).toContainText('New')
  // Once seen, it is no longer counted but stays marked while the page is open.
  await expect(bell).not.toHaveAccessibleName(/\d new/)
  await expect(row).toContainText('New')
  await audit(page, 'notices')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.reload()
  await expect(row).toBeVisible()
  await expect(row).not.toContainText('New')
  await row.getByRole('link').focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toContainText('7.00')
})

test('a payment above the owner’s limit requires the password, even if the limit was lowered meanwhile @approval-screens-11', {
  tag: '@core',
}, async ({ page, owner }) => {
  const { apiKey, asked } = await ask(owner, 'Safe', { spendLimit: 40 })
  await page.goto(pathOf(asked))
  await expect(button(page, 'Approve once')).toBeEnabled()
  // The page does not know of the new limit yet.
  await owner.api('/approval-settings', { passwordAbove: '10' }, 'PUT')
  await button(page, 'Approve once').click()
  const dialog = page.getByRole('dialog', { name: 'Enter your password' })
  const password = dialog.getByLabel('Password', { exact: true })
  await expect(password).toBeFocused()
  await audit(page, 'approval-password')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('alert')).toHaveText('Please enter your password')
  await password.fill('wrong password')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('alert').first()).toBeVisible()
  await page.keyboard.press('Escape')
  expect((await owner.api<Approval>(`/approvals/${asked.approval.id}`)).status).toBe('PENDING')
  await button(page, 'Approve once').click()
  const approve = page.getByRole('dialog', { name: 'Approve 12.00 USDC' })
  await approve.getByLabel('Password', { exact: true }).fill(owner.account.password)
  await button(page, 'Approve 12.00 USDC').click()
  await expect(page.getByText('Approved by you.')).toBeVisible()
  // No password at the limit or below it.
  const small = await owner.pay<Asked>(apiKey, '10')
  expect(small.status).toBe(202)
  await page.goto(pathOf(small.body))
  await button(page, 'Approve once').click()
  await expect(page.getByText('Approved by you.')).toBeVisible()

  // Removing the limit requires the password; setting it does not.
  await page.goto('/dashboard/settings')
  const limit = page.getByRole('region', { name: 'Approvals' })
  await limit.getByLabel('Ask for the password above').fill('8')
  await button(page, 'Save limit').click()
  await expect(limit.getByLabel('Ask for the password above')).toHaveValue(/^8/)
  await expect(button(page, 'Save limit')).toBeDisabled()
  // The button is also disabled while it saves.
  await expect.poll(() => owner.api('/approval-settings')).toMatchObject({ passwordAbove: '8' })
  await expect(limit.getByLabel('Ask for the password above')).toBeFocused()
  await limit.getByLabel('Ask for the password above').fill('')
  await button(page, 'Save limit').click()
  await expect(limit.getByRole('alert')).toHaveText('Please enter your password')
  await limit.getByLabel('Password', { exact: true }).fill(owner.account.password)
  await button(page, 'Save limit').click()
  await expect.poll(() => owner.api('/approval-settings')).toMatchObject({ passwordAbove: null })
})
