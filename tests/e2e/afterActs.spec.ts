/** After an act, the pages that were open before show the new state within three seconds. */
import type { Page } from '@playwright/test'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { within } from '../support/patience.ts'
import { expect, soon, testAsOwner as test } from './fixtures.ts'

const dialog = (page: Page) => page.getByRole('dialog').or(page.getByRole('alertdialog'))
const press = (page: Page, name: string | RegExp) => dialog(page).getByRole('button', { name, exact: true }).click()
const widget = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** Goes to a page as a person does, which keeps what was loaded before. */
async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name, exact: true }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
}

test('a paused agent is no longer counted as active, and one that is resumed is @screens-73', {
  tag: '@promised',
}, async ({ page, owner }) => {
  const group = await owner.group('Counted')
  await owner.agent(group, 'Counter')
  await page.goto('/dashboard/overview')
  const active = widget(page, 'Active Agents').getByText(/^\d+$/)
  const before = Number(await active.textContent())
  for (const [item, count, state] of [
    ['Pause', before - 1, 'Paused'],
    ['Resume', before, 'Active'],
  ] as const) {
    await goTo(page, 'Agents')
    await page.getByRole('navigation', { name: 'Policy groups' }).getByRole('link', { name: 'Counted' }).click()
    await page.getByRole('button', { name: 'Actions for Counter' }).click()
    await page.getByRole('menuitem', { name: item }).click()
    if (item === 'Pause') await press(page, 'Pause')
    await expect(page.getByTestId('agent-row').filter({ hasText: 'Counter' })).toContainText(state, soon)
    await goTo(page, 'Overview')
    await expect(active).toHaveText(String(count), soon)
  }
})

test('a topped-up budget is on the page of usage, too @screens-74', { tag: '@promised' }, async ({ page, owner }) => {
  const group = await owner.group('Refilled')
  await owner.agent(group, 'Reader')
  await page.goto('/dashboard/usage')
  const usage = page.getByRole('listitem').filter({ hasText: 'Refilled' })
  await expect(usage).toContainText('of $20.00')
  await goTo(page, 'Agents')
  await page.getByRole('navigation', { name: 'Policy groups' }).getByRole('link', { name: 'Refilled' }).click()
  await page.getByTestId('group-detail').getByRole('button', { name: 'Top Up', exact: true }).click()
  await page.getByLabel('Amount').fill('5.5')
  await press(page, 'Top Up 5.50 USDC')
  await expect(page.getByTestId('group-detail')).toContainText('$25.50', soon)
  await expect(dialog(page)).toBeHidden()
  await goTo(page, 'Usage')
  await expect(usage).toContainText('of $25.50', soon)
})

test('a contact’s name is on earlier payments from when it is added to when it is deleted @screens-75', {
  tag: '@promised',
}, async ({ page, owner }) => {
  const address = privateKeyToAddress(generatePrivateKey())
  const short = `${address.slice(0, 6)}…${address.slice(-4)}`
  await owner.api('/transactions/send', { walletId: owner.wallet.id, toAddress: address, amount: '0.1' })
  const named = page.getByRole('row').filter({ hasText: 'Katherine Johnson' })
  await page.goto('/dashboard/transactions')
  await expect(page.getByRole('row').filter({ hasText: short })).toBeVisible()
  await goTo(page, 'Contacts')
  await page.getByRole('button', { name: 'Add Contact' }).first().click()
  await page.getByLabel('Name', { exact: true }).fill('Katherine Johnson')
  await page.getByLabel('Wallet address', { exact: true }).fill(address)
  await press(page, 'Add Contact')
  await expect(named).toBeVisible(soon)
  await goTo(page, 'Transactions')
  await expect(named).toBeVisible(soon)
  await goTo(page, 'Contacts')
  await page.getByRole('button', { name: 'Delete Katherine Johnson' }).click()
  await press(page, 'Delete Contact')
  await expect(named).toHaveCount(0, soon)
  await goTo(page, 'Transactions')
  await expect(page.getByRole('row').filter({ hasText: short })).toBeVisible(soon)
})

test('a denied payment no longer waits, in the bell, the approvals and the transactions @screens-76', {
  tag: ['@core', '@promised'],
}, async ({ page, owner }) => {
  const group = await owner.group('Asking', { approveAbove: '5' })
  const { apiKey } = await owner.agent(group, 'Asker')
  const to = privateKeyToAddress(generatePrivateKey())
  await owner.pay(apiKey!, '6.25', to)
  await page.goto('/dashboard/transactions')
  const row = page.getByRole('row').filter({ hasText: `${to.slice(0, 6)}…${to.slice(-4)}` })
  await expect(row).toContainText('Awaiting approval')
  const bell = page.getByRole('link', { name: /^Notices:/ })
  const waiting = async () => Number(/(\d+) waiting/.exec((await bell.getAttribute('aria-label'))!)?.[1] ?? 0)
  await expect.poll(waiting).toBeGreaterThan(0)
  const before = await waiting()
  await row.click()
  await page.getByRole('dialog').getByRole('link', { name: 'Decide' }).click()
  await page.getByRole('button', { name: 'Deny', exact: true }).click()
  await expect(page.getByText('Denied by you.')).toBeVisible(soon)
  await expect.poll(waiting, soon).toBe(before - 1)
  await goTo(page, 'Transactions')
  await expect(row).not.toContainText('Awaiting approval', soon)
})

test('a reclaimed payout is no longer outstanding, on its page and on the overview @screens-77', {
  tag: ['@core', '@promised'],
}, async ({ page, owner }) => {
  const recipientEmail = `back-${Date.now()}@bursar.test`
  await owner.api('/escrow/create', {
    sourceWalletId: owner.wallet.id,
    amount: '1.25',
    recipientEmail,
    expiresInDays: 1,
  })
  await page.goto('/dashboard/payouts')
  const row = page.getByRole('row').filter({ hasText: recipientEmail })
  await expect(row).toContainText('Awaiting Claim')
  await expect(row.getByRole('button', { name: /^Reclaim funds of/ })).toBeVisible()
  await goTo(page, 'Overview')
  const unclaimed = widget(page, 'Quick Stats').getByRole('listitem').filter({ hasText: 'Unclaimed payouts' })
  await expect(unclaimed).toContainText('$')
  const before = await unclaimed.textContent()
  await goTo(page, 'Payouts')
  await row.getByRole('button', { name: /^Reclaim funds of/ }).click()
  await press(page, /^Reclaim 1\.25 USDC$/)
  await expect(page.getByRole('dialog', { name: /Reclaimed/ })).toBeVisible(within(40_000)) // several blocks
  await page.keyboard.press('Escape')
  await expect(row).toContainText('Reclaimed', soon)
  await goTo(page, 'Overview')
  await expect(unclaimed).not.toHaveText(before!, soon)
  await goTo(page, 'Transactions')
  await expect(page.getByRole('row').filter({ hasText: recipientEmail }).first()).toContainText('Returned', soon)
})

test('an edited group and a renamed agent have the new name and limit on other pages, too @screens-86', {
  tag: '@promised',
}, async ({ page, owner }) => {
  const group = await owner.group('Draft')
  const { apiKey } = await owner.agent(group, 'Ada')
  await owner.pay(apiKey!, '1.75')
  await page.goto('/dashboard/usage')
  const usage = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  await expect(usage('Draft')).toContainText('of $20.00')
  await goTo(page, 'Transactions')
  const rows = (agent: string) => page.getByRole('row').filter({ hasText: agent })
  await expect(rows('Ada')).toHaveCount(1)

  await goTo(page, 'Agents')
  await page.getByRole('navigation', { name: 'Policy groups' }).getByRole('link', { name: 'Draft' }).click()
  await page.getByTestId('group-detail').getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByLabel('Policy name').fill('Final')
  await page.getByLabel('Budget limit').fill('31')
  await press(page, 'Save Changes')
  await expect(page.getByRole('navigation', { name: 'Policy groups' })).toContainText('Final', soon)
  await page.getByRole('button', { name: 'Actions for Ada' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace')
  await press(page, 'Save Changes')
  await expect(page.getByTestId('agent-row').filter({ hasText: 'Ada Lovelace' })).toBeVisible(soon)
  await goTo(page, 'Usage')
  await expect(usage('Final')).toContainText('of $31.00', soon)
  await expect(usage('Draft')).toHaveCount(0)
  await goTo(page, 'Transactions')
  await expect(rows('Ada Lovelace')).toHaveCount(1, soon)
})

test('a renamed wallet has its new name in the transactions @screens-87', { tag: '@promised' }, async ({
  page,
  owner,
}) => {
  const rename = (name: string | null) => owner.api(`/wallets/${owner.wallet.id}`, { name }, 'PUT')
  await rename('Spending')
  await page.goto('/dashboard/transactions?type=deposit')
  const row = page.getByRole('row').filter({ hasText: 'Deposit' }).first()
  await expect(row).toContainText('Spending')
  await goTo(page, 'Wallets')
  await page.getByRole('button', { name: 'More for Spending' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByLabel('Wallet name').fill('Savings')
  await press(page, 'Rename Wallet')
  await expect(page.getByTestId('wallet-card').filter({ hasText: 'Savings' })).toBeVisible(soon)
  await goTo(page, 'Transactions')
  await expect(row).toContainText('Savings', soon)
  await rename(null)
})
