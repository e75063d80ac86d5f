/** `npm run test:long connect`: every known client is given the URL only, and a person follows the screens. */
import { randomUUID } from 'node:crypto'
import type { Locator, Page } from '@playwright/test'
import { demo } from '../../local/stack/seed.ts'
import { runAuthorizationSuite } from '../support/authorizationSuite.ts'
import { installClients } from '../support/clients.ts'
import { type ConnectingClient, connectingClient } from '../support/connectingClient.ts'
import { mcporter, mcpRemote, openidClient } from '../support/connectingPrograms.ts'
import { patient } from '../support/patience.ts'
import { addressFor } from '../support/stackClient.ts'
import { button, expect, onChain, test } from './fixtures.ts'
import { createFundedAccount } from './people.ts'

/** The clients' own pages, to which consent leads; and refusals that the tests cause. */
const tolerated = /foreign request: http:\/\/(127\.0\.0\.1|localhost):\d+\/|status of (400|401|404|410|422)/
test.use({ tolerated })

const clients: Record<string, (url: string) => ConnectingClient | Promise<ConnectingClient>> = {
  '@modelcontextprotocol/client': (url) => connectingClient(url, 'Scout'),
  '@modelcontextprotocol/sdk': (url) => connectingClient(url, 'Scout', 'sdk'),
  'openid-client': (url) => openidClient(url, 'Scout'),
  'mcp-remote': mcpRemote,
  mcporter,
}

/** It may have been signed already. */
const accepted = expect.stringMatching(/^(QUEUED|PROCESSING|CONFIRMED)$/)

const mostInputs = { signedIn: 5, fromSignUp: 24 }
const mostMs = 60_000 // 1 minute
/** Long enough for a wallet to be deployed. */

/** A person's presses and inputs, counted. */
function handsOn(page: Page) {
  const hands = {
    inputs: 0,
    async press(target: Locator) {
      hands.inputs++
      await target.click()
    },
    async enter(field: Locator, text: string) {
      hands.inputs++
      await field.fill(text)
    },
    type: (label: string | RegExp, text: string) => hands.enter(page.getByLabel(label, { exact: true }), text),
  }
  return hands
}

if (process.env.CONNECT === 'all') {
  test.beforeAll(async () => {
    test.setTimeout(patient(300_000))
    await installClients()
    await installClients('assistants')
  })

  for (const [name, create] of Object.entries(clients))
    test(`${name} gets the URL only: allowed, pays, refused above its budget, asks, revoked, allowed again @consent-15`, async ({
      page,
      bursar,
      baseURL,
    }) => {
      const { account, api } = await createFundedAccount(bursar)
      await account.keep(page.context())
      const app = await create(baseURL!)
      const to = addressFor(name)
      const counts = async () => [
        (await api<unknown[]>('/agents')).length,
        (await api<unknown[]>('/policy-groups')).length,
      ]
      const { access_token, refresh_token, client_id } =
        await test.step('a person who is signed in allows it', async () => {
          const hands = handsOn(page)
          await page.goto(await app.begin())
          await hands.type('Your Bursar password', account.password)
          await hands.press(button(page, 'Allow'))
          await app.finish()
          expect(await app.pay(to, '3')).toMatchObject({ amount: '3', status: accepted })
          expect(hands.inputs).toBeLessThanOrEqual(mostInputs.signedIn)
          return { ...app.tokens(), client_id: app.clientId() }
        })
      expect(await app.pay(to, '25')).toMatchObject({ rule: 'group.budget_per_day' })
      expect(await app.pay(to, '6')).toMatchObject({ status: 'PENDING_APPROVAL' })
      const before = await counts()

      await test.step('revoked in the dashboard, it can do nothing from the next call on', async () => {
        await page.goto('/dashboard/agents')
        const row = page.getByTestId('connected-app')
        await row.getByRole('button', { name: /^Revoke / }).click()
        await button(page, 'Revoke').click()
        await expect(row).toBeHidden()
        for (const path of ['/mcp', '/v1/context']) {
          const body = path === '/mcp' && JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
          const call = await fetch(baseURL + path, {
            headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
            ...(body && { method: 'POST', body }),
          })
          expect(call.status, path).toBe(401)
        }
        const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token, client_id })
        const refresh = await fetch(`${baseURL}/oauth/token`, { method: 'POST', body: form })
        expect(await refresh.json()).toMatchObject({ error: 'invalid_grant' })
        await expect(app.pay(to, '1'), 'the app itself notices').rejects.toThrow()
      })

      await test.step('connecting again proposes the same agent, and adds no budget', async () => {
        await page.goto(await app.begin())
        await expect(page.getByRole('radio', { name: /, as before/ })).toBeChecked()
        await page.getByLabel('Your Bursar password').fill(account.password)
        await button(page, 'Allow').click()
        await app.finish()
        expect(await app.pay(to, '1')).toMatchObject({ amount: '1', status: accepted })
        expect(await counts()).toEqual(before)
      })
      await app.close()
    })

  test('the conformance suite for authorization servers passes, with a browser that consents @consent-16', async ({
    page,
    bursar,
  }) => {
    const { account } = await createFundedAccount(bursar)
    await account.keep(page.context())
    const { code, output } = await runAuthorizationSuite(bursar, async (asked) => {
      await page.goto(asked)
      await page.getByLabel('Your Bursar password').fill(account.password)
      await button(page, 'Allow').click()
      await page.waitForURL(/\/callback/)
    })
    expect(code, output).toBe(0)
    expect(output).toMatch(/authorization-server-metadata-endpoint: 2 passed, 0 failed/)
    expect(output).toMatch(/authorization-code-grant: 1 passed, 0 failed/)
  })

  test('from sign-up to the first payment of a client with the URL, by the screens alone, in a minute and 24 inputs @consent-17', async ({
    page,
    context,
    bursar,
    baseURL,
  }) => {
    const app = await connectingClient(baseURL!, 'Scout')
    const email = `connect-${randomUUID().slice(0, 8)}@bursar.test`
    const startedAt = Date.now()
    const hands = handsOn(page)
    const { press, type, enter } = hands
    await page.goto(await app.begin())
    await press(page.getByRole('link', { name: 'Create an account' }))
    // Sign-in has a field of the same name.
    await expect(page.getByRole('heading', { name: 'Create an account' })).toBeVisible()
    await type('Email', email)
    await type('Your Name', 'Ada')
    await enter(page.getByRole('textbox', { name: 'Signup passcode' }), demo.signupPasscode)
    await press(button(page, 'Create Account'))
    await press(page.getByRole('link', { name: 'Go to sign in' }))
    await expect(button(page, 'Sign In')).toBeVisible()
    const [, password] = await bursar.message(email, /temporary password:\n\n(\S+)/, 'the temporary password')
    await type('Email', email)
    await type('Password', password!)
    await press(button(page, 'Sign In'))
    await type('New Password', 'analytical-engine')
    await type('Confirm Password', 'analytical-engine')
    await press(button(page, 'Complete Setup'))
    await press(button(page, 'Create a wallet'))
    await press(page.getByRole('checkbox'))
    await press(button(page, 'Generate Recovery Phrase'))
    await press(button(page, 'Reveal phrase'))
    await press(page.getByLabel('I have securely saved my recovery phrase'))
    await type(/^Type/, 'I have saved my private key')
    await press(button(page, 'Deploy Wallet'))
    await expect(page.getByTestId('address-matches')).toBeVisible(onChain)
    await press(button(page, 'Add funds'))
    const seller = context.waitForEvent('page')
    await press(button(page, 'Continue with $100.00'))
    await press((await seller).getByRole('button').first())
    await press(page.getByRole('dialog', { name: 'Funds added' }).getByRole('button', { name: 'Done' }))
    await press(button(page, 'Allow'))
    await app.finish()
    const paid = await app.pay(addressFor('connect-17'), '1')
    expect(paid).toMatchObject({ amount: '1', status: accepted })
    const ms = Date.now() - startedAt
    console.log(`first payment after ${ms} ms and ${hands.inputs} inputs`)
    expect(hands.inputs).toBeLessThanOrEqual(mostInputs.fromSignUp)
    expect(ms).toBeLessThan(mostMs)
    await app.close()
  })
}
