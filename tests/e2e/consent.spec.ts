/** Apps that are given the URL only: consent, connected apps, the page for assistants, and device codes. */
import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { Agent } from '#schemas/policy.ts'
import type { SessionKeyInfo } from '#schemas/sessionKey.ts'
import { demo } from '../../local/stack/seed.ts'
import { installClients } from '../support/clients.ts'
import { connectingClient } from '../support/connectingClient.ts'
import { within } from '../support/patience.ts'
import { addressFor } from '../support/stackClient.ts'
import { createFundedWallet } from '../support/testStack.ts'
import { audit } from './audit.ts'
import { test as base, button, expect, testAsNewUser, testAsPayer } from './fixtures.ts'
import { keyboard } from './inputModes.ts'

/** The app's own address, to which consent leads; and refusals that the tests cause. */
const tolerated = /foreign request: http:\/\/127\.0\.0\.1:\d+\/(callback|favicon)|status of (400|404|410|422)/
base.use({ tolerated })
testAsPayer.use({ tolerated })
testAsNewUser.use({ tolerated })

const apps = (page: Page) => page.getByRole('region', { name: 'Connected apps' })

base(
  'an assistant with the URL only is allowed, pays, is refused above its budget, asks, and is revoked @consent-9',
  { tag: '@core' },
  async ({ page, own, baseURL }) => {
    await installClients()
    const to = addressFor('connect-9')
    const app = await connectingClient(baseURL!, 'Scout')

    await base.step('sign-in leads to the consent page', async () => {
      await page.goto(await app.begin())
      await page.getByLabel('Email').fill(own.account.email)
      await page.getByLabel('Password', { exact: true }).fill(own.account.password)
      await button(page, 'Sign In').click()
      await expect(page.getByRole('heading', { name: 'Let this app pay from your wallet?' })).toBeVisible()
      await expect(page.getByTestId('destination')).toHaveText('A program on this computer')
      await expect(page.getByRole('main')).toContainText('It calls itself “Scout”')
      await expect(page.getByRole('main')).toContainText('Unverified app')
      await expect(page.getByTestId('most')).toContainText('At most $20.00 USDC a day (UTC) can leave')
      await audit(page, 'connect-narrow', [320])
      await audit(page, 'connect')
    })

    await base.step('the owner allows it, and it pays within what was shown', async () => {
      await page.getByLabel('Budget a day').fill('10')
      await expect(page.getByTestId('most')).toContainText('At most $10.00 USDC a day (UTC) can leave')
      await button(page, 'Allow').click()
      await app.finish()
      expect(await app.pay(to, '3')).toMatchObject({ amount: '3', status: 'QUEUED' })
      expect(await app.pay(to, '25')).toMatchObject({ rule: 'group.budget_per_day' })
      expect(await app.pay(to, '6')).toMatchObject({ status: 'PENDING_APPROVAL' })
    })

    await base.step('the owner sees and revokes it, and nothing it holds works any more', async () => {
      await page.goto('/dashboard/agents')
      const row = apps(page).getByTestId('connected-app').filter({ hasText: 'Scout' })
      await expect(row).toContainText('A program on this computer')
      await expect(row.getByRole('link', { name: 'Scout' })).toBeVisible()
      await audit(page, 'connected-apps')
      await row.getByRole('button', { name: 'Revoke Scout' }).click()
      await expect(page.getByRole('alertdialog')).toContainText('from its next call on')
      await audit(page, 'connected-apps-revoke')
      await button(page, 'Revoke').click()
      await expect(row).toBeHidden()
      const { access_token, refresh_token } = app.tokens()
      const call = await fetch(`${baseURL}/v1/context`, { headers: { authorization: `Bearer ${access_token}` } })
      expect(call.status).toBe(401)
      const refresh = await fetch(`${baseURL}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token, client_id: app.clientId() }),
      })
      expect(await refresh.json()).toMatchObject({ error: 'invalid_grant' })
      await expect(app.pay(to, '1'), 'the app itself notices').rejects.toThrow()
    })

    await base.step('connecting again proposes the same agent', async () => {
      await page.goto(await app.begin())
      await expect(page.getByRole('radio', { name: 'Scout, as before' })).toBeChecked()
      await button(page, 'Deny').click()
      expect((await app.returned()).get('error')).toBe('access_denied')
    })
    await app.close()
  },
)

testAsPayer(
  'a signed-in owner allows by keyboard alone, with the password @consent-10',
  { tag: '@core' },
  async ({ page, own, baseURL }) => {
    await installClients()
    const app = await connectingClient(baseURL!, 'Claude Code', 'sdk')
    const { press, fill } = keyboard(page)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(await app.begin())
    await expect(button(page, 'Allow')).toBeEnabled()
    await press(button(page, 'Allow'))
    await expect(page.getByRole('alert').filter({ hasText: 'Please enter your password' })).toBeVisible()
    const field = (await page.getByLabel('Your Bursar password').boundingBox())!
    const allow = (await button(page, 'Allow').boundingBox())!
    expect(field.y + field.height, 'the field that has the focus is above the buttons').toBeLessThan(allow.y)
    await fill(page.getByLabel('Your Bursar password'), 'not-the-password')
    await press(button(page, 'Allow'))
    await expect(page.getByLabel('Your Bursar password')).toHaveAttribute('aria-invalid', 'true')
    await fill(page.getByLabel('Your Bursar password'), own.account.password)
    await press(button(page, 'Allow'))
    await app.finish()
    expect((await app.call('get_payment_context')).isError ?? false).toBe(false)
    await app.close()
  },
)

testAsNewUser(
  'an app may buy once the owner allows it and keeps a part of the limit for that @consent-18',
  { tag: '@core' },
  async ({ page, baseURL, bursar, account }) => {
    await installClients()
    const wallet = await createFundedWallet(bursar, await account.accessToken(), { name: 'Treasury' })
    const info = async () =>
      bursar.api<SessionKeyInfo>(`/wallets/smart-wallets-v2/${wallet.id}/session-key`, {
        token: await account.accessToken(),
      })
    const app = await connectingClient(baseURL!, 'Shopper')
    const { press, fill } = keyboard(page)
    await page.goto(await app.begin())
    const allowance = page.getByLabel('For purchases', { exact: true })
    await press(page.getByText('Change', { exact: true }).locator('xpath=ancestor::summary'))
    const buys = page.getByRole('checkbox', { name: 'x402 purchases' })
    await expect(buys, 'an app that asks for everything').not.toBeChecked()
    await press(buys)
    await expect(page.getByRole('main')).toContainText('It may pay')
    await expect(page.getByRole('note')).toHaveText(
      'Treasury keeps nothing for purchases yet. Allow also rotates its session key, so that the new one keeps this much of the $1,000.00 that it may still pay. With 0, it can’t buy anything yet.',
    )
    await expect(allowance).toHaveValue('20')
    await audit(page, 'connect-purchases')
    const password = page.getByLabel('Your Bursar password')
    await fill(password, 'not-the-password')
    for (const [text, problem] of [
      ['1.5', 'Purchase allowance must be a whole number of USDC'],
      ['1001', 'Purchase allowance cannot exceed the spending limit'],
    ] as const) {
      await fill(allowance, text)
      await press(button(page, 'Allow'))
      await expect(page.getByRole('alert').filter({ hasText: problem })).toBeVisible()
      await expect(allowance).toBeFocused()
    }
    await audit(page, 'connect-purchases-wrong')
    expect((await info()).actions, 'nothing was started').toEqual([])

    // A rotation that is refused is about the allowance, and does not end the request.
    const refusal = { status: 404, json: { success: false, code: 'not_found', error: 'Wallet not found.' } }
    await page.route('**/rotate-session-key', (route) => route.fulfill(refusal), { times: 1 })
    await fill(allowance, '15')
    await press(button(page, 'Allow'))
    await expect(page.getByRole('alert').filter({ hasText: 'Wallet not found.' })).toBeVisible()
    await expect(allowance).toHaveAccessibleDescription(/Wallet not found\./)

    // The rotation is not repeated when the password was wrong.
    await press(button(page, 'Allow'))
    await expect(password).toHaveAttribute('aria-invalid', 'true')
    await fill(password, account.password)
    await press(button(page, 'Allow'))
    await app.finish()
    expect((app.tokens() as { scope?: string }).scope).toContain('x402_payments:write')
    await expect.poll(async () => (await info()).purchaseAllowance, within(45_000)).toBe(15)
    expect(await info()).toMatchObject({ spendingLimit: '1000000000', nonce: 2 })
    expect((await info()).actions).toHaveLength(1)
    await app.close()
  },
)

/** Registers an app that goes by this name, and returns the address to which it sends its victim. */
async function lure(baseURL: string, name: string, redirectUri: string): Promise<string> {
  const registration = await fetch(`${baseURL}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: name, redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }),
  })
  const { client_id } = (await registration.json()) as { client_id: string }
  return `/oauth/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: redirectUri,
    state: 'state',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })}`
}

declare global {
  interface Window {
    /** When the button Allow was first there, and first enabled (ms since the page began to load). */
    allowShown?: number
    allowLive?: number
  }
}

/** Runs in the page. */
function noteAllow(): void {
  new MutationObserver(() => {
    const allow = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Allow')
    if (!allow) return
    window.allowShown ??= performance.now()
    if (!allow.disabled) window.allowLive ??= performance.now()
  }).observe(document, { subtree: true, childList: true, attributes: true })
}

testAsNewUser(
  'a look-alike is doubted, a wallet comes first, and Allow waits a second @consent-11',
  { tag: '@core' },
  async ({ page, baseURL, bursar, account }) => {
    await page.goto(await lure(baseURL!, 'Claude', 'https://claude-ai.example/callback'))
    const main = page.getByRole('main')
    await expect(page.getByTestId('destination')).toHaveText('claude-ai.example')
    await expect(main).toContainText('It calls itself “Claude”, but claude-ai.example does not belong to Claude.')
    await expect(main).toContainText(`You are signed in as ${account.email}.`)
    await expect(button(page, 'Create a wallet')).toBeVisible()
    await expect(button(page, 'Allow')).toBeHidden()
    await audit(page, 'connect-without-wallet')
    await button(page, 'Create a wallet').click()
    await expect(page.getByRole('dialog')).toContainText('Wallet Security Setup')
    await page.keyboard.press('Escape')
    await button(page, 'Choose its name or owner key').click()
    await expect(page.getByRole('dialog')).toContainText('Deploy Smart Wallet')
    await page.keyboard.press('Escape')

    await createFundedWallet(bursar, await account.accessToken())
    await page.addInitScript(noteAllow)
    await page.reload()
    await expect(button(page, 'Allow')).toBeEnabled()
    expect(await page.evaluate(() => window.allowLive! - window.allowShown!)).toBeGreaterThan(900)
  },
)

testAsPayer(
  'a request that is unknown ends nothing; the page for assistants has the URL @consent-12',
  { tag: '@core' },
  async ({ page, baseURL }) => {
    await page.goto('/dashboard/connect?request=req_unknown')
    await expect(page.getByRole('heading', { name: 'This request is no longer valid' })).toBeVisible()
    await audit(page, 'connect-ended')
    await base.step('connected apps while they load, fail and are none', async () => {
      let fail: () => void = () => undefined
      const failed = new Promise<void>((resolve) => {
        fail = resolve
      })
      let reply = { status: 422, json: { success: false, code: 'unprocessable', error: 'Not today.' } as object }
      await page.route('**/api/connections', async (route) => {
        await failed
        await route.fulfill(reply)
      })
      await page.getByRole('link', { name: 'Open Agents' }).click()
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Agents')
      await expect(apps(page)).toHaveCount(0)
      fail()
      await expect(apps(page).getByRole('alert')).toContainText('Not today.')
      await audit(page, 'connected-apps-failed')
      reply = { status: 200, json: { success: true, data: [] } }
      await button(page, 'Try again').click()
      await expect(apps(page)).toHaveCount(0)
    })
    await page.getByRole('link', { name: 'Connect an Assistant' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Connect an assistant')
    await expect(page.getByRole('main').locator('code').first()).toHaveText(`${baseURL}/mcp`)
    await expect(page.getByRole('link', { name: 'Add to Cursor' })).toHaveAttribute('href', /^cursor:/)
    await audit(page, 'assistants')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await button(page, 'Copy command for Claude Code').click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `claude mcp add --transport http bursar ${baseURL}/mcp`,
    )
  },
)

base('sign-up leads back to the app that asked @consent-14', { tag: '@core' }, async ({ page, bursar, baseURL }) => {
  await page.goto(await lure(baseURL!, 'Scout', 'http://127.0.0.1/callback'))
  await page.getByRole('link', { name: 'Create an account' }).click()
  await expect(page.getByRole('heading', { name: 'Create an account' })).toBeVisible()
  const email = `connect-${randomUUID().slice(0, 8)}@bursar.test`
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Your Name').fill('Ada')
  await page.getByRole('textbox', { name: 'Signup passcode' }).fill(demo.signupPasscode)
  await button(page, 'Create Account').click()
  await expect(page.getByRole('link', { name: 'Go to sign in' })).toBeVisible()
  await page.goto('/login') // as from the email
  await expect(page.getByText('Sign in to connect an app')).toBeVisible()
  const [, password] = await bursar.message(email, /temporary password:\n\n(\S+)/, 'the temporary password')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password!)
  await button(page, 'Sign In').click()
  await page.getByLabel('New Password').fill('analytical-engine')
  await page.getByLabel('Confirm Password').fill('analytical-engine')
  await button(page, 'Complete Setup').click()
  await expect(page.getByRole('heading', { name: 'Let this app pay from your wallet?' })).toBeVisible()
})

testAsPayer(
  'a device’s code is typed, compared, allowed with the password, and used once @consent-13',
  { tag: '@core' },
  async ({ page, own, baseURL }) => {
    const form = async <T>(path: string, parameters: Record<string, string>) =>
      (await (await fetch(baseURL + path, { method: 'POST', body: new URLSearchParams(parameters) })).json()) as T
    const group = { name: 'Errands', spendLimit: 12, scopes: ['address_payments:write'], walletId: own.wallet.id }
    await own.api('/policy-groups', group)
    const client_id = 'bursar-cli'
    const device = await form<{ device_code: string; user_code: string }>('/oauth/device', { client_id })
    await page.goto('/device')
    await expect(page).toHaveURL('/dashboard/device')
    await page.getByLabel('Code').fill('BBBB-BBBB')
    await button(page, 'Continue').click()
    await expect(page.getByRole('alert')).toContainText('No device shows this code.')
    await page.getByLabel('Code').fill(device.user_code.toLowerCase())
    await audit(page, 'device')
    await button(page, 'Continue').click()
    const main = page.getByRole('main')
    await expect(page.getByTestId('destination')).toHaveText('Bursar’s command line')
    await expect(main).toContainText('Continue only if you started this on a device in front of you.')
    await page.getByLabel('Budget', { exact: true }).selectOption('Shares that of Errands')
    await expect(page.getByTestId('most')).toContainText('can leave now, by all agents of Errands together.')
    await audit(page, 'connect-device')
    await page.getByLabel('Your Bursar password').fill(own.account.password)
    await button(page, 'Allow').click()
    await expect(main).toContainText('Go back to your device')
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
    const collect = () =>
      form<{ access_token?: string; error?: string }>('/oauth/token', {
        client_id,
        grant_type,
        device_code: device.device_code,
      })
    const { access_token } = await collect()
    expect(access_token).toBeTruthy()
    const agents = await own.api<Agent[]>('/agents')
    expect(agents.filter(({ policyGroup }) => policyGroup.name === 'Errands')).toHaveLength(1)
    // A device that asks again within five seconds is told to slow down.
    const again = { ...within(30_000), intervals: [100, 5_500] }
    await expect.poll(async () => (await collect()).error, again).toBe('invalid_grant')
  },
)
