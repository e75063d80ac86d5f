import { randomUUID } from 'node:crypto'
import type { BrowserContext, Page, Request, Response } from '@playwright/test'
import { generatePrivateKey, mnemonicToAccount, privateKeyToAddress } from 'viem/accounts'
import type { CreatedAgent, PolicyGroup } from '#schemas/policy.ts'
import type { Wallet } from '#schemas/wallet.ts'
import { type BursarClient, until } from '../../local/client.ts'
import { createFundedWallet } from '../support/testStack.ts'
import { audit } from './audit.ts'
import { deployWithNewPhrase } from './deployWallet.ts'
import { button, expect, onChain, testAsNewUser } from './fixtures.ts'
import { inputModes, tabTo } from './inputModes.ts'

/** Long enough for a payment to be on chain. */
const masterPassword = 'a master password'

type User = { token: string; password: string; bursar: BursarClient }
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })

const test = testAsNewUser.extend<{ user: User }>({
  user: async ({ account, bursar }, use) =>
    use({ token: account.session.accessToken, password: account.password, bursar }),
})

/** Refusals that the tests cause, whose status the browser logs. */
test.use({ tolerated: /status of (400|409|422|429|502)|net::ERR_FAILED/ })

/** Imports a wallet over the API, funded by the local faucet. */
async function imported(
  { bursar, token }: User,
  over: { name?: string; chain?: Wallet['chain']; amount?: string; privateKey?: `0x${string}` } = {},
): Promise<Wallet & { privateKey: `0x${string}` }> {
  const { chain = 'base', privateKey = generatePrivateKey(), amount, name } = over
  const address = privateKeyToAddress(privateKey)
  const body = { name: name ?? 'Cold', address, chain, privateKey, masterPassword }
  const wallet = await bursar.api<Wallet>('/wallets/with-private-key', { token, key: randomUUID(), body })
  if (amount) {
    await bursar.plain('/dev/faucet', { body: { address, chain, amount } })
    await until('the money', async () => {
      const list = await bursar.api<Wallet[]>('/wallets', { token })
      return list.find(({ id }) => id === wallet.id)?.usdcBalance?.balance === amount
    })
  }
  return { ...wallet, privateKey }
}

const deployed = ({ bursar, token }: User, name: string, funds: string) =>
  createFundedWallet(bursar, token, { name, funds })

/** Records all traffic, and reads what a page has stored, as text. */
function record(context: BrowserContext) {
  const sent: string[] = []
  const answered: Promise<string>[] = []
  context.on('request', (request: Request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
  context.on('response', (response: Response) => {
    if (/\/(api|v1|dev)\//.test(response.url())) answered.push(response.text().catch(() => ''))
  })
  context.on('page', (page) =>
    page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(String(payload)))),
  )
  return {
    sent,
    answered: () => Promise.all(answered),
    stored: async (page: Page) => {
      const kept = await page.evaluate(async () => {
        const databases = await indexedDB.databases()
        return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, databases])
      })
      return kept
    },
  }
}

/** Returns the addresses of everything in `text` that has the form of a private key. */
function addressesOfKeysIn(text: string): string[] {
  const found = text.match(/(?<![0-9a-fA-F])(?:0x)?[0-9a-fA-F]{64}(?![0-9a-fA-F])/g) ?? []
  return [...new Set(found)].flatMap((digits) => {
    try {
      return [privateKeyToAddress(`0x${digits.replace(/^0x/, '')}`).toLowerCase()]
    } catch {
      return []
    }
  })
}

for (const { by, viewport, inputOf, look } of inputModes)
  test(`deploys a wallet with the ${by}; no key and no word of the phrase leaves the browser or is stored @wallets-1`, {
    tag: '@core',
  }, async ({ page, context }) => {
    await page.setViewportSize(viewport)
    const traffic = record(context)
    const input = inputOf(page)
    await page.clock.install()
    await page.goto('/dashboard/wallets')
    await expect(page.getByText('No wallets yet')).toBeVisible()
    await input.press(button(page, 'New Wallet'))
    const config = dialog(page, 'Deploy Smart Wallet')
    await expect(config.getByLabel('Network')).toBeDisabled()
    await look(page, 'deploy-config')
    await input.fill(config.getByLabel('Wallet name'), '🦊 Operations')
    await input.press(button(page, 'Continue'))

    const setup = dialog(page, 'Wallet Security Setup')
    await expect(button(page, 'Generate Recovery Phrase')).toBeDisabled()
    await input.press(setup.getByRole('checkbox'))
    await page.clock.pauseAt(Date.now() + 1_000)
    await input.press(button(page, 'Generate Recovery Phrase'))
    await page.keyboard.press('Escape')
    await page.clock.runFor(1_900)
    await expect(button(page, 'Generating...'), 'for two seconds').toBeDisabled()
    await page.clock.runFor(200)
    const save = dialog(page, 'Save your recovery phrase')
    await expect(save).toBeVisible()
    await page.clock.resume()
    const words = save.getByTestId('recovery-phrase').locator('li span:last-child')
    await expect(words).toHaveText(Array(12).fill('••••••'))
    await input.press(button(page, 'Reveal phrase'))
    await expect(words).toHaveText(Array(12).fill(/^[a-z]{3,8}$/))
    const phrase = (await words.allTextContents()).join(' ')
    await page.keyboard.press('Escape') // would lose words that are on paper already
    await expect(save).toBeVisible()
    await look(page, 'deploy-phrase')
    const deploy = button(page, 'Deploy Wallet')
    await expect(deploy).toBeDisabled()
    await input.press(save.getByLabel('I have securely saved my recovery phrase'))
    await expect(deploy).toBeDisabled()
    await input.fill(save.getByLabel(/^Type/), 'I have saved my key')
    await expect(deploy).toBeDisabled()
    await input.fill(save.getByLabel(/^Type/), '  i HAVE saved my private key ')
    await input.press(deploy)

    const deploying = dialog(page, 'Deploying your wallet')
    await expect(deploying).toBeVisible()
    await expect(deploying.getByRole('button')).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog'), 'nothing closes it').toBeVisible()
    const done = dialog(page, 'Smart Wallet Created')
    await expect(done).toBeVisible(onChain)
    await expect(done.getByTestId('address-matches')).toBeVisible()
    await look(page, 'deploy-success')
    const owner = mnemonicToAccount(phrase)
    await expect(done.getByText(owner.address)).toBeVisible()
    await input.press(button(page, 'Done'))
    await expect(card(page, '🦊 Operations')).toContainText('Active')
    const green = ['background-color', 'rgb(31, 111, 74)'] as const
    await expect(button(page, 'Add Funds'), 'an empty wallet suggests adding funds, not sending').toHaveCSS(...green)
    await expect(button(page, 'Send')).not.toHaveCSS(...green)

    const wallets = JSON.parse((await traffic.answered()).findLast((text) => text.includes('sessionKeyAddress'))!).data
    const [wallet] = wallets as Wallet[]
    const secret = Buffer.from(owner.getHdKey().privateKey!).toString('hex')
    const everything = [...traffic.sent, ...(await traffic.answered()), await traffic.stored(page)].join('\n')
    expect(everything.toLowerCase()).not.toContain(secret)
    expect(everything).not.toContain(phrase)
    expect(everything).not.toContain(phrase.split(' ').slice(0, 3).join(' '))
    expect(everything.includes(owner.address), 'the owner’s address was sent').toBe(true)
    const keys = addressesOfKeysIn(everything)
    expect(keys, 'neither the owner’s key nor the session’s').not.toContain(owner.address.toLowerCase())
    expect(keys).not.toContain(wallet!.sessionKeyAddress.toLowerCase())
  })

test('retrying a deploy whose reply was lost creates only one wallet @wallets-2', { tag: '@core' }, async ({
  page,
  bursar,
  user,
}) => {
  let lost = 0
  await page.route('**/smart-wallets-v2/deploy', async (route) => {
    if (lost++ > 0) return route.continue()
    await route.fetch() // it was done
    await route.abort()
  })
  await deployInDialog(page, 'Once')
  await expect(page.getByRole('alert')).toContainText('Creation Failed')
  await expect(page.getByRole('alert')).toContainText('Cannot connect to server.')
  await expect(dialog(page, 'Save your recovery phrase')).toBeVisible()
  await button(page, 'Deploy Wallet').click() // the confirmations for this phrase are kept
  await expect(dialog(page, 'Smart Wallet Created')).toBeVisible(onChain)
  await expect(page.getByTestId('address-matches')).toBeVisible()
  expect(await bursar.api<Wallet[]>('/wallets', { token: user.token })).toHaveLength(1)
})

test('a deploy that takes over a minute shows why, can be left, and its wallet can be deleted @wallets-22', async ({
  page,
  bursar,
  user,
}) => {
  await page.clock.install()
  const slow = {
    status: 'deploying',
    deployProblem: 'execution reverted: paused.',
    deploymentTxHash: null,
    usdcBalance: { balance: '0' },
  }
  await page.route('**/api/wallets', async (route) => {
    const response = await route.fetch()
    const { data, ...rest } = await response.json()
    await route.fulfill({ response, json: { ...rest, data: data.map((wallet: Wallet) => ({ ...wallet, ...slow })) } })
  })
  await page.route('**/api/config', async (route) => {
    const response = await route.fetch()
    const { data, ...rest } = await response.json()
    await route.fulfill({ response, json: { ...rest, data: { ...data, primaryChain: 'base-sepolia' } } })
  })
  // The stack deploys on Base only. The page must name the network that it was told.
  await page.route('**/smart-wallets-v2/deploy', (route) =>
    route.continue({ postData: { ...route.request().postDataJSON(), chainId: 8453 } }),
  )
  await deployInDialog(page, 'Late')
  const deploying = dialog(page, 'Deploying your wallet')
  await expect(deploying).toContainText('Please keep this page open.')
  await page.clock.fastForward(61_000)
  await expect(deploying).toContainText('Not created yet: execution reverted: paused.')
  const sent = deploying.getByRole('listitem').filter({ hasText: 'Sent to Base Sepolia' })
  await expect(sent.getByLabel('Now:'), 'as the reason below says').toBeVisible()
  await audit(page, 'deploy-late')
  await button(page, 'Continue in background').click()
  await expect(page).toHaveURL('/dashboard/wallets')
  await expect(card(page, 'Late')).toContainText('Not created yet: execution reverted: paused.')
  await button(page, 'More for Late').click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const remove = page.getByRole('alertdialog', { name: 'Delete Wallet' })
  await expect(remove).toContainText('Nobody should send money to its address.')
  await audit(page, 'delete-late')
  await remove.getByRole('button', { name: 'Delete Wallet' }).click()
  await expect(page.getByText('No wallets yet')).toBeVisible()
  expect(await bursar.api<Wallet[]>('/wallets', { token: user.token })).toEqual([])
})

test('the dialogs report the limits of six wallets and of ten a month @wallets-3', async ({ page, bursar, user }) => {
  const wallets: Wallet[] = []
  for (let i = 1; i <= 6; i++) wallets.push(await imported(user, { name: `Wallet ${i}` }))
  await deployInDialog(page, 'Seventh')
  await expect(page.getByRole('alert')).toContainText(
    'You are currently limited to 6 active wallets at a time. Please contact support with any questions.',
  )
  await audit(page, 'deploy-limit')
  await button(page, 'Cancel').click()
  for (const { id } of wallets.slice(0, 5))
    await bursar.api(`/wallets/${id}`, { method: 'DELETE', token: user.token, body: { password: user.password } })
  for (let i = 7; i <= 10; i++) await imported(user, { name: `Wallet ${i}` })
  await page.reload()
  await expect(page.getByTestId('wallet-card')).toHaveCount(5)
  await button(page, 'Add Existing').click()
  await fillImport(page, { privateKey: generatePrivateKey() })
  await button(page, 'Add Wallet').click()
  await expect(page.getByRole('alert')).toHaveText('You have reached your monthly wallet creation limit of 10.')
})

for (const { by, viewport, inputOf, look } of inputModes)
  test(`imports a wallet by its key and shows the key again, with the ${by} @wallets-4`, { tag: '@core' }, async ({
    page,
    context,
  }) => {
    await page.setViewportSize(viewport)
    const traffic = record(context)
    const input = inputOf(page)
    await page.goto('/dashboard/wallets')
    await input.press(button(page, 'Add Existing'))
    const add = dialog(page, 'Add Wallet')
    await input.press(button(page, 'Add Wallet'))
    await expect(add.getByRole('alert')).toHaveText([
      'Private key is required',
      'Wallet address is required',
      'Master password is required',
    ])
    await look(page, 'import-errors')
    await input.fill(add.getByLabel('Private key', { exact: true }), '0x123')
    await input.fill(add.getByLabel('Wallet address'), 'vitalik.eth')
    await input.press(button(page, 'Add Wallet'))
    await expect(add.getByText('Private key must be 64 hexadecimal digits')).toBeVisible()
    await expect(add.getByText('Wallet address must start with 0x')).toBeVisible()

    const privateKey = generatePrivateKey()
    const address = privateKeyToAddress(privateKey)
    await input.fill(add.getByLabel('Wallet address'), '')
    await input.fill(add.getByLabel('Private key', { exact: true }), ` ${privateKey.slice(2)} `)
    await input.fill(add.getByLabel('Master password', { exact: true }), masterPassword)
    await expect(add.getByLabel('Wallet address'), 'derived from the key').toHaveValue(address)
    await input.fill(add.getByLabel('Wallet address'), privateKeyToAddress(generatePrivateKey()))
    await input.press(button(page, 'Add Wallet'))
    await expect(add.getByText('This private key does not belong to the wallet address.')).toBeVisible()
    await input.fill(add.getByLabel('Wallet address'), `  ${address} `)
    await input.press(button(page, 'Add Wallet'))
    await expect(add).toBeHidden()
    const own = card(page, 'Unnamed Wallet')
    await expect(own).toContainText('Imported')
    await expect(own).toContainText(/We keep this wallet’s key, so all of it, \$[\d,.]+ USDC, can leave without you/)

    await input.press(own.getByRole('button', { name: 'More for Unnamed Wallet' }))
    await choose(page, by, 'View Private Key')
    const view = dialog(page, 'View Private Key')
    await input.press(button(page, 'View Private Key'))
    await expect(view.getByRole('alert')).toHaveText('Master password is required')
    await input.fill(view.getByLabel('Master password', { exact: true }), 'another password')
    await input.press(button(page, 'View Private Key'))
    await expect(view.getByRole('alert')).toHaveText('Invalid master password or failed to retrieve private key.')
    await look(page, 'view-key-wrong')
    await input.fill(view.getByLabel('Master password', { exact: true }), masterPassword)
    await input.press(button(page, 'View Private Key'))
    await expect(page.getByTestId('private-key')).toHaveText(privateKey)
    await look(page, 'view-key')
    await page.evaluate(() => dispatchEvent(new Event('blur')))
    await expect(page.getByTestId('private-key'), 'hidden when the window loses the focus').toBeHidden()

    const carriers = traffic.sent.filter((text) => text.toLowerCase().includes(privateKey.slice(2)))
    expect(carriers.every((text) => text.includes('/wallets/with-private-key'))).toBe(true)
    const stored = await traffic.stored(page)
    expect(stored.toLowerCase()).not.toContain(privateKey.slice(2))
    expect(stored).not.toContain(masterPassword)
    const lists = (await traffic.answered()).filter((text) => text.includes('"walletType"'))
    expect(lists.join().toLowerCase()).not.toContain(privateKey.slice(2))
  })

test('shows cards, totals and exposure, with test money separate @wallets-5', { tag: '@core' }, async ({
  page,
  context,
  bursar,
  user,
}) => {
  const smart = await deployed(user, 'Operations', '1234.567891')
  await imported(user, { name: 'A cold wallet with a rather long name that does not fit', amount: '100' })
  await imported(user, { name: 'Playground', chain: 'base-sepolia', amount: '50' })
  const { token } = user
  const group = await bursar.api<PolicyGroup>('/policy-groups', {
    token,
    key: randomUUID(),
    body: { name: 'Research', spendLimit: 20, scopes: ['address_payments:write'], walletId: smart.id },
  })
  await page.goto('/dashboard/wallets')
  const summary = page.getByTestId('wallets-summary')
  await expect(summary.getByTestId('total')).toHaveText('$1,334.56 USDC')
  await expect(summary.getByTestId('can-leave')).toHaveText('$1,100.00 USDC')
  await expect(summary.getByTestId('agents-can'), 'a group without agents spends nothing').toHaveText('$0.00 USDC')
  await bursar.api<CreatedAgent>('/agents', {
    token,
    key: randomUUID(),
    body: { name: 'Scout', policyGroupId: group.id },
  })
  await page.reload()
  await expect(summary.getByTestId('agents-can')).toHaveText('$20.00 USDC')
  await expect(summary).toContainText(
    'Without you at most $1,100.00 USDC can leave now; your agents can use $20.00 USDC of it.',
  )
  await expect(summary.getByTestId('renewal')).toBeHidden()
  await summary.getByText('Why?').press('Enter')
  await expect(summary.getByTestId('in-payouts')).toHaveText('$0.00 USDC')
  await expect(summary.getByTestId('renewal')).toContainText('by up to $10,000.00 USDC a day')
  await expect(summary.getByTestId('test-total')).toHaveText('On test networks: $50.00 of Test USDC.')

  await expect(card(page, 'Playground').getByTestId('wallet-balance')).toHaveText('$50.00 Test USDC')
  await expect(page.getByTestId('wallet-card').last(), 'the newest, but not real money').toContainText('Playground')
  const operations = card(page, 'Operations')
  await expect(operations.getByTestId('wallet-balance')).toHaveText('$1,234.56 USDC')
  await operations.getByTestId('wallet-balance').locator('[tabindex="0"]').focus()
  await expect(page.getByText('1,234.567891 USDC'), 'the exact value on focus').toBeVisible()
  for (const text of ['Base', 'Smart', 'Active', 'Session limit']) await expect(operations).toContainText(text)
  await expect(operations.getByTestId('wallet-exposure')).toHaveText(
    'Without you at most $1,000.00 USDC can leave; agents can use $20.00 USDC of it.',
  )
  await expect(operations.getByRole('button', { name: 'Send' })).toBeEnabled()
  await expect(operations.getByRole('button', { name: 'Withdraw' })).toBeEnabled()
  await expect(operations.getByRole('link', { name: 'View address in explorer' })).toHaveAttribute(
    'href',
    new RegExp(`/dev/address/${smart.address}$`),
  )
  const playground = card(page, 'Playground')
  await expect(playground).toContainText('Test network: not real money')
  for (const text of ['Base Sepolia', 'Imported', 'Test']) await expect(playground).toContainText(text)
  await expect(playground.getByTestId('wallet-exposure')).toHaveCount(0)
  await audit(page, 'wallets-cards')
  await test.step('Withdraw on a test wallet says that test money can’t be cashed out @screens-55', async () => {
    await playground.getByRole('button', { name: 'Withdraw' }).click()
    await expect(page.getByRole('dialog')).toContainText('Test USDC has no value and no exchange takes it')
    await page.keyboard.press('Escape')
  })

  await test.step('copies an address and says so for two seconds @wallets-6', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await operations.getByRole('button', { name: 'Copy address' }).click()
    await expect(button(page, 'Copied')).toBeVisible()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(smart.address)
    await expect(operations.getByRole('button', { name: 'Copy address' })).toBeVisible()
  })

  const unit = page.getByLabel('Amount', { exact: true }).locator('..')
  await playground.getByRole('button', { name: 'Send' }).click()
  await expect(unit, 'also next to the amount field').toHaveText('Test USDC')
  await page.keyboard.press('Escape')

  await operations.getByRole('button', { name: 'Receive' }).click()
  await expect(dialog(page, /^Receive USDC/).getByRole('img', { name: /QR code/ })).toBeVisible()
  await audit(page, 'receive')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await page.goto(`/dashboard/agents?group=${group.id}&topUp=true`)
  const exposure = page.getByTestId('policy-exposure')
  await expect(exposure).toContainText('Agents can spend from this wallet: $20.00 USDC')
  await expect(exposure).not.toContainText('after this')
  await expect(unit).toHaveText('USDC')
  await page.getByLabel('Amount').fill('30')
  await expect(exposure).toContainText('$20.00 USDC · after this: $50.00 USDC')
  await audit(page, 'top-up-exposure')
  await page.goto(`/dashboard/agents?group=${group.id}&editGroup=true`)
  await page.getByLabel('Budget limit').fill('5000')
  await expect(exposure, 'never more than can leave').toContainText('· after this: $1,000.00 USDC')
  await expect(exposure).toContainText('Most that can leave without you: $1,000.00 USDC, before and after.')
})

test('a balance that can’t be read shows as unavailable until a retry reads it @wallets-7', async ({ page, user }) => {
  await imported(user, { name: 'Readable', amount: '10' })
  const dark = await imported(user, { name: 'Dark', amount: '5' })
  let down = true
  await page.route('**/api/wallets', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    if (down)
      for (const one of body.data) if (one.id === dark.id) Object.assign(one, { usdcBalance: null, exposure: null })
    await route.fulfill({ response, json: body })
  })
  await page.route(`**/wallets/${dark.id}/usdc-balance`, (route) =>
    down
      ? route.fulfill({ status: 502, json: { success: false, error: 'Not now.', code: 'upstream_unavailable' } })
      : route.continue(),
  )
  // Without polls, which would read the balance before the button is pressed.
  await page.addInitScript(() => {
    const every = window.setInterval
    window.setInterval = ((handler: TimerHandler, ms: number) =>
      ms >= 10_000 ? 0 : every(handler, ms)) as typeof window.setInterval
  })
  await page.goto('/dashboard/wallets')
  const summary = page.getByTestId('wallets-summary')
  await expect(card(page, 'Dark').getByText('Unavailable')).toBeVisible()
  await expect(summary.getByTestId('total')).toHaveText('$10.00 USDC')
  await expect(summary).toContainText('1 wallet is not included: the balance is unavailable.')
  await expect(summary.getByTestId('can-leave'), 'no figure that omits a wallet').toHaveText('Unavailable')
  await audit(page, 'wallets-unavailable')
  const failed = page.waitForResponse(`**/wallets/${dark.id}/usdc-balance`)
  await button(page, 'Try again').click()
  await failed // otherwise this attempt might succeed, and the button be gone
  await expect(button(page, 'Try again')).toBeEnabled()
  down = false
  await button(page, 'Try again').click()
  await expect(card(page, 'Dark').getByTestId('wallet-balance')).toHaveText('$5.00 USDC')
  await expect(summary.getByTestId('total')).toHaveText('$15.00 USDC')
})

test('balances and session keys are read every 30 seconds, but not while a dialog is open @wallets-8', async ({
  page,
  user,
}) => {
  await deployed(user, 'Watched', '1')
  await page.clock.install()
  let reads = 0
  let keyReads = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/api/wallets')) reads += 1
    if (request.url().endsWith('/session-key')) keyReads += 1
  })
  await page.goto('/dashboard/wallets')
  await expect(card(page, 'Watched')).toBeVisible()
  await expect(card(page, 'Watched')).toContainText('Session limit')
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000))
  expect([reads, keyReads]).toEqual([1, 1])
  await page.clock.runFor(15_000)
  expect([reads, keyReads]).toEqual([1, 1])
  await page.clock.runFor(15_000)
  await expect.poll(() => [reads, keyReads]).toEqual([2, 2])
  await page.clock.resume()
  await page.getByRole('button', { name: 'Receive' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  const [before, keysBefore] = [reads, keyReads]
  await page.clock.runFor(65_000)
  expect([reads, keyReads]).toEqual([before, keysBefore])
  await page.keyboard.press('Escape')
  await expect.poll(() => reads, 'closing reads immediately').toBe(before + 1)
})

for (const { by, viewport, inputOf, look } of inputModes)
  test(`renames and deletes a wallet, with the ${by} @wallets-9`, { tag: '@core' }, async ({
    page,
    bursar,
    user,
    account,
  }) => {
    await page.setViewportSize(viewport)
    const input = inputOf(page)
    const wallet = await imported(user, { name: 'Before', amount: '7' })
    const open = async (name: string, entry: string) => {
      await input.press(button(page, `More for ${name}`))
      await choose(page, by, entry)
    }
    await page.goto('/dashboard/wallets')
    await open('Before', 'Rename')
    const rename = dialog(page, 'Rename Wallet')
    await input.fill(rename.getByLabel('Wallet name'), 'x'.repeat(61))
    await input.press(button(page, 'Rename Wallet'))
    await expect(rename.getByRole('alert')).toHaveText('Name must be at most 60 characters')
    await look(page, 'rename')
    await input.fill(rename.getByLabel('Wallet name'), '  🏦 After ')
    await input.press(button(page, 'Rename Wallet'))
    await expect(card(page, '🏦 After')).toBeVisible()
    await open('🏦 After', 'Rename')
    await input.fill(rename.getByLabel('Wallet name'), '   ')
    await input.press(button(page, 'Rename Wallet'))
    await expect(card(page, 'Unnamed Wallet')).toBeVisible()

    const group = await bursar.api<PolicyGroup>('/policy-groups', {
      token: user.token,
      key: randomUUID(),
      body: { name: 'Research', spendLimit: 5, scopes: ['address_payments:write'], walletId: wallet.id },
    })
    await open('Unnamed Wallet', 'Delete')
    const remove = page.getByRole('alertdialog', { name: 'Delete Wallet' })
    const confirm = remove.getByRole('button', { name: 'Delete Wallet' })
    await expect(remove).toContainText('Its balance of $7.00 USDC stays at the wallet’s address')
    await expect(confirm, 'only after confirming access to the money').toBeDisabled()
    await input.press(remove.getByRole('checkbox'))
    await input.press(confirm)
    await expect(remove.getByRole('alert')).toHaveText(
      'This wallet is used by the policy group “Research”. Delete it first.',
    )
    await look(page, 'delete-refused')
    await bursar.api(`/policy-groups/${group.id}/cascade`, { method: 'DELETE', token: user.token })
    await input.press(confirm)
    const prompt = dialog(page, 'Enter your password')
    await expect(prompt).toContainText('Bursar’s copy of this wallet’s private key is destroyed')
    await look(page, 'delete-password')
    await input.fill(prompt.getByLabel('Password', { exact: true }), account.password)
    await input.press(prompt.getByRole('button', { name: 'Continue' }))
    await expect(remove).toBeHidden()
    await expect(page.getByText('No wallets yet')).toBeVisible()
  })

test('a session key’s chip shows Expired, Active, Inactive, hours left or Unknown @wallets-10', async ({
  page,
  user,
}) => {
  const wallet = await deployed(user, 'Chips', '1')
  const seconds = Math.floor(Date.now() / 1000)
  let change: Record<string, unknown> | null = {}
  await page.route('**/session-key', async (route) => {
    if (change === null)
      return route.fulfill({ status: 502, json: { success: false, error: 'Not now.', code: 'upstream_unavailable' } })
    const response = await route.fetch()
    const body = await response.json()
    await route.fulfill({ response, json: { ...body, data: { ...body.data, ...change } } })
  })
  const expired = { isExpired: true, isActive: false, validUntil: seconds - 60 }
  const chips: [string, Record<string, unknown>][] = [
    ['Active', {}],
    ['Active', { validUntil: seconds + 24 * 3600 + 600 }],
    ['24h left', { validUntil: seconds + 24 * 3600 - 30 }],
    ['1h left', { validUntil: seconds + 600 }],
    ['Inactive', { isActive: false }],
    ['Expired', expired],
  ]
  await page.clock.install()
  await page.goto('/dashboard/wallets')
  for (const [text, answer] of chips) {
    change = answer
    await page.clock.runFor(31_000)
    await expect(card(page, 'Chips').getByText(text, { exact: true })).toBeVisible()
  }
  await expect(card(page, 'Chips')).toContainText('Rotate to enable transactions again')
  await test.step('an expired session key shows what to do @session-keys-3', async () => {
    await page.goto(`/dashboard/wallets?session=${wallet.id}`)
    const info = dialog(page, 'Session Key Management')
    await expect(info.getByText('Rotate to enable transactions again')).toBeVisible()
    await expect(info.getByRole('button', { name: 'Rotate session key' })).toBeEnabled()
    await audit(page, 'session-expired')
  })
  change = null
  await page.goto('/dashboard/wallets')
  await expect(card(page, 'Chips').getByText('Unknown', { exact: true })).toBeVisible()
})

test('a copied key is cleared from the clipboard after a minute if the window kept the focus, else on request @wallets-23', {
  tag: '@core',
}, async ({ page, context, user }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.clock.install()
  const { id, privateKey } = await imported(user, { name: 'Cold' })
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
  const view = async () => {
    await page.getByLabel('Master password', { exact: true }).fill(masterPassword)
    await button(page, 'View Private Key').click()
    await button(page, 'Copy private key').click()
    await expect(page.getByText('Your private key is on the clipboard, where other apps can read it.')).toBeVisible()
    expect(await clipboard()).toContain(privateKey.slice(2))
  }
  await page.goto(`/dashboard/wallets?viewKey=${id}`)
  await view()
  await page.clock.fastForward(61_000)
  await expect(page.getByText('The clipboard is cleared.')).toBeVisible()
  expect(await clipboard()).toBe('')
  await button(page, 'Copy private key').click()
  // The toast is above the open dialog, which stays open, and screen readers read it.
  await page.getByRole('log').getByRole('button', { name: 'Clear clipboard' }).click()
  await expect.poll(clipboard).toBe('')
  await expect(dialog(page, 'Private Key')).toBeVisible()

  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('no focus'))
  })
  await button(page, /^Cop/).click()
  await expect(page.getByText('Failed to copy to clipboard.')).toBeVisible()
  await page.reload()
  await view()
  await page.evaluate(async () => {
    dispatchEvent(new Event('blur')) // another window, where something else is copied
    await navigator.clipboard.writeText('something else')
  })
  await expect(dialog(page, 'Private Key')).toBeHidden()
  await page.clock.fastForward(120_000)
  expect(await clipboard()).toBe('something else')
  await expect(button(page, 'Clear clipboard')).toBeVisible()
  await audit(page, 'key-copied')
})

test('a wallet’s menu opens, moves and closes by keyboard, and restores the focus @wallets-12', async ({
  page,
  user,
}) => {
  await imported(user, { name: 'Keys' })
  await page.goto('/dashboard/wallets')
  const more = button(page, 'More for Keys')
  await tabTo(page, more)
  await page.keyboard.press('Enter')
  const items = page.getByRole('menuitem')
  await expect(items).toHaveText(['View Private Key', 'Rename', 'Delete'])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('d')
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeFocused()
  await audit(page, 'wallet-menu')
  await page.keyboard.press('Escape')
  await expect(items).toHaveCount(0)
  await expect(more).toBeFocused()
})

async function choose(page: Page, by: string, entry: string): Promise<void> {
  const item = page.getByRole('menuitem', { name: entry, exact: true })
  await expect(item).toBeVisible()
  if (by === 'mouse') return item.click()
  for (let i = 0; i < 12 && !(await item.evaluate((each) => each === document.activeElement)); i++)
    await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
}

async function fillImport(page: Page, { privateKey }: { privateKey: `0x${string}` }): Promise<void> {
  await page.getByLabel('Private key', { exact: true }).fill(privateKey)
  await page.getByLabel('Wallet address').fill(privateKeyToAddress(privateKey))
  await page.getByLabel('Master password', { exact: true }).fill(masterPassword)
}

/** Completes the dialog and presses Deploy. */
async function deployInDialog(page: Page, name: string): Promise<void> {
  await page.goto('/dashboard/wallets?deploy=true')
  await page.getByLabel('Wallet name').fill(name)
  await deployWithNewPhrase(page)
}
