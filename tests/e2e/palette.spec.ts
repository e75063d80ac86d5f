/** The command palette: from anywhere to anything, by keyboard alone and by mouse. */
import type { Page } from '@playwright/test'
import type { Transaction } from '#schemas/transaction.ts'
import { demo } from '../../local/stack/seed.ts'
import { login } from './accounts.ts'
import { audit } from './audit.ts'
import { beSignedIn, expect, test } from './fixtures.ts'

test.beforeEach(({ context, seeded }) => beSignedIn(context, seeded))

const field = (page: Page) => page.getByRole('combobox', { name: 'Search and commands' })
const chosen = (page: Page) => page.getByRole('option', { selected: true })
async function open(page: Page, text = '') {
  await expect(page.getByRole('button', { name: /^Search/ })).toBeVisible() // the shortcut works from then on
  await page.keyboard.press('ControlOrMeta+k')
  await expect(field(page)).toBeFocused()
  await page.keyboard.insertText(text)
}

test('opens with Ctrl-K, moves with the arrow keys, goes with Enter and closes with Escape @palette-1', {
  tag: '@core',
}, async ({ page }) => {
  await page.goto('/dashboard/settings')
  const name = page.getByRole('button', { name: 'Change Password' })
  await name.focus()
  await open(page)
  await audit(page, 'palette')
  await expect(field(page)).toHaveAttribute('aria-expanded', 'true')
  await expect(chosen(page)).toHaveText('Overview')
  await expect(page.getByRole('option').last()).toContainText('Send from') // once wallets are loaded
  const first = await chosen(page).textContent()
  await page.keyboard.press('ArrowDown')
  await expect(chosen(page)).not.toHaveText(first!)
  const id = await chosen(page).getAttribute('id')
  await expect(field(page)).toHaveAttribute('aria-activedescendant', id!)
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await expect(chosen(page)).toContainText('Send from') // wraps around
  await page.keyboard.press('Escape')
  await expect(field(page)).toBeHidden()
  await expect(name).toBeFocused()

  for (const [text, path] of [
    ['over', 'overview'],
    ['go wallets', 'wallets'],
    ['Agents', 'agents'],
    ['contacts', 'contacts'],
    ['usage', 'usage'],
    ['transac', 'transactions'],
    ['payouts', 'payouts'],
    ['settings', 'settings'],
  ] as const) {
    await open(page, text)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(new RegExp(`/dashboard/${path}$`))
    await expect(field(page)).toBeHidden()
  }
})

test('finds actions, contacts and agents with their groups @palette-2', async ({ page, seeded }) => {
  await page.goto('/dashboard/overview')
  await page.getByRole('button', { name: /^Search/ }).click()
  await page.getByRole('option', { name: 'Create payout' }).click()
  await expect(page.getByRole('dialog', { name: 'Create Payout' })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await expect(field(page), 'it does not open over a dialog').toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await open(page, 'send from')
  await expect(chosen(page)).toContainText('Send from')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/dashboard\/wallets\?send=/)
  await expect(page.getByRole('dialog')).toContainText('Send')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await open(page, 'GRACE hop')
  await expect(page.getByRole('group', { name: 'Contacts' }).getByRole('option')).toHaveCount(1)
  await page.getByRole('group', { name: 'Contacts' }).getByRole('option').click()
  await expect(page.getByRole('dialog', { name: 'Edit Contact' }).getByLabel('Name')).toHaveValue('Grace Hopper')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await open(page, 'grace')
  await expect(chosen(page), 'a contact comes before the action that pays it').toContainText('Grace Hopper')
  await expect(page.getByRole('option').last()).toHaveText('Send to Grace Hopper')
  await page.keyboard.press('Escape')

  await open(page, 'scout')
  await expect(chosen(page)).toContainText('Agent in Research')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`group=${seeded.group.id}&agent=`))

  await open(page, 'nothing is called so')
  await expect(page.getByText('Nothing matches “nothing is called so”. Payments are found by')).toBeVisible()
  await audit(page, 'palette-nothing')
})

test('finds a transaction by its id, its hash, or a part of either @palette-3', async ({ page, bursar }) => {
  await test.step('what is typed before its code is there is in the field @palette-8', async () => {
    const release = Promise.withResolvers<void>()
    await page.route(/\/assets\/CommandPalette-[\w-]+\.js$/, async (route) => {
      await release.promise
      await route.continue()
    })
    await page.goto('/dashboard/settings')
    await expect(page.getByRole('button', { name: /^Search/ })).toBeVisible()
    await page.keyboard.press('ControlOrMeta+k')
    await page.keyboard.type('payouz')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('ts')
    release.resolve()
    await expect(field(page)).toBeFocused()
    await expect(field(page)).toHaveValue('payouts')
    await expect(chosen(page)).toHaveText('Payouts')
    await page.keyboard.press('Escape')
    await page.keyboard.press('ControlOrMeta+k')
    await expect(field(page), 'once').toHaveValue('')
  })
  const { accessToken } = await login(bursar, demo.email, demo.password)
  const rows = await bursar.api<Transaction[]>('/transactions/user?status=completed', { token: accessToken })
  const { id, txHash } = rows.find((row) => row.txHash !== null)!
  await page.goto('/dashboard/contacts')
  for (const text of [id, txHash!, txHash!.slice(0, 14), id.slice(4)]) {
    await open(page, text)
    const option = page.getByRole('group', { name: 'Transactions' }).getByRole('option').filter({ hasText: id })
    await expect(option).toBeVisible()
    await option.click()
    await expect(page).toHaveURL(
      ({ pathname, searchParams }) => pathname === '/dashboard/transactions' && searchParams.get('detail') === id,
    )
    await expect(page.getByRole('dialog', { name: 'Transaction details' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }
})
