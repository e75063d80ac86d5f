/** Session keys, revoke authority, the owner's exit and recovery (docs/product.md: wallets). */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { BrowserContext, Page, Route } from '@playwright/test'
import { createPublicClient, createWalletClient, http, parseEther, toFunctionSelector, toHex } from 'viem'
import { english, generateMnemonic, mnemonicToAccount } from 'viem/accounts'
import type { SessionKeyInfo } from '#schemas/sessionKey.ts'
import type { Wallet } from '#schemas/wallet.ts'
import { type BursarClient, until } from '../../local/client.ts'
import { agentWalletAbi } from '../../worker/chain/abi.ts'
import { within } from '../support/patience.ts'
import { addressFor } from '../support/stackClient.ts'
import { createFundedWallet } from '../support/testStack.ts'
import { type Account, createAccount } from './accounts.ts'
import { audit } from './audit.ts'
import { test as base, expect, onChain, soon } from './fixtures.ts'
import { injectWallet } from './injectedWallet.ts'

/** Long enough for a payment to be on chain. */

type WalletUser = { account: Account; token: string; phrase: string; wallet: Wallet }

/** Creates a user with a funded wallet, owned by the first account of a new recovery phrase. */
async function createWalletUser(bursar: BursarClient, funds = '100', ownerAddress?: string): Promise<WalletUser> {
  const phrase = generateMnemonic(english, 128)
  const account = await createAccount(bursar)
  const token = account.session.accessToken
  const owner = ownerAddress ?? mnemonicToAccount(phrase).address
  return { account, token, phrase, wallet: await createFundedWallet(bursar, token, { owner, name: 'Treasury', funds }) }
}

/** `user`: signed in, with a funded wallet. */
const test = base.extend<{ user: WalletUser }>({
  user: async ({ context, bursar }, use) => {
    const user = await createWalletUser(bursar)
    await user.account.keep(context)
    await use(user)
  },
})

const infoOf = async (bursar: BursarClient, { token, wallet }: WalletUser) =>
  bursar.api<SessionKeyInfo>(`/wallets/smart-wallets-v2/${wallet.id}/session-key`, { token })

const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })
const alertDialogOf = (page: Page, name: string) => page.getByRole('alertdialog', { name, exact: true })
const sign = (page: Page, secret: string) =>
  page.getByRole('textbox', { name: 'Recovery phrase or private key' }).fill(secret)

/** Records what the pages send. Returns a check that neither this nor anything they store contains a secret. */
function recorder(context: BrowserContext) {
  const sent: string[] = []
  context.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
  return async (page: Page, secrets: string[]) => {
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
    for (const secret of secrets)
      for (const text of [...sent, kept]) expect(text.toLowerCase().includes(secret.toLowerCase())).toBe(false)
    // Nothing stored is named like a key either.
    expect(kept).not.toMatch(/privateKey|sealed|mnemonic/i)
  }
}

test('shows what the session key may do and rotates it, by keyboard alone @session-keys-1', {
  tag: ['@core', '@promised-too'],
}, async ({ page, bursar, user }) => {
  const before = await infoOf(bursar, user)
  await page.goto('/dashboard/wallets')
  const card = page.getByTestId('wallet-card').filter({ hasText: 'Treasury' })
  const menu = card.getByRole('button', { name: /more|menu|actions/i })
  await expect(menu).toBeEnabled() // its code loads after the page
  await menu.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Session key' }).focus()
  await page.keyboard.press('Enter')

  const info = dialogOf(page, 'Session Key Management')
  await expect(info.getByTestId('exposure')).toContainText('Most that can leave without you: $100.00 USDC')
  await expect(info.getByTestId('exposure')).toContainText('we can renew it by up to $10,000.00 USDC a day')
  const facts = info.getByTestId('session-facts')
  await expect(facts).toContainText('Active')
  await expect(facts).toContainText('$1,000.00')
  await expect(facts).toContainText('By Bursar, or by you')
  await audit(page, 'session-info')
  await info.getByRole('button', { name: 'Rotate session key' }).focus()
  await page.keyboard.press('Enter')

  const form = dialogOf(page, 'Rotate session key')
  const limit = form.getByLabel('Spending limit', { exact: true })
  await expect(limit).toBeFocused()
  await expect(limit).toHaveValue('1000')
  await expect(form.getByLabel('Duration in hours')).toHaveValue('720')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('$40.50')
  await expect(limit).toHaveValue('$40.50')
  await expect(form.getByTestId('exposure')).toContainText('now: $100.00 USDCAfter this: $40.50 USDC')
  await form.getByRole('button', { name: '7 days' }).focus()
  await page.keyboard.press('Space')
  await expect(form.getByLabel('Duration in hours')).toHaveValue('168')
  await audit(page, 'session-rotate')
  await form.getByLabel('Duration in hours').focus()
  await page.keyboard.press('Enter')

  await expect(dialogOf(page, 'Session key rotated')).toBeVisible(onChain)
  await expect(page.getByTestId('action-progress')).toHaveAttribute('data-status', 'done')
  await audit(page, 'session-rotated')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  const after = await infoOf(bursar, user)
  expect(after).toMatchObject({ nonce: 2, spendingLimit: '40500000', spentAmount: '0', isActive: true })
  expect(after.address).not.toBe(before.address)
  await expect(card).toContainText('$40.50 of $40.50 left', soon)
  await expect(card.getByTestId('wallet-can-leave')).toHaveText('$40.50 USDC', soon)
})

test.describe('when the server fails', () => {
  test.use({ tolerated: /status of 50\d|Failed to load resource/ })

  test('failed loading and rotating show errors and can be retried under the same idempotency key @session-keys-4', async ({
    page,
    bursar,
    user,
  }) => {
    const fails = (route: import('@playwright/test').Route) => route.fulfill({ status: 500, body: '{}' })
    await page.route('**/session-key', fails)
    await page.goto(`/dashboard/wallets?session=${user.wallet.id}`)
    const info = dialogOf(page, 'Session Key Management')
    await expect(info.getByRole('alert')).toContainText('Couldn’t load the session key', within(15_000))
    await page.unroute('**/session-key')
    await info.getByRole('button', { name: 'Try again' }).click()
    await info.getByRole('button', { name: 'Rotate session key' }).click()
    const form = dialogOf(page, 'Rotate session key')
    await test.step('limit and duration are checked at their bounds @session-keys-2', async () => {
      const limit = form.getByLabel('Spending limit', { exact: true })
      const hours = form.getByLabel('Duration in hours')
      for (const [value, text] of [
        ['', 'Spending limit must be at least $1'],
        ['0.999999', 'Spending limit must be at least $1'],
        ['10000.000001', 'Spending limit cannot exceed $10,000'],
      ] as const) {
        await limit.fill(value)
        await limit.blur()
        await expect(form.getByRole('alert')).toHaveText(text)
      }
      for (const value of ['10000.', '10000']) {
        await limit.fill(value)
        await limit.blur()
        await expect(form.getByRole('alert')).toHaveCount(0)
      }
      for (const [value, text] of [
        ['', 'Duration must be at least 1 hour'],
        ['0', 'Duration must be at least 1 hour'],
        ['1.5', 'Duration must be a whole number of hours'],
        ['ten', 'Duration must be a whole number of hours'],
        ['2161', 'Duration cannot exceed 2160 hours (90 days)'],
      ] as const) {
        await hours.fill(value)
        await form.getByRole('button', { name: 'Rotate session key' }).click()
        await expect(form.getByRole('alert')).toHaveText(text)
      }
      await audit(page, 'session-rotate-wrong')
      for (const preset of ['$100', '$500', '$1,000', '$5,000', '$10,000', '1 day', '7 days', '30 days', '90 days'])
        await form.getByRole('button', { name: preset, exact: true }).click()
      await expect(limit).toHaveValue('10000')
      await expect(hours).toHaveValue('2160')
      await expect(form.getByRole('alert')).toHaveCount(0)
      expect((await infoOf(bursar, user)).actions, 'nothing was started').toEqual([])
    })
    for (const preset of ['$1,000', '30 days']) await form.getByRole('button', { name: preset, exact: true }).click()

    // The first reply is lost.
    const keys: (string | undefined)[] = []
    await page.route('**/rotate-session-key', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      const response = await route.fetch()
      return keys.length === 1 ? route.fulfill({ status: 500, body: '{}' }) : route.fulfill({ response })
    })
    await form.getByRole('button', { name: 'Rotate session key' }).click()
    await expect(form.getByRole('alert')).toHaveText(
      'Failed to rotate session key. Please try again or contact support.',
    )
    await page.route('**/session-key', fails)
    await form.getByRole('button', { name: 'Rotate session key' }).click()
    const progress = page.getByTestId('action-progress')
    await expect(progress.getByRole('alert')).toContainText('Failed to fetch session key info')
    await page.unroute('**/session-key')
    await progress.getByRole('button', { name: 'Try again' }).click()
    await expect(dialogOf(page, 'Session key rotated')).toBeVisible(onChain)
    expect(keys).toHaveLength(2)
    expect(keys[1]).toBe(keys[0])
    expect(await infoOf(bursar, user), 'rotated only once').toMatchObject({ nonce: 2 })
  })
})

test.describe('with the owner key', () => {
  test.use({ tolerated: /status of (409|422)/ })

  test('the session is revoked, then renewed with a recovery phrase that never leaves the page @session-keys-5', {
    tag: ['@core', '@promised-too'],
  }, async ({ page, context, bursar, user }) => {
    const check = recorder(context)
    await page.goto(`/dashboard/wallets?session=${user.wallet.id}`)
    await page.getByRole('button', { name: 'Revoke session' }).click()
    const revoke = alertDialogOf(page, 'Revoke session')
    await expect(revoke).toBeVisible()
    await audit(page, 'session-revoke')
    await revoke.getByRole('button', { name: 'Sign and revoke' }).click()
    await expect(revoke.getByRole('alert')).toHaveText('Please enter your recovery phrase or private key')
    await sign(page, 'abandon abandon zebraa able able able able able able able able able')
    await revoke.getByRole('button', { name: 'Sign and revoke' }).click()
    await expect(revoke.getByRole('alert')).toHaveText(
      '“zebraa” is not a word of a recovery phrase. Check its spelling.',
    )
    await sign(page, generateMnemonic(english, 128))
    await revoke.getByRole('button', { name: 'Sign and revoke' }).click()
    await expect(revoke.getByRole('alert')).toContainText(`This wallet’s owner is ${user.wallet.ownerAddress}`)
    await sign(page, `  ${user.phrase.toUpperCase().replaceAll(' ', '  ')} `)
    let calls = 0
    await page.route('**/owner-actions', (route) => (++calls === 1 ? undefined : route.continue())) // first: no reply
    await page.clock.install()
    await revoke.getByRole('button', { name: 'Sign and revoke' }).click()
    await expect.poll(() => calls).toBe(1)
    await page.clock.runFor(15_000)
    await page.getByRole('button', { name: 'Stop waiting' }).click()
    await expect(revoke).toContainText('The server has not replied. It may still succeed.')
    await page.clock.resume()
    await revoke.getByRole('button', { name: 'Sign and revoke' }).click()
    await expect(dialogOf(page, 'Session key revoked')).toBeVisible(onChain)
    await page.getByRole('button', { name: 'Done' }).click()
    expect(await infoOf(bursar, user)).toMatchObject({ isActive: false, canRotate: false, sessionRevoked: true })

    const card = page.getByTestId('wallet-card')
    await expect(card).toContainText(
      'You ended the session key. Nothing is paid from this wallet until it has another',
      soon,
    )
    await expect(card.getByTestId('wallet-can-leave')).toHaveText('$0.00 USDC', soon)
    await audit(page, 'wallet-session-revoked')
    await card.getByRole('button', { name: 'Send' }).click()
    await expect(page.getByTestId('spendable')).toContainText('until you renew it with your owner key.')
    await page.keyboard.press('Escape')
    await card.getByRole('button', { name: 'Renew with owner key' }).click()
    const info = dialogOf(page, 'Session Key Management')
    await expect(info.getByTestId('exposure')).toContainText('Most that can leave without you: $0.00 USDC')
    await expect(info.getByTestId('session-facts')).toContainText('Only you can: you revoked the session')
    await expect(info.getByTestId('session-facts')).toContainText('Inactive')
    await audit(page, 'session-revoked')
    await info.getByRole('button', { name: 'Renew with owner key' }).click()
    const form = dialogOf(page, 'Renew with your owner key')
    await form.getByRole('button', { name: '$500', exact: true }).click()
    await sign(page, user.phrase)
    await audit(page, 'session-renew')
    await form.getByRole('button', { name: 'Sign and renew' }).click()
    await expect(dialogOf(page, 'Session key renewed')).toBeVisible(onChain)
    expect(await infoOf(bursar, user)).toMatchObject({ isActive: true, canRotate: true, spendingLimit: '500000000' })
    const { privateKey } = mnemonicToAccount(user.phrase).getHdKey()
    await check(page, [user.phrase, Buffer.from(privateKey!).toString('hex')])
  })

  test('a rotation above what we may grant in a day asks the owner to sign @session-keys-6', { tag: '@core' }, async ({
    page,
    bursar,
    user,
  }) => {
    const { token } = user
    const grant = { spendingLimit: '10000000000', ttlHours: 720, purchaseAllowance: 16 }
    const path = `/wallets/smart-wallets-v2/${user.wallet.id}/rotate-session-key`
    await bursar.api(path, { token, key: randomUUID(), body: grant })
    await until('the first grant', async () => (await infoOf(bursar, user)).nonce === 2)
    const body = { walletId: user.wallet.id, toAddress: addressFor('shop'), amount: '5' }
    await bursar.api('/transactions/send', { token, key: randomUUID(), body })
    await until('the payment', async () => (await infoOf(bursar, user)).spentAmount === '5000000')

    await page.goto(`/dashboard/wallets?session=${user.wallet.id}`)
    const facts = page.getByTestId('session-facts')
    await expect(facts).toContainText('Spending limit$10,000.00For purchases$16.00Spent$5.00')
    await expect(facts).toContainText('Left for sends$9,979.00')
    await page.getByRole('button', { name: 'Rotate session key' }).click()
    const form = dialogOf(page, 'Rotate session key')
    await expect(form.getByLabel('For purchases', { exact: true })).toHaveValue('16')
    await form.getByRole('button', { name: '$10,000', exact: true }).click()
    await form.getByRole('button', { name: 'Rotate session key' }).click()
    await expect(form.getByRole('alert')).toContainText(
      'Bursar may grant this wallet at most 10,000.00 USDC per UTC day',
    )
    await audit(page, 'session-cap')
    await form.getByRole('button', { name: 'Sign with your owner key instead' }).click()
    const renew = dialogOf(page, 'Renew with your owner key')
    await renew.getByRole('button', { name: '$10,000', exact: true }).click()
    await sign(page, user.phrase)
    await renew.getByRole('button', { name: 'Sign and renew' }).click()
    await expect(dialogOf(page, 'Session key renewed')).toBeVisible(onChain)
    const renewed = { spendingLimit: '10000000000', purchaseAllowance: 16, spentAmount: '0' }
    expect(await infoOf(bursar, user)).toMatchObject({ nonce: 3, ...renewed })
    await page.keyboard.press('Escape')
    await expect(page.getByTestId('wallet-card')).toContainText('$9,984.00 of $9,984.00 left')
  })

  test('revoking authority takes four steps, and the page notices the owner’s transaction by itself @session-keys-7', {
    tag: '@core',
  }, async ({ page, context, bursar, user }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`/dashboard/wallets?authority=${user.wallet.id}`)
    await expect(alertDialogOf(page, 'Revoke our authority?')).toBeVisible()
    await audit(page, 'authority-1')
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(alertDialogOf(page, 'This can’t be undone')).toBeVisible()
    await audit(page, 'authority-2')
    await page.getByRole('button', { name: 'I understand' }).click()
    const confirm = alertDialogOf(page, 'Confirm')
    const next = confirm.getByRole('button', { name: 'Continue' })
    for (const wrong of ['revoke access', 'REVOKE ACCESS ', 'REVOKE']) {
      await confirm.getByRole('textbox').fill(wrong)
      await expect(next).toBeDisabled()
    }
    await confirm.getByRole('textbox').fill('REVOKE ACCESS')
    await audit(page, 'authority-3')
    await page.keyboard.press('Enter')

    const last = dialogOf(page, 'Revoke it on chain')
    await expect(last).toContainText(user.wallet.address)
    await expect(last).toContainText('disableRotationAuthority()')
    await last.getByRole('button', { name: 'Copy calldata' }).click()
    const calldata = await page.evaluate(() => navigator.clipboard.readText())
    expect(calldata).toBe(toFunctionSelector('disableRotationAuthority()'))
    await expect(last.getByTestId('authority-watch')).toContainText('Watching the chain')
    await audit(page, 'authority-4')
    expect((await infoOf(bursar, user)).rotationDisabled, 'no call was made').toBe(false)

    // The owner sends the call that was shown, from another wallet.
    const chain = createPublicClient({ transport: http(process.env.BURSAR_RPC!), pollingInterval: 100 })
    const account = mnemonicToAccount(user.phrase)
    const wei = toHex(parseEther('1'))
    await chain.request({ method: 'anvil_setBalance', params: [account.address, wei] } as never)
    const owner = createWalletClient({ account, transport: http(process.env.BURSAR_RPC!) })
    await owner.sendTransaction({
      chain: null,
      to: user.wallet.address as `0x${string}`,
      data: calldata as `0x${string}`,
    })
    await expect(page.getByTestId('authority-revoked')).toBeVisible(onChain)
    await audit(page, 'authority-done')
    await page.getByRole('button', { name: 'Done' }).click()

    await page.goto(`/dashboard/wallets?session=${user.wallet.id}`)
    const info = dialogOf(page, 'Session Key Management')
    await expect(info.getByTestId('exposure')).toContainText(
      'Our rotation authority is off: only you can renew or raise it.',
    )
    await expect(info.getByRole('button', { name: 'Renew with owner key' })).toBeVisible()
    await expect(info.getByRole('button', { name: 'Rotate session key' })).toHaveCount(0)
  })

  test('revoking authority can be signed with the recovery phrase in step four @session-keys-8', {
    tag: '@core',
  }, async ({ page, bursar, user }) => {
    await page.goto(`/dashboard/wallets?authority=${user.wallet.id}`)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'I understand' }).click()
    await page.getByRole('textbox').fill('REVOKE ACCESS')
    await page.keyboard.press('Enter')
    await sign(page, user.phrase)
    await page.getByRole('button', { name: 'Sign and revoke authority' }).click()
    await expect(page.getByTestId('authority-revoked')).toBeVisible(onChain)
    expect(await infoOf(bursar, user)).toMatchObject({ rotationDisabled: true, canRotate: false, isActive: true })
  })
})

test('a connected owner wallet withdraws everything, and another account is told that it is not the owner @session-keys-9', {
  tag: ['@core', '@promised-too'],
}, async ({ page, context, bursar }) => {
  const wallet = await injectWallet(context)
  const [first, second] = wallet.addresses
  const user = await createWalletUser(bursar, '42.5', first)
  await user.account.keep(context)
  await page.goto(`/dashboard/wallets?exit=${user.wallet.id}`)
  const form = dialogOf(page, 'Withdraw everything')
  const to = form.getByLabel('To address')
  for (const [value, text] of [
    ['', 'Wallet address is required'],
    ['vitalik.eth', 'Wallet address must start with 0x'],
    ['0x1234', 'Wallet address must be 42 characters long (0x + 40 hex characters)'],
    [user.wallet.address, 'This is the wallet itself. Choose another address.'],
  ] as const) {
    await to.fill(value)
    await page.keyboard.press('Enter')
    await expect(form.getByRole('alert')).toHaveText(text)
  }
  await audit(page, 'exit-address')
  const target = addressFor(randomUUID())
  await to.fill(` ${target} `)
  await page.keyboard.press('Enter')
  const review = dialogOf(page, 'Withdraw 42.50 USDC')
  await expect(review.getByTestId('full-address').first()).toContainText(target)
  await review.getByRole('radio', { name: /My connected wallet/ }).check()
  const go = review.getByRole('button', { name: 'Sign and withdraw 42.50 USDC' })
  await expect(go).toBeDisabled()
  await review.getByRole('button', { name: 'Connect wallet' }).click()
  await page.getByRole('dialog', { name: 'Connect a wallet' }).getByRole('button', { name: 'Test Wallet' }).click()
  await expect(go).toBeEnabled()
  await wallet.choose(page, [second, first])
  await expect(review.getByRole('alert')).toContainText('This account is not the owner of this wallet')
  await expect(go).toBeDisabled()
  await wallet.choose(page, [first, second])
  await audit(page, 'exit-sign')

  wallet.refuse('eth_signTypedData_v4')
  await go.click()
  await expect(review.getByRole('alert')).toHaveText('You rejected the request in your wallet.')
  // More arrives while the dialog is open: what is signed is never another amount than the one that was read.
  await page.route(
    '**/owner-signing-context',
    async (route) => {
      const response = await route.fetch()
      const { data, ...reply } = await response.json()
      await route.fulfill({ response, json: { ...reply, data: { ...data, balance: '5042500000' } } })
    },
    { times: 1 },
  )
  await go.click()
  await expect(review.getByRole('alert')).toHaveText('The balance has changed. Check the new amount, then sign again.')
  await go.click()
  await expect(dialogOf(page, 'Everything withdrawn')).toBeVisible(onChain)
  await audit(page, 'exit-done')
  const chain = createPublicClient({ transport: http(process.env.BURSAR_RPC!) })
  const state = await chain.readContract({
    address: user.wallet.address as `0x${string}`,
    abi: agentWalletAbi,
    functionName: 'state',
  })
  expect(state.balance).toBe(0n)
  await dialogOf(page, 'Everything withdrawn').getByRole('button', { name: 'Done' }).click()
  await expect(page.getByTestId('wallet-balance')).toHaveText(/^\$0\.00/, soon)
})

test('the recovery sheet has what an owner needs but no secret, and links the recovery page @session-keys-10', async ({
  page,
  request,
  user,
}) => {
  await page.goto(`/dashboard/wallets?recovery=${user.wallet.id}`)
  const dialog = dialogOf(page, 'Recovery sheet')
  const sheet = dialog.getByTestId('recovery-sheet')
  await expect(sheet).toContainText(user.wallet.address)
  await expect(sheet).toContainText(user.wallet.ownerAddress)
  await audit(page, 'recovery-sheet')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download sheet' }).click(),
  ])
  const text = readFileSync(await download.path(), 'utf8')
  for (const fact of [user.wallet.address, user.wallet.ownerAddress, user.wallet.factory, 'chain id 8453', 'withdraw('])
    expect(text).toContain(fact)
  const words = text.toLowerCase().split(/\W+/).join(' ')
  const phrase = user.phrase.split(' ')
  const threeInARow = phrase.slice(2).map((_, i) => phrase.slice(i, i + 3).join(' '))
  expect(threeInARow.filter((part) => words.includes(part))).toEqual([])

  const [file] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('link', { name: 'Recovery page' }).click(),
  ])
  const html = readFileSync(await file.path(), 'utf8')
  expect(html).toContain('<title>Bursar recovery</title>')
  expect(html).not.toMatch(/(src|href)=/)
  const served = await request.get('/recovery')
  expect(served.headers()['content-security-policy']).toContain("default-src 'none'")

  await page.emulateMedia({ media: 'print' })
  const printed = page.getByTestId('recovery-sheet') // its dialog is not printed
  await expect(printed.getByRole('heading', { name: 'Recovery sheet: Treasury' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Print' })).toHaveCount(0)
})

/** Refuses every search of logs. */
async function refuseLogs(route: Route) {
  const calls = [route.request().postDataJSON()].flat() as { id: number; method: string }[]
  if (!calls.some(({ method }) => /Logs|Receipts/.test(method))) return route.continue()
  const replies = calls.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32000, message: 'not now' } }))
  await route.fulfill({ json: replies.length === 1 ? replies[0] : replies })
}

test('the served recovery page: layout, keyboard and error messages @session-keys-11', async ({
  page,
  bursar,
  seeded,
  baseURL,
}) => {
  const user = await createWalletUser(bursar)
  await page.goto('/recovery')
  await expect(page.getByLabel('RPC URL')).toBeVisible()
  await audit(page, 'recovery-page')
  await page.getByLabel('RPC URL').fill(`${baseURL}/dev/rpc/8453`)
  await page.getByLabel('Recovery phrase or private key').fill(user.phrase)
  await page.keyboard.press('Tab')
  await page.keyboard.type('0x1234')
  await page.keyboard.press('Enter')
  const status = page.getByRole('status')
  await expect(status).toContainText('Wallet address must be 42 characters long')
  await page.getByLabel('Wallet address').fill(addressFor('nobody'))
  await page.getByRole('button', { name: 'Look up' }).click()
  await expect(status, 'only a launch writes factories into the page').toContainText('knows no wallet factory on Base')
  await page.getByLabel('Wallet factory').fill(user.wallet.factory)
  await page.getByRole('button', { name: 'Look up' }).click()
  await expect(status).toContainText('There is no contract at')
  await page.getByLabel('Wallet address').fill(seeded.wallet.address)
  await page.getByRole('button', { name: 'Look up' }).click()
  await expect(page.getByText('Your key can’t move anything here.')).toBeVisible()
  await page.getByLabel('Wallet address').fill('')
  await page.route('**/dev/rpc/8453', refuseLogs)
  await page.getByRole('button', { name: 'Look up' }).click()
  await expect(page.getByText('were not searched for your wallets: the node refused it (not now).')).toBeVisible()
  await audit(page, 'recovery-incomplete')
  await page.unroute('**/dev/rpc/8453')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(status).toContainText('Your wallet is below.')
  await expect(page.getByText('100.00 USDC', { exact: true })).toBeVisible()
  await expect(page.getByText('Network fees are paid by the owner address')).toBeVisible()
  await expect(page.getByLabel('Recovery phrase or private key'), 'the phrase is cleared').toHaveValue('')
  await page.getByLabel('To address').fill('0x12')
  await page.getByRole('button', { name: 'Withdraw 100.00 USDC' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Wallet address must be' })).toBeVisible()
  await audit(page, 'recovery-found')
})
