/** The part of a session's limit that is kept for purchases, wherever people choose it (record 087). */
import { randomUUID } from 'node:crypto'
import type { Locator, Page } from '@playwright/test'
import { english, generateMnemonic, mnemonicToAccount } from 'viem/accounts'
import type { PolicyGroup } from '#schemas/policy.ts'
import type { SessionKeyInfo } from '#schemas/sessionKey.ts'
import type { Wallet } from '#schemas/wallet.ts'
import type { BursarClient } from '../../local/client.ts'
import { createFundedWallet } from '../support/testStack.ts'
import { createAccount } from './accounts.ts'
import { audit } from './audit.ts'
import { deployWithNewPhrase } from './deployWallet.ts'
import { test as base, expect, onChain } from './fixtures.ts'
import { keyboard } from './inputModes.ts'

/** Long enough for a payment to be on chain. */

/** `user`: signed in. */
const test = base.extend<{ user: { token: string } }>({
  user: async ({ context, bursar }, use) => {
    const account = await createAccount(bursar)
    await account.keep(context)
    await use({ token: account.session.accessToken })
  },
})

const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })
const infoOf = (bursar: BursarClient, token: string, walletId: string) =>
  bursar.api<SessionKeyInfo>(`/wallets/smart-wallets-v2/${walletId}/session-key`, { token })

const wrong = [
  ['', 'Purchase allowance must be a whole number of USDC'],
  ['1.5', 'Purchase allowance must be a whole number of USDC'],
] as const

test('a new wallet keeps a part of its first limit for purchases @session-keys-32', async ({ page, bursar, user }) => {
  await page.goto('/dashboard/wallets?deploy=true')
  const form = dialogOf(page, 'Deploy Smart Wallet')
  const allowance = form.getByLabel('For purchases', { exact: true })
  await expect(form.getByLabel('Wallet name')).toBeVisible()
  await expect(allowance, 'nothing about purchases for those who make none').toBeHidden()
  await form.getByText('Advanced', { exact: true }).press('Enter')
  await expect(allowance).toHaveValue('0')
  await expect(allowance).toHaveAccessibleDescription(
    /^The purchase allowance is the part of the limit .* \$50\.00 would/,
  )
  for (const [text, problem] of [...wrong, ['1001', 'Purchase allowance cannot exceed the spending limit']] as const) {
    await allowance.fill(text)
    await allowance.press('Enter')
    await expect(form.getByRole('alert')).toHaveText(problem)
    await expect(allowance).toBeFocused()
    await expect(allowance).toHaveAttribute('aria-invalid', 'true')
  }
  await audit(page, 'deploy-allowance-wrong')
  await allowance.fill('50')
  await expect(form.getByRole('alert')).toHaveCount(0)
  await expect(allowance).toHaveAccessibleDescription(
    'Purchase allowance: $50.00 of the limit is kept for x402 purchases, and sends have that much less. It pays for up to 500 purchases of at most $0.01, 150 of at most $0.10, and 30 of at most $1.00.',
  )
  await audit(page, 'deploy-allowance')
  await form.getByLabel('Wallet name').fill('Shopping')
  await deployWithNewPhrase(page)
  await expect(dialogOf(page, 'Smart Wallet Created')).toBeVisible(onChain)
  await expect(page.getByTestId('address-matches')).toBeVisible()
  await page.getByRole('button', { name: 'Done' }).click()
  const card = page.getByTestId('wallet-card').filter({ hasText: 'Shopping' })
  await expect(card).toContainText('Session limit for sends$950.00 of $950.00 left')
  await audit(page, 'wallet-allowance')
  const [wallet] = await bursar.api<Wallet[]>('/wallets', { token: user.token })
  expect(await infoOf(bursar, user.token, wallet!.id)).toMatchObject({ purchaseAllowance: 50, nonce: 1 })
})

test('a rotation, or the owner, changes what is kept for purchases, by keyboard @session-keys-33', {
  tag: '@core',
}, async ({ page, bursar, user }) => {
  const { token } = user
  const phrase = generateMnemonic(english, 128)
  const owner = mnemonicToAccount(phrase).address
  const { id } = await createFundedWallet(bursar, token, { owner, name: 'Treasury', funds: '100' })
  await page.goto(`/dashboard/wallets?session=${id}`)
  const facts = page.getByTestId('session-facts')
  await expect(facts).toContainText('For purchases$0.00Spent$0.00Left for sends$1,000.00')
  await page.getByRole('button', { name: 'Rotate session key' }).press('Enter')
  const form = dialogOf(page, 'Rotate session key')
  const limit = form.getByLabel('Spending limit', { exact: true })
  const allowance = form.getByLabel('For purchases', { exact: true })
  await expect(allowance).toHaveValue('0')
  for (const [text, problem] of [...wrong, ['501', 'Purchase allowance cannot exceed the spending limit']] as const) {
    await limit.fill('500')
    await allowance.fill(text)
    await allowance.blur()
    await expect(form.getByRole('alert')).toHaveText(problem)
  }
  await audit(page, 'session-allowance-wrong')
  // The last value is allowed with a higher limit.
  await form.getByRole('button', { name: '$1,000', exact: true }).press('Space')
  await expect(form.getByRole('alert')).toHaveCount(0)
  await form.getByRole('button', { name: '$100', exact: true }).press('Space')
  await limit.press('Enter')
  await expect(form.getByRole('alert')).toHaveText('Purchase allowance cannot exceed the spending limit')
  await expect(allowance).toBeFocused()
  expect((await infoOf(bursar, token, id)).actions, 'nothing was started').toEqual([])
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('30')
  await expect(form.getByTestId('exposure')).toContainText('After this: $100.00 USDC')
  await audit(page, 'session-allowance')
  await allowance.press('Enter')
  await expect(dialogOf(page, 'Session key rotated')).toBeVisible(onChain)
  await page.keyboard.press('Escape')
  const card = page.getByTestId('wallet-card').filter({ hasText: 'Treasury' })
  await expect(card).toContainText('Session limit for sends$70.00 of $70.00 left')
  expect(await infoOf(bursar, token, id)).toMatchObject({
    ...{ spendingLimit: '100000000', purchaseAllowance: 30, nonce: 2 },
  })

  // The present allowance is filled in, and the owner signs for another one.
  await page.goto(`/dashboard/wallets?session=${id}`)
  await page.route('**/session-key', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as { data: SessionKeyInfo }
    await route.fulfill({ response, json: { ...body, data: { ...body.data, canRotate: false } } })
  })
  await page.reload()
  await page.getByRole('button', { name: 'Renew with owner key' }).click()
  const renew = dialogOf(page, 'Renew with your owner key')
  await expect(renew.getByLabel('For purchases', { exact: true })).toHaveValue('30')
  await renew.getByLabel('For purchases', { exact: true }).fill('45')
  await renew.getByRole('textbox', { name: 'Recovery phrase or private key' }).fill(phrase)
  await renew.getByRole('button', { name: 'Sign and renew' }).click()
  await expect(dialogOf(page, 'Session key renewed')).toBeVisible(onChain)
  expect(await infoOf(bursar, token, id)).toMatchObject({
    ...{ spendingLimit: '1000000000', purchaseAllowance: 45, nonce: 3 },
  })
})

test('the first group that may buy leads to an allowance, which changes nothing else @session-keys-37', async ({
  page,
  bursar,
  user,
}) => {
  const { token } = user
  const wallet = await createFundedWallet(bursar, token, { name: 'Treasury', funds: '100' })
  const before = await infoOf(bursar, token, wallet.id)
  const { press, fill } = keyboard(page)
  const buys = (form: Locator) => form.getByRole('checkbox', { name: 'x402 purchases' })
  const keepsNothing = 'Treasury keeps nothing for purchases yet.'

  await page.goto('/dashboard/agents?newGroup=true')
  const create = dialogOf(page, 'Add New Policy Group')
  await fill(create.getByLabel('Policy name'), 'Research')
  await fill(create.getByLabel('Budget limit'), '10')
  await expect(create.getByLabel('Wallet', { exact: true })).toHaveValue(wallet.id)
  await expect(create.getByRole('note')).toHaveCount(0)
  await press(buys(create))
  await expect(create.getByRole('note')).toHaveText(
    `${keepsNothing} Once this is saved, you choose how much of its limit it keeps: $20.00 is proposed, and sends have that much less.`,
  )
  await audit(page, 'group-purchases')
  await press(create.getByRole('button', { name: 'Create Policy Group' }))
  const keep = dialogOf(page, 'Keep a part for purchases')
  await expect(keep).toContainText(
    'Agents may buy from x402 sellers now, but Treasury keeps nothing for purchases yet.',
  )
  await press(keep.getByRole('button', { name: 'Not now' }))
  await expect(page.getByRole('dialog')).toHaveCount(0)
  const detail = page.getByTestId('group-detail')
  await expect(detail).toContainText('Agents may pay sellers that charge by x402.')
  await expect(detail).toContainText('Treasury keeps nothing for purchases yet, so they are refused.')
  await audit(page, 'group-nothing-kept')
  await press(detail.getByRole('button', { name: 'Keep a Part for Purchases' }))
  await page.keyboard.press('Escape')
  await expect(keep).toBeHidden()
  expect((await infoOf(bursar, token, wallet.id)).actions, 'nothing was started').toEqual([])

  // The permission is given to another group by editing it. Its agents are shown first.
  const body = { name: 'Errands', spendLimit: 10, scopes: ['address_payments:write'], walletId: wallet.id }
  const group = await bursar.api<PolicyGroup>('/policy-groups', { token, key: randomUUID(), body })
  await bursar.api('/agents', { token, key: randomUUID(), body: { name: 'Scout', policyGroupId: group.id } })
  await page.goto(`/dashboard/agents?group=${group.id}&editGroup=true`)
  const edit = dialogOf(page, 'Edit Policy Group')
  await press(buys(edit))
  await expect(edit).toContainText(keepsNothing)
  await press(edit.getByRole('button', { name: 'Save Changes' }))
  await press(dialogOf(page, 'Policy group updated').getByRole('button', { name: 'Done' }))
  const allowance = keep.getByLabel('For purchases', { exact: true })
  await expect(allowance).toHaveValue('20')
  await expect(keep.getByLabel('Spending limit', { exact: true })).toHaveValue('1000')
  await expect(keep.getByTestId('exposure')).toContainText('now: $100.00 USDCAfter this: $100.00 USDC')
  await fill(allowance, '1001')
  await press(keep.getByRole('button', { name: 'Rotate session key' }))
  await expect(keep.getByRole('alert')).toHaveText('Purchase allowance cannot exceed the spending limit')
  await expect(allowance).toBeFocused()
  await audit(page, 'group-allowance-wrong')
  await fill(allowance, '20')
  await audit(page, 'group-allowance')
  await press(keep.getByRole('button', { name: 'Rotate session key' }))
  await expect(dialogOf(page, 'Session key rotated')).toBeVisible(onChain)
  await page.keyboard.press('Escape')
  const after = await infoOf(bursar, token, wallet.id)
  expect(after).toMatchObject({ spendingLimit: before.spendingLimit, purchaseAllowance: 20, nonce: 2 })
  expect(Math.abs(after.validUntil - before.validUntil), 'within the hour').toBeLessThanOrEqual(3600)

  // It may be read before the box is checked, or after.
  const read = page.waitForResponse('**/session-key')
  await page.goto('/dashboard/agents?newGroup=true')
  await expect(create.getByLabel('Wallet', { exact: true })).toHaveValue(wallet.id)
  await buys(create).check()
  await read
  await expect(create.getByRole('note'), 'something is kept already').toHaveCount(0)
})
