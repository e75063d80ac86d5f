/** Contacts (docs/product.md: payouts, agents). */

import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { PolicyGroup } from '#schemas/policy.ts'
import { createAccount } from './accounts.ts'
import { audit } from './audit.ts'
import { button, expect, onChain, test as signedOut, testAsPayer as test } from './fixtures.ts'
import { type Input, inputModes } from './inputModes.ts'
import { newAddress } from './people.ts'

const dialog = (page: Page) => page.getByRole('dialog')
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })
const alert = (page: Page) => page.getByRole('alert')
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

/** By a button of the row; on a phone, by the row's menu. */
async function startAct(page: Page, input: Input, act: 'Edit' | 'Delete', name: string): Promise<void> {
  if (page.viewportSize()!.width >= 768) return input.press(button(page, `${act} ${name}`))
  await input.press(button(page, `Actions for ${name}`))
  await page.getByRole('menuitem', { name: act }).press('Enter')
}

for (const { by, viewport, inputOf, look } of inputModes)
  test.describe(`by ${by}`, () => {
    test.use({ viewport })

    test('adds, finds, changes, deletes and restores a contact @contacts-1', { tag: '@core' }, async ({ page }) => {
      const input = inputOf(page)
      const name = `Ada 🦉 ${by}`
      const address = newAddress()
      await page.goto('/dashboard/contacts')
      await input.press(button(page, 'Add Contact').first())
      await expect(field(page, 'Name')).toBeFocused()
      await input.fill(field(page, 'Name'), `  ${name} `)
      await input.fill(field(page, 'Wallet address'), ` ${address} `)
      await input.fill(field(page, 'Phone'), '+1 (415) 555-0123')
      await input.press(dialog(page).getByRole('button', { name: 'Add Contact' }))
      await expect(page.getByText(`${name} was added to your contacts.`)).toBeVisible()
      await expect(row(page, name)).toContainText('+14155550123')
      await expect(row(page, name)).toContainText('$0.00 USDC')

      await input.fill(page.getByRole('searchbox', { name: 'Search contacts' }), address.toLowerCase())
      await expect(page.getByRole('row')).toHaveCount(2) // including the header
      await startAct(page, input, 'Edit', name)
      await expect(field(page, 'Wallet address')).toHaveValue(address)
      await input.fill(field(page, 'Wallet address'), '')
      await input.fill(field(page, 'Phone'), '')
      await input.fill(field(page, 'Email'), 'ada@bursar.test')
      await input.fill(field(page, 'Description'), 'Wrote the first program')
      await input.press(button(page, 'Save Changes'))
      await expect(dialog(page)).toBeHidden()
      await expect(page.getByText('No contacts found')).toBeVisible() // the address is no longer hers
      await input.press(button(page, 'Clear search'))
      await expect(row(page, name)).toContainText('ada@bursar.test')
      await expect(row(page, name)).not.toContainText(/0x|\+1/)
      await expect(row(page, name)).toContainText('Wrote the first program')

      await startAct(page, input, 'Delete', name)
      await expect(page.getByRole('alertdialog', { name: `Delete ${name}?` })).toBeVisible()
      await input.press(button(page, 'Delete Contact'))
      await expect(page.getByRole('alertdialog')).toBeHidden()
      await expect(row(page, name)).toHaveCount(0)
      await input.press(button(page, 'Undo'))
      await expect(page.getByText(`${name} is restored.`)).toBeVisible()
      await expect(row(page, name)).toContainText('Wrote the first program')
    })

    test('pays a contact from a chosen wallet @contacts-2', { tag: '@core' }, async ({ page, own }) => {
      const input = inputOf(page)
      const name = `Paid ${by}`
      const address = newAddress()
      await own.contact({ name, address })
      await page.goto('/dashboard/contacts')
      await input.press(button(page, `Send to ${name}`))
      await expect(dialog(page)).toContainText(`To pay ${name} from.`)
      await look(page, 'contact-wallet-picker')
      await input.press(
        dialog(page)
          .getByRole('button', { name: /available/ })
          .first(),
      )
      await expect(page.getByRole('combobox', { name: 'Contact' })).toHaveValue(name)
      await expect(page.getByRole('radio', { name: /^Wallet address/ })).toBeChecked()
      await input.fill(field(page, 'Amount'), '0.5')
      await input.press(button(page, 'Review'))
      await expect(page.getByTestId('full-address')).toContainText(address)
      await expect(button(page, 'Send 0.50 USDC')).toBeEnabled()
      await input.press(button(page, 'Send 0.50 USDC'))
      await expect(page.getByRole('heading', { name: 'Sent 0.50 USDC' })).toBeVisible(onChain)
      await input.press(button(page, 'Done'))
      await expect(page).toHaveURL('/dashboard/contacts')
      const [sent] = await own.api<{ contact: { name: string } }[]>('/transactions/user')
      expect(sent?.contact.name).toBe(name)
    })
  })

test('errors are shown when a field is left, and again on saving @contacts-3', async ({ page, own }) => {
  const address = newAddress()
  await own.contact({ name: 'Twin', address, email: 'twin@bursar.test' })
  await page.goto('/dashboard/contacts?add=true')
  await field(page, 'Name').fill(' ')
  await field(page, 'Wallet address').fill('ada.eth')
  await expect(alert(page)).toHaveText(['Name is required'])
  await field(page, 'Email').focus()
  await expect(alert(page)).toHaveText(['Name is required', 'Wallet address must start with 0x'])
  await field(page, 'Wallet address').fill('0x52908400098527886e0F7030069857D2E4169EE7')
  await expect(alert(page).nth(1)).toHaveText('Invalid wallet address format')
  await field(page, 'Wallet address').fill('')
  await field(page, 'Email').fill('ada@')
  await field(page, 'Phone').fill('0151 23')
  await field(page, 'Description').fill('x'.repeat(501))
  await dialog(page).getByRole('button', { name: 'Add Contact' }).click()
  await expect(alert(page)).toHaveText([
    'Name is required',
    'Invalid email format',
    'Phone number must be in international form, for example +14155550123',
    'Description must be at most 500 characters',
  ])
  await expect(field(page, 'Name')).toBeFocused()
  await audit(page, 'contact-errors')
  for (const each of ['Email', 'Phone', 'Description']) await field(page, each).fill('')
  await field(page, 'Name').fill('Ada\u202e')
  await expect(alert(page)).toHaveText('Name must not contain control or invisible characters')
  await field(page, 'Name').fill('Ada')
  await dialog(page).getByRole('button', { name: 'Add Contact' }).click()
  await expect(alert(page)).toHaveText('At least one contact method (wallet address or email) is required')
  await field(page, 'Email').fill('nobody-has-this@bursar.test')
  await expect(alert(page)).toHaveCount(0)

  await test.step('a duplicate gets a warning but is allowed @contacts-4', async () => {
    await field(page, 'Email').fill('')
    await field(page, 'Name').fill('twin')
    await expect(alert(page).last()).toHaveText('Twin has the same name.')
    await field(page, 'Wallet address').fill(address.toLowerCase())
    await expect(alert(page)).toHaveText('Twin has the same wallet address.')
    await audit(page, 'contact-duplicate')
    await dialog(page).getByRole('button', { name: 'Add Contact' }).click()
    await expect(dialog(page)).toBeHidden()
  })
})

test('the dialogs say what depends on a contact before it is changed or deleted @contacts-5', async ({ page, own }) => {
  const contact = await own.contact({ name: 'Trusted', address: newAddress() })
  const group = await own.api<PolicyGroup>('/policy-groups', {
    name: 'Couriers',
    spendLimit: 20,
    scopes: ['contact_payments:write'],
    walletId: own.wallet.id,
    whitelistedContactIds: [contact.id],
  })
  const whitelist = async () =>
    (await own.api<PolicyGroup[]>('/policy-groups')).find(({ id }) => id === group.id)!.whitelistedContacts
  await page.goto(`/dashboard/contacts?edit=${contact.id}`)
  await field(page, 'Description').fill('Same ways')
  await expect(alert(page)).toHaveCount(0)
  await field(page, 'Wallet address').fill(newAddress())
  await expect(alert(page)).toContainText('Agents in Couriers may pay this contact. After this change they can’t')
  await audit(page, 'contact-edit')
  await button(page, 'Save Changes').click()
  await expect(dialog(page)).toBeHidden()
  expect(await whitelist()).toMatchObject([{ stale: true }])

  await button(page, 'Delete Trusted').click()
  await expect(page.getByRole('alertdialog').getByRole('listitem')).toHaveText(['Couriers'])
  await audit(page, 'contact-delete')
  await button(page, 'Delete Contact').click()
  await page.getByText('Trusted is deleted.').hover() // it stays, however long the audit takes
  await audit(page, 'contact-deleted', [1400])
  expect(await whitelist()).toEqual([])
  await button(page, 'Undo').click()
  await expect(page.getByText(/Trusted is restored\. Agents in Couriers can’t pay it/)).toBeVisible()
  expect(await whitelist()).toEqual([])

  await test.step('a contact can be deleted only once the dialog says what depends on it @contacts-6', async () => {
    await own.contact({ name: 'Unhurried', address: newAddress() })
    const { promise: shown, resolve: show } = Promise.withResolvers<void>()
    await page.route(/\/api\/contacts\/.*\/groups/, async (route) => {
      await shown
      await route.continue()
    })
    await page.goto('/dashboard/contacts')
    await button(page, 'Delete Unhurried').click()
    await expect(page.getByRole('alertdialog')).toContainText('Checking which policy groups use it...')
    await expect(button(page, 'Delete Contact')).toBeDisabled()
    show()
    await button(page, 'Delete Contact').click()
    await expect(page.getByText('Unhurried is deleted.')).toBeVisible()
  })
})

test.describe('failures', () => {
  test.use({ tolerated: /status of (404|409|500)|ERR_FAILED/ })

  test('deleting a contact in two tabs at the same time succeeds in both @contacts-7', async ({
    page,
    context,
    own,
  }) => {
    const { id } = await own.contact({ name: 'Twice', address: newAddress() })
    const other = await context.newPage()
    for (const tab of [page, other]) {
      await tab.goto(`/dashboard/contacts?delete=${id}`)
      await button(tab, 'Delete Contact').waitFor()
    }
    await Promise.all([page, other].map((tab) => button(tab, 'Delete Contact').click()))
    for (const tab of [page, other]) {
      await expect(tab.getByText('Twice is deleted.')).toBeVisible()
      await expect(row(tab, 'Twice')).toHaveCount(0)
      await expect(tab).toHaveURL('/dashboard/contacts')
    }

    await test.step('a balance that can’t be read shows as unavailable, and the list still loads @contacts-8', async () => {
      await own.contact({ name: 'Unread', address: newAddress() })
      await page.route('**/api/contacts/balances?*', (route) => route.abort())
      await page.goto('/dashboard/contacts')
      await expect(row(page, 'Unread')).toContainText('Unavailable')
      await audit(page, 'contacts-unavailable')
    })
  })
})

test.describe('too many calls', () => {
  test.use({ tolerated: /status of 429/ })

  test('the page says that it waits, and goes on by itself @contacts-26', async ({ page, own }) => {
    const { name } = await own.contact({ name: 'Patient', address: newAddress() })
    const refusal = { success: false, error: 'Too many requests', code: 'rate_limited' }
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    let asked = 0
    // The second call waits, and the notice with it, until the notice was looked at.
    await page.route('**/api/contacts?*', async (route) => {
      if (++asked === 1) return route.fulfill({ status: 429, headers: { 'retry-after': '4' }, json: refusal })
      await released
      return route.continue()
    })
    await page.goto('/dashboard/contacts')
    const notice = page.getByText('That was a lot at once. The rest of this page follows in a moment.')
    await expect(notice).toBeVisible()
    await audit(page, 'contacts-waiting')
    release()
    await expect(row(page, name)).toBeVisible()
    expect(asked).toBe(2)
    await expect(notice).toBeHidden()
  })
})

signedOut('many contacts are paged, and a search covers all pages @contacts-10', async ({ page, context, bursar }) => {
  const many = await createAccount(bursar)
  const token = many.session.accessToken
  for (let i = 1; i <= 27; i++) {
    const body = { name: `Person ${String(i).padStart(2, '0')}`, email: `p${i}@bursar.test` }
    await bursar.api('/contacts', { token, method: 'POST', body })
  }
  await many.keep(context)
  await page.goto('/dashboard/contacts')
  await expect(page.getByText('Showing 1-25 of 27 contacts')).toBeVisible()
  await button(page, 'Next page').click()
  await expect(page.getByRole('row')).toHaveCount(3)
  await page.getByRole('searchbox', { name: 'Search contacts' }).fill('PERSON 27')
  await expect(page.getByRole('row')).toHaveCount(2)
  await audit(page, 'contacts-found')
  await page.getByRole('searchbox', { name: 'Search contacts' }).fill('nobody')
  await expect(page.getByText('No contact matches “nobody”.')).toBeVisible()
  await button(page, 'Clear search').click()
  await expect(page.getByText('Showing 1-25 of 27 contacts')).toBeVisible()
  await button(page, 'Next page').click()
  for (const name of ['Person 02', 'Person 01']) {
    await button(page, `Delete ${name}`).click()
    await button(page, 'Delete Contact').click()
    await expect(page.getByText(`${name} is deleted.`)).toBeVisible()
  }
  await expect(row(page, 'Person 27'), 'the only page left').toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Pages' })).toHaveCount(0)
})

test('the list fits every width and is accessible @contacts-11', async ({ page, own }) => {
  await own.contact({
    name: 'A name that goes on '.repeat(5).trim(),
    address: newAddress(),
    email: `${'long'.repeat(15)}@bursar.test`,
  })
  await page.goto('/dashboard/contacts')
  await expect(page.getByRole('columnheader')).toHaveText([
    'Name',
    'Contact Methods',
    'Description',
    'Created',
    'Actions',
  ])
  await expect(row(page, 'A name that goes on')).toContainText('USDC')
  await audit(page, 'contacts')

  await test.step('contacts are sorted by name and by date, also on a phone @screens-56', async () => {
    const tag = randomUUID().slice(0, 8)
    for (const name of ['Berta', 'anna', 'Carl'])
      await own.contact({ name: `${name} ${tag}`, email: `${tag}@bursar.test` })
    await page.goto('/dashboard/contacts')
    await page.getByRole('searchbox', { name: 'Search contacts' }).fill(tag)
    const names = () => page.getByRole('row').filter({ hasText: tag })
    const shows = (order: string[]) => expect(names()).toContainText(order)
    await expect(names()).toHaveCount(3)
    await shows(['Carl', 'anna', 'Berta'])
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await shows(['anna', 'Berta', 'Carl'])
    await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'ascending')
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await shows(['Carl', 'Berta', 'anna'])
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByLabel('Sort by').selectOption('Oldest first')
    await shows(['Berta', 'anna', 'Carl'])
  })
})
