/** More than one person in an account: inviting, joining, switching, and what a role leaves out. */
import type { BrowserContext, Page } from '@playwright/test'
import type { Member } from '#schemas/people.ts'
import type { BursarClient } from '../../local/client.ts'
import { within } from '../support/patience.ts'
import { type Account, createAccount } from './accounts.ts'
import { audit } from './audit.ts'
import { expect, test } from './fixtures.ts'
import { createFundedAccount, createOwner, newAddress } from './people.ts'

/** Refusals that the tests cause, whose status the browser logs. */
test.use({ tolerated: /status of (401|403|404|409|410|422)/ })

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const nameOf = ({ session }: Account) => session.user.name!

/** The account's Treasury knows whose it is, as those of people who have signed up do. */
const named = async (bursar: BursarClient, owner: Account, name = nameOf(owner)) =>
  bursar.api(`/users/${owner.session.user.id}`, { token: await owner.accessToken(), method: 'PATCH', body: { name } })

/** Invites a person. Returns the path of the link in the mail. */
async function invite(bursar: BursarClient, owner: Account, email: string, role: string) {
  const body = { email, role, password: owner.password }
  await named(bursar, owner)
  const member = await bursar.api<Member>('/people', { token: await owner.accessToken(), body })
  const [, path] = await bursar.message(email, /https?:\/\/[^/\s]+(\/join#token=\S+)/, 'the invitation')
  return { member, path: path! }
}

/** A person who has joined the account of `owner`. */
async function joined(bursar: BursarClient, owner: Account, role: string) {
  const person = await createAccount(bursar)
  const { member, path } = await invite(bursar, owner, person.email, role)
  const token = await person.accessToken()
  await bursar.api('/people/join', { token, body: { token: path.split('token=')[1] } })
  return { person, member }
}

const whose = (page: Page) => page.getByRole('banner')

/** Opens another account with the menu's switcher; null for one's own. */
async function switchTo(page: Page, owner: Account | null) {
  const isPanel = await button(page, 'Open menu').isVisible()
  if (isPanel) await button(page, 'Open menu').click()
  const name = owner ? owner.email : 'Your own account'
  await page.getByRole('list').getByRole('button', { name }).click()
  if (owner) await expect(whose(page)).toContainText(owner.email)
  else await expect(whose(page)).not.toContainText('You act for')
}

/** Counts presses on the page from now on. */
async function countPresses(page: Page): Promise<() => number> {
  let presses = 0
  await page.exposeFunction('countPress', () => {
    presses += 1
  })
  await page.addInitScript(() => {
    const count = (event: Event) => {
      if (event.isTrusted) (globalThis as unknown as { countPress: () => void }).countPress()
    }
    addEventListener('pointerdown', count, true)
  })
  return () => presses
}

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
  expect(page.url()).not.toContain(token)
  await audit(page, 'join-signed-out', [390])
  await page.getByRole('link', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { name: 'Welcome Back' })).toBeVisible()
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await button(page, 'Sign In').click()
  await expect(page.getByRole('heading', { name: `Join ${nameOf(owner.account)}` })).toBeVisible()
  await expect(page.getByRole('main')).toContainText(owner.account.email)
  await expect(page.getByRole('main')).toContainText('approve or deny what agents ask for')
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
  await expect(people).toContainText('approve or deny what agents ask for')

  const limit = page.getByRole('region', { name: 'A second person' })
  await expect(limit).toContainText('No second person is needed.')
  await button(page, 'Set a Limit').click()
  await dialog.getByLabel('Above this amount in 24 hours').fill('100')
  await audit(page, 'people-second-person')
  await dialog.getByLabel('Your password').fill(owner.password)
  await button(page, 'Save limit').click()
  await expect(limit).toContainText('Above 100.00 USDC in 24 hours, a second person must agree.')
  await button(page, 'Change Limit').click()
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
  await other.getByRole('link', { name: /^Notices/ }).click()
  await expect(other.getByText(`You no longer act for ACME. This is your own account.`)).toBeVisible()
  await expect(whose(other)).not.toContainText(owner.email)
  await theirs.close()
})

async function contextOf(
  made: Promise<BrowserContext>,
  person: Account,
  watch: { over(context: BrowserContext): Promise<void> },
) {
  const context = await made
  await watch.over(context)
  await person.keep(context)
  return context
}

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
  const group = await owner.group('Viewed')
  await owner.agent(group, 'Viewed bot')
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

test('above the limit the owner sees who has to decide, and a new approver from when they can @people-screens-5', async ({
  page,
  context,
  browser,
  bursar,
  watch,
}) => {
  const owner = await createOwner(bursar)
  const { person } = await joined(bursar, owner.account, 'approver')
  await owner.api('/people/second-person', { above: '5', password: owner.account.password }, 'PUT')
  const group = await owner.group('Limited')
  const { apiKey } = await owner.agent(group, 'Limited bot')
  const { body: asked } = await owner.pay<{ approval: { id: string } }>(apiKey!, '6')
  await owner.account.keep(context)
  await page.goto(`/dashboard/approvals/${asked.approval.id}`)
  await expect(
    page.getByText(/Would be refused now: Above 5\.00 USDC in 24 hours.*an approver has to decide/),
  ).toBeVisible()
  await expect(button(page, 'Deny')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Approve/ })).toHaveCount(0)
  await audit(page, 'approval-second-person')

  const theirs = await contextOf(browser.newContext(), person, watch)
  const other = await theirs.newPage()
  await other.goto('/dashboard/overview')
  await expect(other.getByTestId('total-balance')).toBeVisible()
  await switchTo(other, owner.account)
  await other.goto(`/dashboard/agents?group=${group.id}`)
  await expect(other.getByText(/If you agree to all limits of this group.*You can do so from/)).toBeVisible()
  await expect(button(other, 'Confirm these rules')).toHaveCount(0)
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
