/** Wallet connection (record 010). */
import type { Page } from '@playwright/test'
import type { User } from '#schemas/account.ts'
import { within } from '../support/patience.ts'
import { createAccount } from './accounts.ts'
import { audit } from './audit.ts'
import { test as base, beSignedIn, expect } from './fixtures.ts'
import { type InjectedWallet, injectWallet } from './injectedWallet.ts'
import { type Input, inputModesSwapped, mouse } from './inputModes.ts'

/** `wallet`: signed in as the account with data, in a browser with a wallet. */
const test = base.extend<{ wallet: InjectedWallet }>({
  wallet: async ({ context, seeded }, use) => {
    await beSignedIn(context, seeded)
    await use(await injectWallet(context))
  },
})

const rejectedText = 'You rejected the request in your wallet.'
const short = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Connect a wallet' })

async function openSettings(page: Page) {
  await page.goto('/dashboard/settings')
  return page.getByRole('region', { name: 'Connected wallet' })
}

async function connect(page: Page, name = 'Test Wallet', input: Input = mouse(page)) {
  await input.press(page.getByRole('button', { name: 'Connect wallet' }))
  await input.press(dialogOf(page).getByRole('button', { name }))
}

const requestCount = (wallet: InjectedWallet, method: string) =>
  wallet.requests.filter((each) => each.method === method).length

for (const { by, viewport, inputOf, look } of inputModesSwapped)
  test.describe(`by ${by}`, () => {
    test.use({ viewport })

    test('the panel connects a wallet and restores it after a reload @wallet-link-1', { tag: '@core' }, async ({
      page,
      watch,
      wallet,
    }) => {
      const input = inputOf(page)
      await page.goto('/dashboard/overview')
      const menu = page.getByRole('button', { name: 'Open menu' })
      await menu.waitFor()
      const layer = () => watch.requests.filter((url) => /WalletLayer|PanelWallet/.test(url))
      expect(layer(), 'before it is used').toEqual([])

      await input.press(menu)
      await input.press(page.getByRole('button', { name: 'Connect wallet' }))
      await expect(dialogOf(page)).toBeVisible()
      await look(page, 'connect-wallet')
      await input.press(page.getByRole('button', { name: 'Test Wallet' }))
      const panel = page.getByRole('dialog')
      await expect(panel.getByText(short(wallet.addresses[0]))).toBeVisible()
      await expect(panel.getByText('Base', { exact: true })).toBeVisible()
      expect(requestCount(wallet, 'wallet_requestPermissions')).toBe(1)
      const hasFocus = () => panel.evaluate((element) => element.contains(document.activeElement))
      await expect.poll(hasFocus, 'the focus stays in the panel without the button that opened the dialog').toBe(true)
      await look(page, 'panel-wallet')

      await page.reload()
      await expect.poll(() => requestCount(wallet, 'eth_accounts')).toBeGreaterThan(1)
      await input.press(menu)
      await expect(panel.getByText(short(wallet.addresses[0]))).toBeVisible()
      expect(requestCount(wallet, 'wallet_requestPermissions'), 'no further request').toBe(1)
    })

    test('the dialog says what to do if there is no wallet @wallet-link-3', async ({ page, context, seeded }) => {
      await beSignedIn(context, seeded)
      const input = inputOf(page)
      const section = await openSettings(page)
      await section.getByRole('button', { name: 'Connect wallet' }).waitFor()
      await look(page, 'settings-no-wallet')
      await input.press(page.getByRole('button', { name: 'Connect wallet' }))
      const dialog = dialogOf(page)
      await expect(dialog).toContainText('No wallet was found in this browser. Install one and reload this page.')
      await expect(dialog.getByRole('button', { name: 'Coinbase Wallet' })).toBeVisible()
      await expect(dialog.getByRole('button', { name: 'WalletConnect' })).toHaveCount(0)
      await look(page, 'connect-none')
      if (by === 'mouse') await dialog.getByRole('button', { name: 'Close' }).click()
      else await page.keyboard.press('Escape')
      await expect(dialog).toBeHidden()
    })

    test('connects, switches the network, adds it if the wallet does not know it, and disconnects @wallet-link-4', async ({
      page,
      baseURL,
      wallet,
    }) => {
      const input = inputOf(page)
      const section = await openSettings(page)
      await test.step('a rejected connection shows an error and can be retried @wallet-link-2', async () => {
        wallet.refuse('wallet_requestPermissions')
        await connect(page, 'Test Wallet', input)
        await expect(page.getByRole('alert')).toHaveText(rejectedText)
        await look(page, 'connect-rejected')
        await input.press(page.getByRole('button', { name: 'Test Wallet' }))
        await expect(section.getByText(short(wallet.addresses[0]))).toBeVisible()
      })

      const network = section.getByLabel('Network')
      await expect(network).toHaveValue('8453')
      await expect(section.getByText('$0.00 USDC'), 'read from the chain by this page').toBeVisible()

      wallet.refuse('wallet_addEthereumChain')
      await input.choose(network, 'Base Sepolia')
      await expect(section.getByRole('alert')).toHaveText(rejectedText)
      await expect(network).toHaveValue('8453')
      await look(page, 'settings-network-rejected')

      await input.choose(network, 'Base Sepolia')
      await expect(network, 'no longer waiting').toBeEnabled()
      await expect(network).toHaveValue('84532')
      await expect(section.getByRole('alert')).toHaveCount(0)
      expect(wallet.chainId).toBe(84532)
      const { params } = wallet.requests.findLast(({ method }) => method === 'wallet_addEthereumChain')!
      expect(params).toEqual([
        {
          chainId: '0x14a34',
          chainName: 'Base Sepolia',
          nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
          rpcUrls: [`${baseURL}/dev/rpc/84532`],
          blockExplorerUrls: [`${baseURL}/dev`],
        },
      ])
      await expect(section.getByText('$0.00 Test USDC')).toBeVisible()

      await wallet.goTo(page, 1)
      await expect(network.locator('option:checked')).toHaveText('Another network')
      await look(page, 'settings-wallet')
      await input.choose(network, 'Base')
      await expect(network).toBeEnabled()
      await expect(network).toHaveValue('8453')
      expect(wallet.chainId).toBe(8453)

      await test.step('a wallet without the network gets a different message from a rejection @wallet-link-5', async () => {
        wallet.refuse('wallet_switchEthereumChain', -32603)
        await input.choose(network, 'Base Sepolia')
        await expect(section.getByRole('alert')).toHaveText(
          'Your wallet is not set up for this network. Add it there, then try again.',
        )
      })
      await test.step('a disconnected wallet stays disconnected after a reload @wallet-link-6', async () => {
        await input.press(section.getByRole('button', { name: 'Disconnect' }))
        await expect(section.getByRole('button', { name: 'Connect wallet' })).toBeVisible()
        wallet.authorized = true // as with wallets that cannot revoke a permission
        await page.reload()
        await expect(section.getByRole('button', { name: 'Connect wallet' })).toBeVisible()
        await expect(section.getByText(short(wallet.addresses[0]))).toHaveCount(0)
      })
    })

    test('links the address by a signature and unlinks it @wallet-link-7', { tag: '@core' }, async ({
      page,
      context,
      bursar,
    }) => {
      const input = inputOf(page)
      const own = await createAccount(bursar) // mouse and keyboard run in parallel
      await own.keep(context)
      const wallet = await injectWallet(context)
      const [address] = wallet.addresses
      const section = await openSettings(page)
      await connect(page, 'Test Wallet', input)

      wallet.refuse('personal_sign')
      await input.press(section.getByRole('button', { name: 'Link to my account' }))
      await expect(section.getByRole('alert')).toHaveText(rejectedText)
      await look(page, 'settings-link-rejected')

      const failure = { success: false, error: 'Something went wrong', code: 'internal' }
      await page.route('**/public-address', (route) => route.fulfill({ json: failure }), { times: 1 })
      await input.press(section.getByRole('button', { name: 'Link to my account' }))
      await expect(section.getByRole('alert')).toHaveText('Failed to save public address. Please try again.')
      await input.press(section.getByRole('button', { name: 'Link to my account' }))
      await expect(section.getByText('Linked to your account')).toBeVisible()
      await expect(section.getByRole('button', { name: 'Link to my account' })).toHaveCount(0)
      await look(page, 'settings-linked')
      const { accessToken: token, user } = own.session
      const stored = await page.evaluate(() => JSON.parse(localStorage.getItem('auth_user')!) as User)
      expect(stored.publicAddress?.toLowerCase()).toBe(address.toLowerCase())
      const kept = () => bursar.api<User>(`/users/${user.id}`, { token })
      expect((await kept()).publicAddress?.toLowerCase()).toBe(address.toLowerCase())

      await input.press(section.getByRole('button', { name: 'Disconnect' }))
      await expect(section.getByText('Linked to your account'), 'even without the wallet').toBeVisible()
      await input.press(section.getByRole('button', { name: 'Unlink' }))
      await expect(section.getByText('Linked to your account')).toHaveCount(0)
      expect((await kept()).publicAddress).toBeNull()
    })

    test('a connected wallet becomes the owner of a new smart wallet @wallet-link-8', { tag: '@core' }, async ({
      page,
      context,
      bursar,
    }) => {
      const input = inputOf(page)
      await (await createAccount(bursar)).keep(context)
      const wallet = await injectWallet(context)
      const [address] = wallet.addresses
      await page.goto('/dashboard/wallets?deploy=true')
      const dialog = page.getByRole('dialog', { name: 'Deploy Smart Wallet' })
      await input.press(dialog.getByRole('radio', { name: 'Use my connected wallet' }))
      const deploy = dialog.getByRole('button', { name: 'Deploy Wallet' })
      await expect(deploy).toBeDisabled()
      await connect(page, 'Test Wallet', input)
      await expect(dialog.getByTestId('full-address')).toContainText(address)
      await look(page, 'deploy-with-wallet')
      await input.press(deploy)
      const done = page.getByRole('dialog', { name: 'Smart Wallet Created' })
      await expect(done.getByText(address)).toBeVisible(within(30_000))
    })
  })

test('the page follows the wallet to another account, and disconnects if there is none @wallet-link-9', async ({
  page,
  wallet,
}) => {
  const [first, second] = wallet.addresses
  const section = await openSettings(page)
  await connect(page)
  await expect(section.getByText(short(first))).toBeVisible()
  await wallet.choose(page, [second, first])
  await expect(section.getByText(short(second))).toBeVisible()
  await expect(section.getByText(short(first))).toHaveCount(0)
  await wallet.choose(page, [])
  await expect(section.getByRole('button', { name: 'Connect wallet' })).toBeVisible()
})

test('the last used of two authorized wallets reconnects, and signing out disconnects it @wallet-link-10', async ({
  page,
  context,
  bursar,
}) => {
  await (await createAccount(bursar)).keep(context)
  const first = await injectWallet(context, 'Alpha')
  const second = await injectWallet(context, 'Omega')
  const section = await openSettings(page)
  await connect(page, 'Omega')
  await expect(section.getByText(short(second.addresses[0]))).toBeVisible()
  first.authorized = true
  await page.reload()
  await expect(section.getByText(short(second.addresses[0]))).toBeVisible()
  await expect(section.getByText('Omega')).toBeVisible()

  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('button', { name: 'Sign Out' }).click()
  await expect(page.getByRole('heading', { name: 'Welcome Back' })).toBeVisible()
  expect(requestCount(second, 'wallet_revokePermissions')).toBe(1)
  const connections = () => Object.keys(localStorage).filter((key) => /wagmi|wc@2|CBWSDK/.test(key))
  const kept = () => page.evaluate(connections).catch(() => null) // the page may still be loading
  await expect.poll(async () => (await kept())?.filter((key) => !key.endsWith('.disconnected'))).toEqual([])
})

test.describe('with a project id', () => {
  // The wallet verifies there whose page this is: the only foreign frame that the policy allows.
  test.use({ tolerated: /foreign request: https:\/\/verify\.walletconnect\.org\/v3\/attestation/ })

  test('WalletConnect shows its pairing code in our own dialog @wallet-link-11', async ({ page, context, seeded }) => {
    await beSignedIn(context, seeded)
    await page.route('**/api/config', async (route) => {
      const response = await route.fetch()
      const body = await response.json()
      body.data.walletConnectProjectId = '0123456789abcdef0123456789abcdef'
      await route.fulfill({ response, json: body })
    })
    // The relay accepts every message and never delivers one.
    await page.routeWebSocket(/relay\.walletconnect\.org/, (socket) =>
      socket.onMessage((message) => {
        const { id, method } = JSON.parse(String(message)) as { id: number; method?: string }
        if (method)
          socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: method.includes('ubscribe') ? 'topic' : true }))
      }),
    )
    await page.route('https://verify.walletconnect.org/**', (route) => route.fulfill({ status: 204 }))
    await openSettings(page)
    await connect(page, 'WalletConnect')
    const modal = page.getByRole('dialog', { name: 'Scan with your wallet' })
    await expect(modal.getByRole('img', { name: 'Pairing code for your wallet' })).toBeVisible()
    await audit(page, 'wallet-connect-code')
    const inWallet = modal.getByText('Open in wallet')
    await expect(inWallet).toHaveAttribute('href', /^wc:[0-9a-f]{64}@2\?/)
    await expect(inWallet, 'a phone can scan a computer’s screen').toBeHidden()
    const devtools = await context.newCDPSession(page)
    await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: true })
    await devtools.send('Emulation.setEmitTouchEventsForMouse', { enabled: true, configuration: 'mobile' })
    await page.setViewportSize({ width: 390, height: 844 })
    await expect(inWallet, 'a phone can’t scan its own screen').toBeVisible()
    await audit(page, 'wallet-connect-phone')
    await devtools.send('Emulation.setEmitTouchEventsForMouse', { enabled: false })
    await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: false })
    await modal.getByRole('button', { name: 'Close' }).click()
    await expect(modal).toHaveCount(0)
  })
})

test.describe('outside the dashboard', () => {
  // An unknown claim link.
  test.use({ tolerated: /status of 404/ })

  test('only the dashboard may connect to wallets and chains @wallet-link-12', { tag: '@core' }, async ({
    page,
    context,
    watch,
    seeded,
  }) => {
    await beSignedIn(context, seeded)
    const policyOf = async (path: string) => (await page.request.get(path)).headers()['content-security-policy'] ?? ''
    for (const path of ['/', '/login', '/signup']) expect(await policyOf(path), path).toContain("connect-src 'self';")
    expect(await policyOf('/claim/abc'), 'no wallets, but the balance of a kept account').toContain(
      "connect-src 'self' https://mainnet.base.org https://sepolia.base.org;",
    )
    for (const path of ['/dashboard', '/dashboard/overview']) {
      const policy = await policyOf(path)
      expect(policy.split(',').length, `${path}: one policy, not two that both hold`).toBe(1)
      expect(policy).toContain("connect-src 'self' https://mainnet.base.org https://sepolia.base.org wss://relay.")
    }

    await injectWallet(context)
    await openSettings(page)
    await connect(page)
    await page.getByRole('button', { name: 'Disconnect', exact: true }).waitFor()
    watch.requests.length = 0
    await page.goto('/claim/unknown')
    await page.getByRole('heading', { name: 'Payout Not Found' }).waitFor()
    expect(watch.requests.filter((url) => /Wallet(Layer|Section)|PanelWallet|wagmi/.test(url))).toEqual([])
  })
})
