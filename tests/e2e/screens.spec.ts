import type { BrowserContext, Page } from '@playwright/test'
import { minuteMs } from '#domain/time.ts'
import type { BursarClient } from '../../local/client.ts'
import { demo } from '../../local/stack/seed.ts'
import { keepSession, login } from './accounts.ts'
import { audit, everyWidth } from './audit.ts'
import { beSignedIn, expect, test } from './fixtures.ts'
import { goInApp } from './inApp.ts'
import type { SeededAccount } from './seededAccount.ts'
import { thorough } from './thorough.ts'

type Ready = (page: Page) => Promise<void>
const dialog =
  (title: string | RegExp): Ready =>
  (page) =>
    expect(page.getByRole('dialog', { name: title })).toBeVisible()
const row =
  (table: string): Ready =>
  (page) =>
    expect(page.getByRole('table', { name: table }).getByRole('cell').first()).toBeVisible()
const shown =
  (text: string | RegExp): Ready =>
  (page) =>
    expect(page.getByRole('main').getByText(text).first()).toBeVisible()

/** A screen's path under /dashboard, and what shows that it has loaded. */
const screens: Record<string, [path: string | ((seeded: SeededAccount) => string), Ready]> = {
  overview: ['/overview', shown(/· (Scout|User)$/)],
  wallets: ['/wallets', shown(/Session limit/)],
  'wallets-deploy': ['/wallets?deploy=true', dialog('Deploy Smart Wallet')],
  'wallets-send': [({ wallet }) => `/wallets?send=${wallet.id}`, dialog('Send USDC')],
  'wallets-receive': [({ wallet }) => `/wallets?receive=${wallet.id}`, dialog(/^Receive USDC/)],
  agents: ['/agents', (page) => expect(page.getByRole('navigation', { name: 'Policy groups' })).toBeVisible()],
  'agents-group': [({ group }) => `/agents?group=${group.id}`, shown('Scout')],
  'agents-new-group': ['/agents?newGroup=true', dialog('Add New Policy Group')],
  'agents-new-agent': ['/agents?newAgent=true', dialog('Add New Agent')],
  contacts: ['/contacts', row('Contacts')],
  'contacts-add': ['/contacts?add=true', dialog('Add Contact')],
  transactions: ['/transactions', row('Transactions')],
  payouts: ['/payouts', row('Payouts')],
  settings: ['/settings', shown('Member Since')],
  'settings-password': ['/settings?change-password=true', dialog('Change Password')],
  'payouts-create': ['/payouts?create=true', dialog('Create Payout')],
}

test.describe('signed in', () => {
  test.beforeEach(({ context, seeded }) => beSignedIn(context, seeded))

  test('every page fits every width and is accessible @screens-1', { tag: '@core' }, async ({ page, seeded }) => {
    await page.goto('/dashboard/overview')
    for (const [name, [path, ready]] of Object.entries(screens))
      await test.step(name, async () => {
        await goInApp(page, `/dashboard${typeof path === 'string' ? path : path(seeded)}`)
        await ready(page)
        await audit(page, name, everyWidth)
      })
  })

  test('the menu fits, traps the focus and restores it @screens-2', { tag: '@core' }, async ({ page }) => {
    await page.goto('/dashboard/contacts')
    const menu = page.getByRole('button', { name: 'Open menu' })
    await menu.press('Enter')
    const navigation = page.getByRole('navigation', { name: 'Main navigation' })
    await expect(navigation.getByRole('link', { name: 'Contacts' })).toHaveAttribute('aria-current', 'page')
    await audit(page, 'menu')
    await page.keyboard.press('Escape')
    await expect(navigation).toBeHidden()
    await expect(menu).toBeFocused()

    await test.step('in a wide window it can be pinned, and the browser keeps the choice @screens-54', async () => {
      await page.setViewportSize({ width: 1279, height: 800 })
      await menu.press('Enter')
      await expect(page.getByRole('button', { name: 'Close menu' })).toBeVisible()
      await expect(page.getByRole('button', { name: 'Pin menu' })).toHaveCount(0)
      await page.setViewportSize({ width: 1400, height: 900 })
      await page.getByRole('button', { name: 'Pin menu' }).press('Enter')
      await expect(page.getByRole('button', { name: 'Unpin menu' })).toBeFocused()
      await expect(page.getByRole('dialog')).toHaveCount(0)
      await navigation.getByRole('link', { name: 'Payouts' }).click()
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Payout Management')
      await page.reload()
      await expect(navigation.getByRole('link', { name: 'Payouts' })).toHaveAttribute('aria-current', 'page')
      const [aside, main] = await Promise.all([navigation.boundingBox(), page.getByRole('main').boundingBox()])
      expect(main!.x).toBeGreaterThanOrEqual(aside!.x + aside!.width)
      await page.setViewportSize({ width: 820, height: 900 })
      await expect(navigation).toBeHidden()
      await page.setViewportSize({ width: 1400, height: 900 })
      await audit(page, 'menu-pinned')
      await page.getByRole('button', { name: 'Unpin menu' }).press('Enter')
      await expect(navigation).toBeHidden()
      await expect(menu).toBeFocused()
      await page.evaluate(() => localStorage.removeItem('menu_pinned'))
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.reload()
      await expect(navigation, 'without a choice, from 1,440 px on').toBeVisible()
      await page.setViewportSize({ width: 1400, height: 900 })
      await expect(navigation).toBeHidden()
      await page.keyboard.press('ControlOrMeta+k')
      const search = page.getByRole('combobox', { name: 'Search and commands' })
      await search.fill('rent')
      await page.setViewportSize({ width: 1440, height: 900 })
      await expect(page.getByRole('navigation', { name: 'Main navigation', includeHidden: true })).toBeAttached()
      await expect(search, 'what is typed stays when the window gets wider').toHaveValue('rent')
    })
  })

  test('a page that is opened in the app gets the focus and is announced, unless a dialog opens or the user goes on @screens-96', async ({
    page,
    seeded,
  }) => {
    const arrived = async (title: string) => {
      await expect(page.getByRole('main', { name: title, exact: true })).toBeFocused()
      await expect(page.getByRole('status').filter({ hasText: `${title} · Bursar` })).toBeAttached()
    }
    await page.goto('/dashboard/contacts')
    await row('Contacts')(page)
    await expect(page.locator('body'), 'the browser itself announces the first page').toBeFocused()
    const follow = async (name: string) => {
      await page.getByRole('button', { name: 'Open menu' }).press('Enter')
      await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name }).press('Enter')
      await expect(page.getByRole('dialog')).toHaveCount(0)
    }
    await follow('Transactions')
    await arrived('Transactions')
    await follow('Webhooks') // loaded only now
    await arrived('Webhooks')
    await page.getByRole('link', { name: /^Notices/ }).click()
    await arrived('Notices')
    await page.goBack()
    await arrived('Webhooks')

    const code = Promise.withResolvers<void>()
    await page.route(/\/assets\/.*\.js$/, async (route) => {
      await code.promise
      await route.continue()
    })
    await follow('Usage')
    await expect(page.getByRole('button', { name: 'Open menu' })).toBeFocused()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Tab')
    code.resolve()
    await expect(page.getByRole('status').filter({ hasText: 'Usage · Bursar' })).toBeAttached()
    await expect(page.getByRole('button', { name: 'Open menu' }), 'of a user who goes on meanwhile').toBeFocused()

    const search = async (text: string) => {
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('combobox', { name: 'Search and commands' }).fill(text)
      await expect(page.getByRole('option', { selected: true })).toContainText(text)
      await page.keyboard.press('Enter')
    }
    await search('Payouts')
    await arrived('Payouts')
    await search('Add contact')
    await expect(page.getByLabel('Name', { exact: true }), 'the dialog keeps the focus').toBeFocused()
    await expect(page.getByText('Contacts · Bursar')).toBeAttached()
    await expect(page.getByLabel('Name', { exact: true })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(page.getByRole('main')).toBeFocused()

    await page.setViewportSize({ width: 390, height: 844 })
    await follow('Agents')
    await arrived('Agents')
    await page
      .getByRole('navigation', { name: 'Policy groups' })
      .getByRole('link', { name: seeded.group.name })
      .press('Enter')
    await expect(page.getByRole('group', { name: seeded.group.name })).toBeFocused()
    await page.getByRole('link', { name: 'All policy groups' }).press('Enter')
    await expect(page.getByRole('main')).toBeFocused()
  })

  test('no page scrolls sideways in a window of 300 px @screens-22', async ({ page, seeded }) => {
    await page.setViewportSize({ width: 300, height: 800 })
    const others = ['wallets', 'agents-group', 'contacts', 'payouts', 'settings']
    const names = ['overview', 'transactions', ...(thorough ? others : [])]
    const usage: [string, Ready] = ['/usage', shown('Monthly Account Spend')]
    for (const [name, [path, ready]] of [
      ...names.map((each) => [each, screens[each]!] as const),
      ['usage', usage] as const,
    ]) {
      await page.goto(`/dashboard${typeof path === 'string' ? path : path(seeded)}`)
      await ready(page)
      const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect.soft(await beyond(), name).toBeLessThanOrEqual(0)
    }
  })

  test('Escape and going back close a dialog, and going back does not reopen it @screens-15', async ({ page }) => {
    await page.goto('/dashboard/contacts')
    await page.getByRole('button', { name: 'Add Contact' }).click()
    await expect(page).toHaveURL('/dashboard/contacts?add=true')
    await expect(page.getByLabel('Name')).toBeFocused()
    await page.goBack()
    await expect(page.getByRole('dialog')).toBeHidden()
    await page.goForward()
    await dialog('Add Contact')(page)
    await page.keyboard.press('Escape')
    await expect(page).toHaveURL('/dashboard/contacts')
    await page.goBack()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Contacts')
    await expect(page.getByRole('dialog'), 'a closed dialog does not reopen').toHaveCount(0)

    await test.step('expired tokens are renewed silently', async () => {
      const token = () => page.evaluate(() => localStorage.getItem('auth_token'))
      const before = await token()
      await page.evaluate(() => localStorage.setItem('token_expiry', '1'))
      await page.reload()
      await row('Contacts')(page)
      expect(await token()).not.toBe(before)
    })
  })

  test('with a phone’s keyboard open, a dialog keeps its buttons in view and leaves room to type @screens-14', async ({
    page,
  }) => {
    await page.setViewportSize({ width: 390, height: 420 })
    for (const [path, last] of [
      ['/dashboard/payouts?create=true', 'Sender name'],
      ['/dashboard/contacts?add=true', 'Description'],
    ] as const) {
      await page.goto(path)
      const opened = page.getByRole('dialog')
      const field = opened.getByLabel(last)
      await field.focus()
      await field.scrollIntoViewIfNeeded()
      const { y, height } = (await field.boundingBox())!
      const buttons = await opened.getByRole('button', { name: /^(Cancel|Review|Add Contact)$/ }).all()
      const tops = await Promise.all(buttons.map(async (one) => (await one.boundingBox())!.y))
      expect(tops, `${path}: buttons in one row`).toEqual([tops[0], tops[0]])
      expect(tops[0], `${path}: at the bottom`).toBeGreaterThan(420 - 64)
      expect(y + height, `${path}: the field is above them`).toBeLessThanOrEqual(tops[0]!)
    }
  })

  test('a staging deployment says "Test network" and deploys there @screens-13', async ({ page }) => {
    await page.route('**/api/config', async (route) => {
      const response = await route.fetch()
      const { data } = await response.json()
      await route.fulfill({ response, json: { success: true, data: { ...data, primaryChain: 'base-sepolia' } } })
    })
    await page.goto('/dashboard/wallets?deploy=true')
    await dialog('Deploy Smart Wallet')(page)
    await expect(page.getByLabel('Network')).toHaveText('Base Sepolia')
    await expect(page.getByText('Test network: the money here is test USDC and has no value.')).toBeAttached()
    await expect(page.getByTestId('wallets-summary')).toContainText(/On Base: \$.* of USDC\./)
    await expect(page.getByTestId('total'), 'sums are in test money').toHaveText(/^\$[\d,.]+ Test USDC$/)
    await audit(page, 'wallets-staging')
  })

  test('an unknown path redirects to the overview @screens-3', async ({ page }) => {
    await page.goto('/nowhere/at/all')
    await expect(page).toHaveURL('/dashboard/overview')
    for (const path of ['/login', '/signup']) {
      await page.goto(path)
      await expect(page).toHaveURL('/dashboard/overview')
    }
  })
})

test.describe('a session that ended', () => {
  test.use({ tolerated: /status of 401/ })

  test('a countdown announces that the session has expired and redirects to sign-in @screens-4', {
    tag: '@core',
  }, async ({ page, context, bursar }) => {
    await page.clock.install()
    await keepRevoked(context, bursar)
    await page.clock.pauseAt(Date.now() + minuteMs)
    await page.goto('/dashboard/contacts')
    const expired = page.getByRole('alertdialog', { name: 'Session Expired' })
    const until = (look: () => Promise<void>) =>
      expect(async () => {
        await page.clock.runFor(50) // the page's own short timers
        await look()
      }).toPass()
    await until(() => expect(expired).toBeVisible({ timeout: 100 }))
    await expect(expired).toContainText(
      'Your session has expired for security reasons. Please log in again to continue.',
    )
    await expect(expired).toContainText('Redirecting automatically in 5 seconds...')
    await page.clock.runFor(3_000)
    await expect(expired).toContainText('Redirecting automatically in 2 seconds...')
    await page.clock.runFor(2_000)
    await until(() => expect(page).toHaveURL('/login?redirect=%2Fdashboard%2Fcontacts', { timeout: 100 }))
    const reason = page.getByRole('status').filter({ hasText: 'Your session has expired for security reasons.' })
    await until(() => expect(reason, 'to whoever was away').toBeVisible({ timeout: 100 }))
  })

  test('the Session Expired dialog fits every width and is accessible @screens-5', async ({
    page,
    context,
    bursar,
  }) => {
    await context.addInitScript(() => {
      const start = window.setInterval
      // Stops the countdown.
      Object.assign(window, { setInterval: (run: () => void, ms: number) => (ms === 1000 ? 0 : start(run, ms)) })
    })
    await keepRevoked(context, bursar)
    await page.goto('/dashboard/contacts')
    await expect(page.getByRole('alertdialog', { name: 'Session Expired' })).toBeVisible()
    await audit(page, 'session-expired')
    await page.getByRole('button', { name: 'Log In Again' }).click()
    await expect(page).toHaveURL('/login?redirect=%2Fdashboard%2Fcontacts')
  })
})

async function keepRevoked(context: BrowserContext, bursar: BursarClient): Promise<void> {
  const session = await login(bursar, demo.email, demo.password)
  await keepSession(context, { ...session, accessToken: 'revoked', refreshToken: 'revoked' })
}

async function signInAsDemo(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(demo.email)
  await page.getByLabel('Password', { exact: true }).fill(demo.password)
  await page.keyboard.press('Enter')
}

test.describe('signed out', () => {
  test('the guard redirects to sign-in and back to the requested page @screens-6', { tag: '@core' }, async ({
    page,
  }) => {
    await page.goto('/dashboard/payouts?create=true')
    await expect(page).toHaveURL(`/login?redirect=${encodeURIComponent('/dashboard/payouts?create=true')}`)
    await signInAsDemo(page)
    await expect(page).toHaveURL('/dashboard/payouts?create=true')
    await expect(page.getByLabel('Source wallet').getByRole('option')).toContainText(['Select a wallet', /\$/])
  })

  test('sign-in redirects to pages of the dashboard only @screens-7', async ({ page }) => {
    const signInFrom = (elsewhere: string) => `/login?redirect=${encodeURIComponent(elsewhere)}`
    // Until it shows its page, the router may still replace the URL, which would interrupt the next navigation.
    const onOverview = async () => {
      await expect(page.getByTestId('total-balance')).toBeVisible()
      await expect(page).toHaveURL('/dashboard/overview')
    }
    await page.goto(signInFrom('https://evil.example/dashboard'))
    await signInAsDemo(page)
    await onOverview()
    for (const elsewhere of [
      'https://evil.example/dashboard',
      '//evil.example',
      'javascript:alert(1)',
      '/dashboards',
    ]) {
      // The page may redirect before it has loaded.
      await page.goto(signInFrom(elsewhere), { waitUntil: 'commit' })
      await onOverview()
    }
  })

  test('an unknown path redirects to sign-in @screens-8', async ({ page }) => {
    await page.goto('/nowhere/at/all')
    await expect(page).toHaveURL('/login')
    await page.goto('/dashboard/nowhere')
    await expect(page).toHaveURL(/\/login/)
  })

  test.describe('refused', () => {
    test.use({ tolerated: /status of 401/ })
    test('sign-in shows each error at its field @screens-9', async ({ page }) => {
      const configReply = Promise.withResolvers<void>()
      let beta: object = { betaAccessUrl: null }
      await page.route('**/api/config', async (route) => {
        const { data, ...rest } = await (await route.fetch()).json()
        await configReply.promise
        await route.fulfill({ json: { ...rest, data: { ...data, ...beta } } })
      })
      await page.goto('/login')
      const link = page.getByRole('link', { name: 'Request beta access' })
      await expect(page.getByRole('link', { name: 'Create an account' })).toBeVisible()
      await expect(page.getByText('Request beta access'), 'its address is not known yet').toBeHidden()
      configReply.resolve()
      await expect(page.getByText("Don't have an account?"), 'not offered by this deployment').toHaveCount(0)
      beta = {}
      await page.reload()
      const signIn = page.getByRole('button', { name: 'Sign In' })
      await expect(page.getByText('Make your agents pay.')).toBeVisible()
      await expect(link).toHaveAttribute('target', '_blank')
      await expect(link).toHaveAttribute('href', /\/dev\/beta$/)
      await audit(page, 'login')
      await page.getByLabel('Email').fill('nobody')
      await page.getByLabel('Password', { exact: true }).fill('123456')
      await signIn.click()
      await expect(page.getByRole('alert')).toHaveText('Invalid email format')
      await expect(page.getByLabel('Email')).toBeFocused()
      await page.getByLabel('Email').fill('nobody@bursar.test')
      await signIn.click()
      await expect(page.getByRole('alert')).toBeVisible()
      await audit(page, 'login-refused')
    })
  })

  test('the pages before sign-in fit every width and are accessible @screens-10', { tag: '@core' }, async ({
    page,
  }) => {
    const titles = {
      '/signup': /account/i,
      '/confirm': /confirm/i,
      '/forgot-password': /forgot/i,
      '/reset-password': /choose a new/i,
    }
    await page.goto('/login')
    for (const [path, title] of Object.entries(titles)) {
      await goInApp(page, path)
      await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
      await audit(page, path.slice(1), everyWidth)
    }
  })

  test('an expired temporary password leads to the form for a new one', async ({ page }) => {
    const challenge = { challengeName: 'NEW_PASSWORD_REQUIRED', session: 'any', email: demo.email }
    // The server asks for this only days after sign-up.
    await page.route('**/api/auth/cognito/login', (route) =>
      route.fulfill({ json: { success: true, data: challenge } }),
    )
    await page.goto('/login')
    await page.getByLabel('Email').fill(demo.email)
    await page.getByLabel('Password', { exact: true }).fill('temporary')
    await page.getByRole('button', { name: 'Sign In' }).click()
    await expect(page.getByRole('heading', { name: 'Set New Password' })).toBeVisible()
    await page.getByLabel('New Password').fill('analytical-engine')
    await page.getByLabel('Confirm Password').fill('analytical-engine')
    await expect(page.getByLabel('The passwords are the same.')).toBeVisible()
    await audit(page, 'login-new-password')
  })

  for (const [name, path] of Object.entries({
    login: () => '/login',
    claim: ({ payout }: SeededAccount) => payout.path,
  }))
    test(`${name} loads no wallet code and no server code @screens-11`, async ({ page, watch, seeded }) => {
      await page.goto(path(seeded))
      await expect(page.getByRole('button', { name: /Sign In|Continue/ })).toBeVisible()
      // Also what follows the first screen (web/src/later.ts).
      await expect.poll(() => watch.requests.some((url) => /\/later-[\w-]+\.js$/.test(url))).toBe(true)
      await page.waitForLoadState('networkidle')
      const scripts = watch.requests.filter((url) => url.endsWith('.js'))
      expect(scripts.length).toBeGreaterThan(1)
      for (const url of scripts) {
        const text = await (await page.request.get(url)).text()
        expect(
          ['wagmi', 'viem', 'zod', 'secp256k1'].filter((word) => text.includes(word)),
          url,
        ).toEqual([])
      }
    })
})

test.describe('headers', () => {
  const policyWith = (wallets: { connect: string; frame: string }) =>
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'${wallets.connect}; ` +
    `${wallets.frame}font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; ` +
    `require-trusted-types-for 'script'`
  const policy = policyWith({ connect: '', frame: '' })
  const page = {
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'strict-transport-security': 'max-age=63072000; includeSubDomains',
    'permissions-policy':
      'accelerometer=(), camera=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), payment=(), usb=(), clipboard-write=(self)',
  }
  /** Wallets are connected here, and nowhere else. */
  const dashboard = {
    ...page,
    'content-security-policy': policyWith({
      connect:
        ' https://mainnet.base.org https://sepolia.base.org wss://relay.walletconnect.org' +
        ' https://www.walletlink.org wss://www.walletlink.org',
      frame: "frame-src https://verify.walletconnect.org; manifest-src 'self'; ",
    }),
    'cross-origin-opener-policy': 'same-origin-allow-popups',
  }
  const api = {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    'referrer-policy': 'no-referrer',
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-resource-policy': 'same-origin',
  }
  const expected: Record<string, Record<string, string>> = {
    '/': page,
    '/login': page,
    '/dashboard/overview': dashboard,
    '/signup': page,
    '/claim/x': {
      ...page,
      // The balance of a kept account.
      'content-security-policy': policyWith({
        connect: ' https://mainnet.base.org https://sepolia.base.org',
        frame: '',
      }),
      ...{ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' },
    },
    '/api/health': api,
    '/api/nothing': api,
  }
  test('every kind of reply has its security headers @screens-12', { tag: '@core' }, async ({ request }) => {
    for (const [path, headers] of Object.entries(expected))
      expect((await request.get(path)).headers(), path).toMatchObject(headers)
  })

  test('assets are cached permanently', async ({ page, request, watch }) => {
    await page.goto('/login')
    const asset = watch.requests.find((url) => /\/assets\/.*\.js$/.test(url))
    const { 'cache-control': cache, 'content-security-policy': csp } = (await request.get(asset!)).headers()
    expect({ cache, csp }).toEqual({ cache: 'public, max-age=31536000, immutable', csp: policy })
  })
})
