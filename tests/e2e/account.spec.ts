/** The account screens from end to end, with every text they show. */
import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { demo } from '../../local/stack/seed.ts'
import { createAccount, login } from './accounts.ts'
import { audit } from './audit.ts'
import { button, expect, test } from './fixtures.ts'
import { type Input, inputModes } from './inputModes.ts'

const newEmail = () => `eve-${randomUUID().slice(0, 8)}@bursar.test`
const password = 'analytical-engine'
const six = /^(\d{6})$/m
const wrongCodeFor = (code: string) => (code === '000000' ? '000001' : '000000')

const heading = (page: Page, name: string) => expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
const fieldOf = (page: Page, label: string) =>
  page.getByLabel(label, { exact: true }).and(page.locator('input:not([type=radio])'))

/** Expects the error `text` at the field `label`: marked as invalid, with the text as its description and a red border. */
async function expectErrorUnder(page: Page, label: string, text: string): Promise<void> {
  await expect(page.getByRole('alert')).toHaveText(text)
  const input = fieldOf(page, label)
  await expect(input).toHaveAttribute('aria-invalid', 'true')
  await expect(input).toHaveAccessibleDescription(new RegExp(text.replace(/[.?()]/g, '\\$&')))
  await expect(input).toHaveCSS('border-top-color', 'rgb(179, 38, 30)')
}

async function signIn(page: Page, input: Input, email: string, secret: string): Promise<void> {
  await input.fill(fieldOf(page, 'Email'), email)
  await input.fill(fieldOf(page, 'Password'), secret)
  await input.press(button(page, 'Sign In'))
}

/** Refusals have a 4xx status, which the browser logs. */
test.use({ tolerated: /status of (400|401|403|410|422|429|500)|ERR_FAILED/ })

for (const { by, viewport, inputOf, look } of inputModes)
  test.describe(`by ${by}`, () => {
    test.use({ viewport })

    test('signs up with a password, confirms the email by code, and signs in @account-1', { tag: '@core' }, async ({
      page,
      bursar,
    }) => {
      const input = inputOf(page)
      const email = newEmail()
      await page.goto('/login')
      await input.press(page.getByRole('link', { name: 'Create an account' }))
      await heading(page, 'Create an account')
      await input.press(page.getByRole('radio', { name: 'Own password' }))

      const create = button(page, 'Create Account')
      await input.press(create)
      await expectErrorUnder(page, 'Email', 'Email is required')
      await input.fill(fieldOf(page, 'Email'), 'nobody')
      await input.press(create)
      await expectErrorUnder(page, 'Email', 'Invalid email format')
      await input.fill(fieldOf(page, 'Email'), email)
      await input.press(create)
      await expectErrorUnder(page, 'Your Name', 'Please enter your name')
      await input.fill(fieldOf(page, 'Your Name'), 'Eve')
      await input.fill(fieldOf(page, 'Password'), 'short')
      await input.press(create)
      await expectErrorUnder(page, 'Password', 'Password must be at least 8 characters')
      await look(page, 'signup-password-error')
      await input.fill(fieldOf(page, 'Password'), 'password1')
      await input.press(create)
      await expectErrorUnder(page, 'Password', 'This password is one of the most common ones. Please choose another.')
      await input.fill(fieldOf(page, 'Password'), password)
      await input.press(create)

      await heading(page, 'Confirm your email')
      await expect(fieldOf(page, 'Email')).toHaveValue(email)
      await expect(button(page, /^Send a new code in \d+ s$/)).toBeVisible()
      await expect(
        page.evaluate(() => localStorage.getItem('auth_token')),
        'nobody is signed in',
      ).resolves.toBeNull()
      await look(page, 'confirm-sent')
      const [, code] = await bursar.message(email, six, 'the confirmation code')
      await input.press(button(page, 'Confirm Email'))
      await expectErrorUnder(page, '6-digit code', 'Code must be 6 digits')
      await input.fill(fieldOf(page, '6-digit code'), wrongCodeFor(code!))
      await input.press(button(page, 'Confirm Email'))
      const wrong = 'Email confirmation failed. The code is wrong or no longer valid. You can ask for a new one.'
      await expectErrorUnder(page, '6-digit code', wrong)
      await look(page, 'confirm-wrong')

      await page.goto('/login') // somebody who did not wait for the mail
      await signIn(page, input, email, password)
      await expectErrorUnder(page, 'Email', 'Please confirm your email address first. The code is in our email to you.')
      await input.press(page.getByRole('link', { name: 'Enter your confirmation code' }))
      await expect(fieldOf(page, 'Email')).toHaveValue(email)
      await input.fill(fieldOf(page, '6-digit code'), code!)
      await input.press(button(page, 'Confirm Email'))
      await heading(page, 'Email confirmed')
      await look(page, 'confirm-done')
      await input.press(page.getByRole('link', { name: 'Go to sign in' }))
      await expect(fieldOf(page, 'Email'), 'carried over').toHaveValue(email)
      await signIn(page, input, email, password)
      await expect(page).toHaveURL('/dashboard/overview')
      await expect(page.getByRole('dialog')).toHaveCount(0)
    })

    test('signs up with a passcode, signs in with the temporary password, and completes onboarding @account-2', {
      tag: '@core',
    }, async ({ page, bursar }) => {
      const input = inputOf(page)
      const email = newEmail()
      await page.goto('/signup')
      await input.fill(fieldOf(page, 'Email'), email)
      await input.fill(fieldOf(page, 'Your Name'), 'Eve')
      await input.press(button(page, 'Create Account'))
      await expectErrorUnder(page, 'Signup passcode', 'Signup passcode is required')
      await input.fill(fieldOf(page, 'Signup passcode'), 'not-a-passcode')
      await input.press(button(page, 'Create Account'))
      await expectErrorUnder(page, 'Signup passcode', 'This signup passcode is not valid.')
      await look(page, 'signup-passcode-error')
      await input.fill(fieldOf(page, 'Signup passcode'), demo.signupPasscode)
      await input.press(button(page, 'Create Account'))
      await heading(page, 'Welcome to Bursar')
      await expect(page.getByRole('status')).toContainText('Account created! Check your email for login credentials.')
      await look(page, 'signup-done')

      const [, temporary] = await bursar.message(email, /temporary password:\n\n(\S+)/, 'the temporary password')
      await input.press(page.getByRole('link', { name: 'Go to sign in' }))
      await expect(fieldOf(page, 'Email'), 'carried over').toHaveValue(email)
      await signIn(page, input, email, temporary!)
      const overlay = page.getByRole('dialog', { name: "Welcome to Bursar! Let's set up your account" })
      await expect(overlay).toContainText(
        "For security, you're required to change your temporary password and set your display name.",
      )
      await expect(overlay).toContainText('At least 6 characters')
      const submit = button(page, 'Complete Setup')
      await input.fill(fieldOf(page, 'Your Name'), '  ')
      await input.press(submit)
      await expect(overlay.getByRole('alert')).toHaveText([
        'Please enter your name',
        'Password must be at least 6 characters',
      ])
      await look(page, 'onboarding-errors')
      await input.fill(fieldOf(page, 'Your Name'), 'Eve')
      await input.fill(fieldOf(page, 'New Password'), password)
      await input.fill(fieldOf(page, 'Confirm Password'), `${password}s`)
      await input.press(submit)
      await expect(overlay.getByRole('alert')).toHaveText('Passwords do not match')
      await page.keyboard.press('Escape')
      await expect(overlay, 'only success closes it').toBeVisible()

      const answered = Promise.withResolvers<void>()
      await page.route(
        '**/api/users/complete-onboarding',
        async (route) => {
          await answered.promise
          await route.fulfill({ status: 500, json: { success: false } })
        },
        { times: 1 },
      )
      await input.fill(fieldOf(page, 'Confirm Password'), password)
      await input.press(submit)
      for (const label of ['Your Name', 'New Password', 'Confirm Password'])
        await expect(fieldOf(page, label), 'while busy').toBeDisabled()
      answered.resolve()
      await expect(overlay.getByRole('alert')).toHaveText('Failed to complete setup')
      await expect(fieldOf(page, 'Your Name'), 'editable again').toBeEditable()
      const refusal = {
        success: false,
        error: 'This password is too common.',
        code: 'invalid_input',
        field: 'password',
      }
      await page.route('**/api/users/complete-onboarding', (route) => route.fulfill({ status: 400, json: refusal }), {
        times: 1,
      })
      await input.press(submit)
      await expectErrorUnder(page, 'New Password', 'This password is too common.')
      await expect(fieldOf(page, 'New Password')).toBeFocused()
      await input.press(submit)
      await expect(overlay).toBeHidden()
      await expect(page.getByRole('log')).toContainText('Your name and password are saved.')
      await expect(page.getByRole('main')).toBeFocused()
      const user = await page.evaluate(() => JSON.parse(localStorage.getItem('auth_user')!))
      expect(user).toMatchObject({ email, name: 'Eve', needsOnboarding: false, hasCompletedOnboarding: true })
      expect(user.useCognito).toBe(true)
    })

    test('resets a forgotten password with the code from the email @account-3', { tag: '@core' }, async ({
      page,
      bursar,
    }) => {
      const input = inputOf(page)
      const { email } = await createAccount(bursar)
      await page.goto('/login')
      await input.fill(fieldOf(page, 'Email'), email)
      await input.press(page.getByRole('link', { name: 'Forgot password?' }))
      await heading(page, 'Forgot your password?')
      await expect(fieldOf(page, 'Email'), 'carried over from the sign-in page').toHaveValue(email)
      await input.fill(fieldOf(page, 'Email'), '')
      await input.press(button(page, 'Send Code'))
      await expectErrorUnder(page, 'Email', 'Email is required')
      await look(page, 'forgot-error')
      await input.fill(fieldOf(page, 'Email'), email)
      await input.press(button(page, 'Send Code'))

      await heading(page, 'Choose a new password')
      await expect(page.getByText(`If ${email} has an account, a 6-digit code is on its way.`)).toBeVisible()
      await expect(button(page, /^Send a new code in \d+ s$/)).toBeVisible()
      await look(page, 'reset-sent')
      const [, code] = await bursar.message(email, six, 'the code')
      const reset = button(page, 'Reset Password')
      await input.fill(fieldOf(page, '6-digit code'), wrongCodeFor(code!))
      await input.fill(fieldOf(page, 'New Password'), 'short')
      await input.press(reset)
      await expectErrorUnder(page, 'New Password', 'Password must be at least 8 characters')
      await input.fill(fieldOf(page, 'New Password'), 'difference-engine')
      await input.press(reset)
      const wrong = 'Password reset failed. The code is wrong or no longer valid. You can ask for a new one.'
      await expectErrorUnder(page, '6-digit code', wrong)
      await look(page, 'reset-wrong')
      await input.fill(fieldOf(page, '6-digit code'), code!)
      await input.press(reset)
      await heading(page, 'Password changed')
      await look(page, 'reset-done')
      await input.press(page.getByRole('link', { name: 'Go to sign in' }))
      await signIn(page, input, email, 'difference-engine')
      await expect(page, 'shows what was added to the account').toHaveURL('/dashboard/changes?made=true')
    })

    test('sign-in shows each refusal, and a busy state while it waits @account-4', async ({ page, bursar }) => {
      const input = inputOf(page)
      const { email, password: right } = await createAccount(bursar)
      const calls: string[] = []
      page.on('request', (request) => {
        if (request.method() === 'POST') calls.push(request.url())
      })
      await page.goto('/login')
      await heading(page, 'Welcome Back')
      await expect(page.getByText('Sign in to your account')).toBeVisible()
      await expect(page.getByText("Don't have an account?")).toBeVisible()
      await expect(fieldOf(page, 'Email')).toHaveAttribute('placeholder', 'you@example.com')
      await input.press(button(page, 'Sign In'))
      await input.fill(fieldOf(page, 'Email'), email)
      await input.press(button(page, 'Sign In'))
      await expect(page.getByRole('alert'), 'nothing happens while a field is empty').toHaveCount(0)
      await signIn(page, input, email, '12345')
      await expectErrorUnder(page, 'Password', 'Password must be at least 6 characters')
      expect(calls, 'nothing has been sent so far').toEqual([])

      await signIn(page, input, email, 'not the password')
      await expectErrorUnder(page, 'Password', 'Login failed. Please check your credentials.')
      await look(page, 'login-wrong')

      const answers: [Parameters<typeof page.route>[1], string][] = [
        [(route) => route.abort(), 'Cannot connect to server. Please ensure the backend is running on port 3001.'],
        [(route) => route.fulfill({ status: 500, json: {} }), 'Login failed. Please check your credentials.'],
        [(route) => route.fulfill({ json: { success: false } }), 'Login failed'],
      ]
      for (const [answer, text] of answers) {
        await page.route('**/api/auth/cognito/login', answer, { times: 1 })
        await input.press(button(page, 'Sign In'))
        await expect(page.getByRole('alert')).toHaveText(text)
        await expect(page.getByRole('alert'), 'a box above the fields').toHaveCSS(
          'background-color',
          'rgb(251, 233, 231)',
        )
      }
      await look(page, 'login-failed')

      const answered = Promise.withResolvers<void>()
      await page.route('**/api/auth/cognito/login', async (route) => {
        await answered.promise
        await route.continue()
      })
      await signIn(page, input, ` ${email.toUpperCase()} `, right)
      await expect(button(page, 'Signing In...')).toBeDisabled()
      answered.resolve()
      await expect(page).toHaveURL('/dashboard/overview')
    })

    test('signing in with an expired temporary password requires a new one @account-5', { tag: '@core' }, async ({
      page,
      bursar,
    }) => {
      const input = inputOf(page)
      const account = await createAccount(bursar)
      const session = await login(bursar, account.email, account.password)
      const challenge = { challengeName: 'NEW_PASSWORD_REQUIRED', session: 'over', email: account.email }
      // The server asks for this only a week after sign-up. Tests that can move the clock cover the server's side.
      await page.route('**/api/auth/cognito/login', (route) =>
        route.fulfill({ json: { success: true, data: challenge } }),
      )
      const sent: unknown[] = []
      page.on('request', (request) => {
        if (request.url().endsWith('/new-password')) sent.push(request.postDataJSON())
      })
      await page.goto('/login')
      await signIn(page, input, account.email, 'temporary')
      await heading(page, 'Set New Password')
      await expect(page.getByText('Your temporary password has expired. Please set a new one.')).toBeVisible()
      await expect(page.getByText('Use the same password twice')).toBeVisible()
      const first = fieldOf(page, 'New Password')
      await expect(first).toHaveAttribute('placeholder', 'Enter new password (8+ characters)')
      const submit = button(page, 'Set Password & Sign In')
      await input.fill(first, 'short')
      await input.press(submit)
      await expectErrorUnder(page, 'New Password', 'Password must be at least 8 characters')
      await look(page, 'new-password-short')
      await input.fill(first, password)
      await input.fill(fieldOf(page, 'Confirm Password'), 'another one')
      await input.press(submit)
      await expect(page.getByRole('alert'), 'silently ignored').toHaveCount(0)
      expect(sent).toEqual([])

      await input.fill(fieldOf(page, 'Confirm Password'), password)
      await input.press(submit)
      await expect(page.getByRole('alert')).toHaveText('This sign-in took too long. Please sign in again.')
      await look(page, 'new-password-refused')
      for (const [answer, text] of [
        [{ status: 500, json: {} }, 'Password change failed.'],
        [{ status: 200, json: { success: false } }, 'Password change failed'],
      ] as const) {
        await page.route('**/new-password', (route) => route.fulfill(answer), { times: 1 })
        await input.press(submit)
        await expect(page.getByRole('alert')).toHaveText(text)
      }
      const answered = Promise.withResolvers<void>()
      await page.route('**/new-password', async (route) => {
        await answered.promise
        await route.fulfill({ json: { success: true, data: session } })
      })
      await input.press(submit)
      await expect(button(page, 'Setting Password...')).toBeDisabled()
      answered.resolve()
      await expect(page).toHaveURL('/dashboard/overview')
      expect(sent[0]).toEqual({ email: account.email, session: 'over', newPassword: password })
    })

    test('warns before twelve hours of inactivity and signs out after them @account-6', async ({
      page,
      context,
      bursar,
    }) => {
      const input = inputOf(page)
      const { keep } = await createAccount(bursar)
      await keep(context)
      const idleFor = (ms: number) =>
        page.evaluate((lastAt) => localStorage.setItem('last_activity', String(lastAt)), Date.now() - ms)
      const limitMs = 43_200_000 // 12 hours
      await page.goto('/dashboard/contacts')
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await idleFor(limitMs - 100_000)
      const warning = page.getByRole('alertdialog', { name: 'Are you still there?' })
      await expect(warning).toContainText(/Signing out in 1:[0-5]\d\./)
      await look(page, 'inactivity')
      await input.press(button(page, 'Stay signed in'))
      await expect(warning).toBeHidden()
      expect(await page.evaluate(() => Date.now() - Number(localStorage.getItem('last_activity')))).toBeLessThan(60_000)

      await input.press(button(page, 'Add Contact'))
      const name = fieldOf(page, 'Name')
      await input.fill(name, 'Half typed')
      const ended = page.waitForResponse('**/api/auth/cognito/sign-out')
      await idleFor(limitMs)
      const expired = page.getByRole('alertdialog', { name: 'Session Expired' })
      await expect(expired).toContainText('Redirecting automatically in')
      await expect(name, 'the page stays behind the dialog').toHaveValue('Half typed')
      expect((await ended).status()).toBe(200)
      await input.press(button(page, 'Log In Again'))
      await expect(page).toHaveURL('/login?redirect=%2Fdashboard%2Fcontacts%3Fadd%3Dtrue')
    })

    test('the menu links to every page, and signing out ends the session in every tab and on the server @account-7', {
      tag: '@core',
    }, async ({ page, context, bursar }) => {
      const input = inputOf(page)
      const { email, keep, session } = await createAccount(bursar)
      await keep(context)
      await page.goto('/dashboard/overview')
      const menu = button(page, 'Open menu')
      const navigation = page.getByRole('navigation', { name: 'Main navigation' })
      for (const [entry, path] of Object.entries({
        Overview: 'overview',
        Wallets: 'wallets',
        Agents: 'agents',
        Contacts: 'contacts',
        Usage: 'usage',
        Transactions: 'transactions',
        Payouts: 'payouts',
        'Account Settings': 'settings',
      })) {
        await input.press(menu)
        await input.press(navigation.getByRole('link', { name: entry }))
        await expect(navigation).toBeHidden()
        await expect(page).toHaveURL(`/dashboard/${path}`)
        // The first is the page that is open already.
        if (path !== 'overview') await expect(page.getByRole('main')).toBeFocused()
      }
      await input.press(menu)
      const panel = page.getByRole('dialog', { name: 'Eve' })
      await expect(panel).toContainText(email)
      await expect(panel.getByRole('heading', { level: 2 }).filter({ hasNotText: 'Eve' })).toHaveText([
        'Main',
        'Payments',
        'Settings',
      ])
      await expect(navigation.getByRole('link', { name: 'Account Settings' })).toHaveAttribute('aria-current', 'page')
      await look(page, 'menu-open')

      const other = await context.newPage()
      await other.goto('/dashboard/contacts')
      await expect(other.getByRole('heading', { level: 1 })).toBeVisible()
      await input.press(button(page, 'Sign Out'))
      await expect(page).toHaveURL('/login')
      await expect(other).toHaveURL('/login')
      expect(
        await page.evaluate(() => Object.keys(localStorage).filter((key) => /auth|cognito|token/.test(key))),
      ).toEqual([])
      // The page sent the request while leaving and did not wait for the reply.
      const { refreshToken } = session
      const renew = async () => (await bursar.call('/api/auth/cognito/refresh', { body: { refreshToken } })).status
      await expect.poll(renew).toBe(401)
    })
  })

test('the guard shows a spinner until the session is known, then the page; stored themes are cleared @account-8', async ({
  page,
  context,
  bursar,
}) => {
  const { keep } = await createAccount(bursar)
  await keep(context)
  await context.addInitScript(() => {
    if (!location.protocol.startsWith('http')) return
    if (!sessionStorage.getItem('begun-here')) localStorage.setItem('token_expiry', '1')
    sessionStorage.setItem('begun-here', 'true')
    localStorage.setItem('theme', 'dark')
    // As soon as the root element exists.
    new MutationObserver((_, observer) => {
      document.documentElement.classList.add('dark')
      observer.disconnect()
    }).observe(document, { childList: true })
  })
  const answered = Promise.withResolvers<void>()
  await page.route('**/api/auth/cognito/refresh', async (route) => {
    await answered.promise
    await route.continue()
  })
  await page.goto('/dashboard')
  await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible()
  await expect(button(page, 'Open menu')).toHaveCount(0)
  answered.resolve()
  await expect(button(page, 'Open menu')).toBeVisible()
  await expect(page).toHaveURL('/dashboard/overview')
  const theme = () => page.evaluate(() => [localStorage.getItem('theme'), document.documentElement.className])
  expect(await theme()).toEqual([null, ''])
})

test('reopening after twelve idle hours shows Session Expired, and so does the sign-in page @account-13', async ({
  page,
  context,
  bursar,
}) => {
  const { keep } = await createAccount(bursar)
  await keep(context)
  await context.addInitScript(() => {
    if (!location.protocol.startsWith('http') || sessionStorage.getItem('left')) return
    sessionStorage.setItem('left', 'true')
    localStorage.setItem('last_activity', String(Date.now() - 43_200_000))
  })
  const ended = page.waitForResponse('**/api/auth/cognito/sign-out')
  await page.goto('/dashboard/contacts')
  await expect(page.getByRole('alertdialog', { name: 'Session Expired' })).toBeVisible()
  expect((await ended).status()).toBe(200)
  await button(page, 'Log In Again').click()
  await expect(page).toHaveURL('/login?redirect=%2Fdashboard%2Fcontacts')
  const status = page.getByRole('status')
  await expect(status).toContainText('Your session has expired for security reasons.')

  const later = await context.newPage()
  await later.goto('/login')
  await expect(later.getByRole('status')).toContainText('Your session has expired for security reasons.')
  await audit(later, 'login-expired')
})

test('onboarding asks a user with their own password only for a name, and lets them sign out instead @account-14', async ({
  page,
  context,
  bursar,
}) => {
  const { keep } = await createAccount(bursar)
  await keep(context)
  const nameless = { name: null, needsOnboarding: true, hasCompletedOnboarding: false, passwordIsTemporary: false }
  await page.route('**/api/users/*', async (route) => {
    if (route.request().method() !== 'GET') return route.continue()
    const response = await route.fetch()
    const { data, ...rest } = await response.json()
    await route.fulfill({ response, json: { ...rest, data: { ...data, ...nameless } } })
  })
  await page.goto('/dashboard/contacts')
  const overlay = page.getByRole('dialog', { name: "Welcome to Bursar! Let's set up your account" })
  await expect(overlay).toContainText('Please set your display name.')
  await expect(overlay.locator('input:visible')).toHaveCount(1)
  await audit(page, 'onboarding-name')
  await fieldOf(page, 'Your Name').fill('Ada')
  await button(page, 'Complete Setup').click()
  await expect(overlay).toBeHidden()
  await expect(page.getByRole('main')).toBeFocused()
  await page.reload()
  await expect(overlay).toBeVisible()
  await overlay.getByRole('button', { name: 'Sign Out' }).click()
  await expect(page).toHaveURL('/login')
})

test('the links in the emails confirm an address and reset a password, each once and only after a click @account-11', {
  tag: '@core',
}, async ({ page, context, bursar }) => {
  const email = newEmail()
  const link = (name: string) => new RegExp(`^http\\S+/${name}#token=\\S+$`, 'm')
  const sent: string[] = []
  context.on('request', (request) => sent.push(request.url()))

  await page.goto('/signup?redirect=%2Fdashboard%2Fconnect%2Fcon_1')
  await page.getByText('Own password').click()
  await fieldOf(page, 'Email').fill(email)
  await fieldOf(page, 'Your Name').fill('Eve')
  await fieldOf(page, 'Password').fill(password)
  await button(page, 'Create Account').click()
  await heading(page, 'Confirm your email')
  const [confirmLink] = await bursar.message(email, link('confirm'), 'the confirmation link')
  const tab = await context.newPage()
  await tab.goto(confirmLink!)
  await heading(tab, 'Confirm your email')
  await expect(tab, 'the token is removed from the address bar').toHaveURL('/confirm')
  await audit(tab, 'confirm-link')
  await button(tab, 'Confirm Email').click()
  await heading(tab, 'Email confirmed')
  await tab.getByRole('link', { name: 'Go to sign in' }).click()
  await expect(tab.getByText('Sign in to connect an app'), 'which still waits').toBeVisible()

  await tab.goto('/login')
  await tab.goto(confirmLink!)
  await button(tab, 'Confirm Email').click()
  await expect(tab.getByRole('alert')).toHaveText('This link is no longer valid. You can ask for a new one.')
  await audit(tab, 'confirm-link-used')

  await tab.goto('/forgot-password')
  await fieldOf(tab, 'Email').fill(email)
  await button(tab, 'Send Code').click()
  await heading(tab, 'Choose a new password')
  const [resetLink] = await bursar.message(email, link('reset-password'), 'the reset link')
  await tab.goto(resetLink!) // the same page with a fragment: no reload
  await expect(fieldOf(tab, '6-digit code')).toHaveCount(0)
  await expect(tab).toHaveURL('/reset-password')
  await fieldOf(tab, 'New Password').fill('short')
  await button(tab, 'Reset Password').click()
  await expectErrorUnder(tab, 'New Password', 'Password must be at least 8 characters')
  await audit(tab, 'reset-link')
  const answered = Promise.withResolvers<void>()
  await tab.route('**/reset-password-link', async (route) => {
    await answered.promise
    await route.continue()
  })
  await fieldOf(tab, 'New Password').fill('difference-engine')
  await button(tab, 'Reset Password').click()
  await expect(button(tab, 'Resetting Password...')).toBeDisabled()
  answered.resolve()
  await heading(tab, 'Password changed')
  expect(sent.filter((url) => url.includes('token='))).toEqual([])
  expect((await login(bursar, email, 'difference-engine')).user.email).toBe(email)
})

test('confirming an address that was signed up twice requires a new password @account-12', { tag: '@core' }, async ({
  page,
}) => {
  await page.route('**/confirm-link', (route) =>
    route.fulfill({ json: { success: true, data: { passwordKept: false, resetToken: 'the-reset-token' } } }),
  )
  const bodies: unknown[] = []
  await page.route('**/reset-password-link', (route) => {
    bodies.push(route.request().postDataJSON())
    return route.fulfill({ json: { success: true, data: null } })
  })
  await page.goto('/confirm#token=the-link-token')
  await button(page, 'Confirm Email').click()
  await heading(page, 'Choose a new password')
  await expect(page.getByText('It was signed up more than once')).toBeVisible()
  await audit(page, 'confirm-new-password')
  await fieldOf(page, 'New Password').fill('difference-engine')
  await button(page, 'Reset Password').click()
  await heading(page, 'Password changed')
  expect(bodies).toEqual([{ token: 'the-reset-token', newPassword: 'difference-engine' }])
})

test.describe('signed out', () => {
  test('the root path redirects to sign-in @account-10', async ({ page }) => {
    await page.goto('/')
    await expect(page).toHaveURL('/login')
    await expect(page.getByText('Make your agents pay.')).toBeVisible()
  })
})

test('sign-up follows the deployment: a passcode for both methods, or closed @sign-up-4', async ({ page }) => {
  let signUp = 'passcode'
  await page.route('**/api/config', async (route) => {
    const reply = await route.fetch()
    const { data, ...rest } = await reply.json()
    await route.fulfill({ response: reply, json: { ...rest, data: { ...data, signUp } } })
  })
  await page.goto('/signup')
  await page.getByText('Own password').click()
  // Before it has the configuration, the page asks for a passcode only with the other method.
  await expect(fieldOf(page, 'Signup passcode')).toBeVisible()
  await fieldOf(page, 'Email').fill(newEmail())
  await fieldOf(page, 'Your Name').fill('Eve')
  await fieldOf(page, 'Password').fill(password)
  await button(page, 'Create Account').click()
  await expectErrorUnder(page, 'Signup passcode', 'Signup passcode is required')
  await fieldOf(page, 'Signup passcode').fill(demo.signupPasscode)
  const sent = page.waitForRequest('**/api/auth/cognito/signup')
  await button(page, 'Create Account').click()
  expect((await sent).postDataJSON()).toMatchObject({ signupPasscode: demo.signupPasscode })
  await heading(page, 'Confirm your email')

  signUp = 'closed'
  await page.goto('/signup')
  await heading(page, 'Sign-up is closed')
  await expect(button(page, 'Create Account')).toHaveCount(0)
})
