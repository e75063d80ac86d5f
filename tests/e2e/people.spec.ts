/** More than one person in an account: inviting, joining, switching, and what a role leaves out. */
import { agentAt } from '../support/agentCalls.ts'
import { within } from '../support/patience.ts'
import { newBrowser } from '../support/pushBrowser.ts'
import { createAccount } from './accounts.ts'
import { audit } from './audit.ts'
import { button, expect, test } from './fixtures.ts'
import { contextOf, countPresses, invite, joined, named, nameOf, switchTo, whose } from './members.ts'
import { createFundedAccount, createOwner, newAddress } from './people.ts'
import { allowNotifications, recordServiceWorker } from './serviceWorker.ts'

/** Refusals that the tests cause, whose status the browser logs. */
test.use({ tolerated: /status of (401|403|404|409|410|422)|does not support the Push API/ })

test('from the invitation to the first approval on a phone takes six presses @people-screens-1', {
  tag: '@core',
}, async ({ page, owner, bursar, watch }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const group = await owner.group('People', { approveAbove: '5' })
  const { apiKey } = await owner.agent(group, 'People bot')
  const { status } = await owner.pay(apiKey!, '6')
  expect(status).toBe(202)
  const person = await createAccount(bursar)
  const { path } = await invite(bursar, owner.account, person.email, 'approver')
  const token = path.split('token=')[1]!

  const presses = await countPresses(page)
  await page.goto(path) // the press in the mail
  await expect(page.getByRole('heading', { name: 'You are invited' })).toBeVisible()
  await expect.poll(() => page.url()).not.toContain(token)
  await audit(page, 'join-signed-out', [390])
  await page.getByRole('link', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { name: 'Welcome Back' })).toBeVisible()
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await button(page, 'Sign In').click()
  await expect(page.getByRole('heading', { name: `Join ${nameOf(owner.account)}` })).toBeVisible()
  await expect(page.getByRole('main')).toContainText(owner.account.email)
  await expect(page.getByRole('main')).toContainText('approve or deny payout runs and what agents ask for')
  await audit(page, 'join', [390])
  await button(page, 'Join').click()
  await expect(whose(page)).toContainText(owner.account.email)
  await page.getByRole('link', { name: /^Decide: People bot/ }).click()
  await expect(button(page, 'Approve and always allow…'), 'loosens a rule').toHaveCount(0)
  await button(page, 'Approve once').click()
  await expect(page.getByRole('status').filter({ hasText: 'Approved by you.' })).toBeVisible(within(20_000))
  expect(1 + presses()).toBeLessThanOrEqual(6)
  expect(watch.requests.filter((url) => url.includes(token))).toEqual([])
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(token)
})

test('an owner invites, changes a role and removes, and the person’s page returns to their own account @people-screens-2', async ({
  page,
  context,
  browser,
  bursar,
  watch,
}) => {
  const owner = await createAccount(bursar)
  await named(bursar, owner, 'ACME')
  await owner.keep(context)
  await page.goto('/dashboard/people')
  await expect(page.getByText('Nobody else acts for this account.')).toBeVisible()
  await audit(page, 'people-empty')

  const person = await createAccount(bursar)
  await button(page, 'Invite').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Email').fill(person.email)
  await dialog.getByRole('radio', { name: 'Viewer' }).check()
  await button(page, 'Send invitation').click()
  await expect(dialog).toContainText('Please enter your password')
  await audit(page, 'people-invite')
  await dialog.getByLabel('Your password').fill(owner.password)
  await button(page, 'Send invitation').click()
  const invitations = page.getByRole('list', { name: 'Invitations' })
  await expect(invitations).toContainText(person.email)
  await expect(invitations).toContainText(/Expires \w{3} \d+/)

  const [, path] = await bursar.message(person.email, /https?:\/\/[^/\s]+(\/join#token=\S+)/, 'the invitation')
  const body = { token: path!.split('token=')[1] }
  await bursar.api('/people/join', { token: await person.accessToken(), body })
  await page.reload()
  const people = page.getByRole('list', { name: 'Who acts for this account' })
  await expect(people).toContainText(person.email)
  await audit(page, 'people')
  await button(page, `Actions for ${nameOf(person)}`).click()
  await page.getByRole('menuitem', { name: 'Change role' }).click()
  await dialog.getByRole('radio', { name: 'Approver' }).check()
  await audit(page, 'people-role')
  await dialog.getByLabel('Your password').fill(owner.password)
  await button(page, 'Change role').click()
  await expect(people).toContainText('approve or deny payout runs and what agents ask for')

  const limit = page.getByRole('region', { name: 'A second person' })
  await expect(limit).toContainText('No second person is needed.')
  await button(page, 'Set a limit').click()
  await dialog.getByLabel('Above this amount in 24 hours').fill('100')
  await audit(page, 'people-second-person')
  await dialog.getByLabel('Your password').fill(owner.password)
  await button(page, 'Save limit').click()
  await expect(limit).toContainText('Above 100.00 USDC in 24 hours, a second person must agree.')
  await expect(people).toContainText(/Decides above the limit from /)
  await button(page, 'Change limit').click()
  await dialog.getByLabel('Above this amount in 24 hours').fill('')
  await dialog.getByLabel('Your password').fill(owner.password)
  await button(page, 'Save limit').click()
  await expect(limit).toContainText(/From .*, no second person is needed\./)
  await audit(page, 'people-limit')

  const theirs = await contextOf(browser.newContext(), person, watch)
  const other = await theirs.newPage()
  await other.goto('/dashboard/overview')
  await expect(other.getByTestId('total-balance')).toBeVisible()
  await switchTo(other, owner)
  await button(page, `Actions for ${nameOf(person)}`).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  const confirm = page.getByRole('alertdialog')
  await audit(page, 'people-remove')
  await confirm.getByRole('button', { name: 'Remove' }).click()
  await expect(people).not.toContainText(person.email)
  await expect(limit).toContainText('Nobody can agree now.')
  await audit(page, 'people-no-approver')
  await other.getByRole('link', { name: /^Notices/ }).click()
  await expect(other.getByText(`You no longer act for ACME. This is your own account.`)).toBeVisible()
  await expect(whose(other)).not.toContainText(owner.email)
  await theirs.close()
})

test('no page shows figures of the account that was open before @people-screens-3', { tag: '@core' }, async ({
  page,
  context,
  own,
  bursar,
}) => {
  const { person } = await joined(bursar, own.account, 'viewer')
  await person.keep(context)
  await page.goto('/dashboard/overview')
  await expect(page.getByTestId('total-balance')).toContainText('$0.00')
  await switchTo(page, own.account)
  await expect(page.getByTestId('total-balance')).toContainText(/\$1\d\d|\$200/)

  const released = Promise.withResolvers<void>()
  await page.route('**/api/**', async (route) => {
    await released.promise
    await route.continue()
  })
  await page.evaluate(() => sessionStorage.removeItem('acting_for'))
  await page.reload({ waitUntil: 'commit' })
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
  await expect(page.getByTestId('first-balance')).toHaveCount(0)
  await expect(page.locator('body')).not.toContainText(/\$\d/)
  released.resolve()
  await expect(page.getByTestId('total-balance')).toContainText('$0.00')
})

test('what a viewer may not do is absent, and a link never switches by itself @people-screens-4', {
  tag: '@core',
}, async ({ page, context, owner, bursar }) => {
  const group = await owner.group('Viewed', { scopes: ['address_payments:write', 'payout_runs:prepare'] })
  const { apiKey } = await owner.agent(group, 'Viewed bot')
  await agentAt(bursar.url, apiKey!).prepareRun({ title: 'Viewed run', rows: [{ to: newAddress(), amount: '1' }] })
  const { person } = await joined(bursar, owner.account, 'viewer')
  await person.keep(context)
  const name = nameOf(owner.account)

  await page.goto(`/dashboard/wallets?account=${owner.account.session.user.id}`)
  const question = page.getByRole('dialog', { name: `Open in ${name}?` })
  await expect(question).toContainText(owner.account.email)
  await audit(page, 'people-link')
  await button(page, 'Close').click()
  await expect(page.getByText('No wallets yet')).toBeVisible()
  await page.goto(`/dashboard/wallets?account=${owner.account.session.user.id}`)
  await button(page, `Open in ${name}`).click()
  await expect(page.getByTestId('wallet-card').first()).toBeVisible()
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/dashboard/wallets')

  // A new tab begins in the person's own account, so the link says which one it is from.
  const home = page.getByRole('link', { name: 'Bursar' })
  await home.dispatchEvent('contextmenu')
  await expect(home).toHaveAttribute('href', `/dashboard/overview?account=${owner.account.session.user.id}`)

  const main = page.getByRole('main')
  const absent = async (names: RegExp) => {
    await expect(main.getByRole('button', { name: names })).toHaveCount(0)
    await expect(main.getByRole('link', { name: names })).toHaveCount(0)
  }
  await absent(/Send|Add Funds|Withdraw|Receive|New Wallet|Add Existing|^More for/)
  await audit(page, 'people-viewer-wallets')
  await page.getByRole('link', { name: 'Bursar' }).click()
  await expect(page.getByTestId('total-balance')).toBeVisible()
  await absent(/Create a wallet|Add funds/)
  await page.goto('/dashboard/agents')
  await expect(main.getByTestId('agent-row').first()).toBeVisible()
  // The names of groups and agents are the tests' own, and links.
  await absent(
    /^(New Agent|New Policy Group|Edit|Top Up|Add Agent|Pause All Agents|Connect an Assistant)$|^Actions for|^Try a payment/,
  )
  await page.goto('/dashboard/contacts')
  await expect(main.getByText('Grace Hopper').first()).toBeVisible()
  await absent(/Add Contact|^Send to|^Edit|^Delete|^Actions for/)
  await page.goto('/dashboard/payouts')
  await expect(page.getByRole('heading', { name: 'Payout Management' })).toBeVisible()
  await absent(/Create Payout|Create Your First Payout|Reclaim/)
  await page.goto('/dashboard/runs')
  await expect(main).toContainText('Viewed run')
  // Without a reload, which would forget the runs that were loaded.
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('option', { name: 'Approvals' }).click()
  await expect(main.getByRole('table').or(main.getByText('No requests from agents'))).toBeVisible()
  await expect(main.getByRole('list', { name: 'Runs that wait' })).toHaveCount(0)
  await page.goto('/dashboard/webhooks')
  await expect(main).toContainText(`This page is for the owner of ${name}`)
  await page.keyboard.press('ControlOrMeta+k')
  const options = page.getByRole('option')
  await expect(options.filter({ hasText: 'Overview' })).toBeVisible()
  await expect(options.filter({ hasText: /Webhooks|Create payout|New |Send|Add contact|Connect/ })).toHaveCount(0)
  await page.keyboard.press('Escape')

  await page.goto('/dashboard/people')
  await expect(button(page, 'Invite')).toHaveCount(0)
  await button(page, `Actions for ${nameOf(person)}`).click()
  await page.getByRole('menuitem', { name: 'Leave this account' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click()
  await expect(page.getByTestId('total-balance')).toBeVisible()
  await expect(whose(page)).not.toContainText(owner.account.email)
})

test('a member’s browser gets the notice of a request, which opens the right account @people-screens-7', async ({
  browser,
  baseURL,
  bursar,
  watch,
}) => {
  const owner = await createOwner(bursar)
  const { person } = await joined(bursar, owner.account, 'approver')
  const { endpoint, keys, open } = await newBrowser()
  await bursar.api('/push/subscriptions', { token: await person.accessToken(), body: { endpoint, keys } })
  const { apiKey } = await owner.agent(await owner.group('Noticed', { approveAbove: '5' }), 'Noticed bot')
  await owner.pay(apiKey!, '6')
  const sent = async () => {
    const reply = await fetch(`${process.env.BURSAR_PUSH}${new URL(endpoint).pathname}`)
    return reply.ok ? open(new Uint8Array(await reply.arrayBuffer())) : null
  }
  await expect.poll(sent).toMatchObject({ title: 'Noticed bot asks to pay 6.00 USDC' })
  const notice = (await sent()) as { title: string; path: string }

  // Not the context of all tests, in which the service worker would stay.
  const theirs = await contextOf(browser.newContext(), person, watch)
  const page = await theirs.newPage()
  await allowNotifications(page)
  await page.goto('/dashboard/settings')
  await page.getByRole('region', { name: 'Push notifications' }).getByRole('button', { name: 'Turn on' }).click()
  const { deliver, shown, click } = await recordServiceWorker(page, theirs, baseURL!)
  await deliver(notice)
  await expect.poll(shown).toEqual([expect.objectContaining({ title: notice.title })])
  const [opened] = await click()
  await page.goto(opened!)
  const name = nameOf(owner.account)
  await expect(page.getByRole('dialog', { name: `Open in ${name}?` })).toContainText(owner.account.email)
  await button(page, `Open in ${name}`).click()
  await expect(whose(page)).toContainText(owner.account.email)
  await expect(page.getByRole('heading', { name: 'Noticed bot' })).toBeVisible()
  await expect(button(page, 'Approve once')).toBeVisible()
  await theirs.close()
})

test('the review of a send names the member who changed its contact @people-screens-6', async ({
  page,
  context,
  bursar,
}) => {
  const owner = await createFundedAccount(bursar)
  const { person } = await joined(bursar, owner.account, 'preparer')
  const [before, after] = [newAddress(), newAddress()]
  const contact = await owner.contact({ name: 'Shop', address: before })
  const changed = await fetch(`${bursar.url}/api/contacts/${contact.id}`, {
    method: 'PUT',
    headers: {
      'content-type': 'application/json',
      'x-account-id': owner.account.session.user.id,
      authorization: `Bearer ${await person.accessToken()}`,
    },
    body: JSON.stringify({ name: 'Shop', address: after }),
  })
  expect(changed.status).toBe(200)
  await owner.account.keep(context)
  await page.goto(`/dashboard/wallets?send=${owner.wallet.id}`)
  await page.getByLabel('Recipient address', { exact: true }).fill(after)
  await page.getByLabel('Amount', { exact: true }).fill('1')
  await button(page, 'Review').click()
  const warning = page.getByText(`${nameOf(person)} changed this contact`)
  await expect(warning).toBeVisible()
  await audit(page, 'send-changed-contact')
  await button(page, 'Send 1.00 USDC').click()
  await expect(page.getByRole('heading', { name: 'Sent 1.00 USDC' })).toBeVisible(within(45_000))
  await button(page, 'Done').click()
  await page.goto(`/dashboard/wallets?send=${owner.wallet.id}`)
  await page.getByLabel('Recipient address', { exact: true }).fill(after)
  await page.getByLabel('Amount', { exact: true }).fill('2')
  await button(page, 'Review').click()
  await expect(page.getByText('You have paid this address once before.')).toBeVisible()
  await expect(warning, 'it was paid since').toHaveCount(0)
})
