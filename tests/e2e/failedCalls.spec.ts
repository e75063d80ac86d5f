/** What each form says when its call fails or is refused without a reason. One page shows them all, with such replies. */

import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type { Wallet } from '#schemas/wallet.ts'
import { keepSession, login, signUpByPasscode } from './accounts.ts'
import { audit } from './audit.ts'
import { deployWithNewPhrase } from './deployWallet.ts'
import { expect, testAsOwner, test as testSignedOut } from './fixtures.ts'
import { goInApp } from './inApp.ts'
import type { Owner } from './people.ts'
import { newAddress } from './people.ts'

testSignedOut.use({ tolerated: /status of (409|500)|ERR_FAILED/ })
testAsOwner.use({ tolerated: /status of (400|409|500|502)|ERR_FAILED/ })

const dialog = (page: Page) => page.getByRole('dialog').or(page.getByRole('alertdialog'))
const alert = (page: Page) => page.getByRole('alert')
const press = (page: Page, name: string | RegExp) => dialog(page).getByRole('button', { name, exact: true }).click()
const field = (page: Page, label: string) =>
  page.getByLabel(label, { exact: true }).and(page.locator('input:not([type=radio])'))
const fill = (page: Page, label: string, text: string) => field(page, label).fill(text)
const password = 'analytical-engine-1'

const failed = { status: 500, json: { success: false, error: 'Something went wrong', code: 'internal' } }
const refused = { status: 409, json: { success: false, error: 'Something went wrong', code: 'conflict' } }
/** A reply without a reason, as no version of the API gives it. */
const unexplained = { status: 200, json: { success: false } }

type Reply = { status: number; json: object }
type Case = {
  /** Where the form is: the page, and the dialog over it. */
  at: (ids: Ids) => string
  call: [method: string, path: RegExp]
  /** Fills the form and sends it. */
  does: (page: Page, ids: Ids) => Promise<void>
  /** For each reply, in order, what the form says. It is sent again in between. */
  says: [Reply, string | RegExp][]
  /** Sends the form again, if that is not what `does` does. */
  again?: (page: Page, ids: Ids) => Promise<void>
}
type Ids = { group: string; contact: string; wallet: string; imported: string }

const onAgents =
  (more = '') =>
  (ids: Ids) =>
    `/dashboard/agents?group=${ids.group}${more}`
const onWallets = (key: string) => (ids: Ids) => `/dashboard/wallets?${key}=${ids.imported}`
const menu = async (page: Page, subject: string, item: string) => {
  await page.getByRole('button', { name: `Actions for ${subject}` }).click()
  await page.getByRole('menuitem', { name: item }).click()
}
const group = 'Failing'
const agent = 'Stays'

const agentCases: Record<string, Case> = {
  'creating a group': {
    at: onAgents(),
    call: ['POST', /\/api\/policy-groups$/],
    does: async (page) => {
      await page.getByRole('button', { name: 'New Policy Group' }).click()
      await page.getByLabel('Policy name').fill('Nothing')
      await page.getByLabel('Budget limit').fill('1')
      await page.getByLabel('Wallet', { exact: true }).selectOption({ index: 1 })
      await press(page, 'Create Policy Group')
    },
    says: [[failed, 'Failed to create policy group. Please try again.']],
  },
  'updating a group': {
    at: onAgents(),
    call: ['PUT', /\/api\/policy-groups\/[^/]+$/],
    does: async (page) => {
      await page.getByTestId('group-detail').getByRole('button', { name: 'Edit', exact: true }).click()
      await press(page, 'Save Changes')
    },
    says: [[failed, 'Failed to update policy group. Please try again.']],
  },
  'topping up': {
    at: onAgents('&topUp=true'),
    call: ['POST', /\/top-up$/],
    does: async (page) => {
      await page.getByLabel('Amount').fill('1')
      await press(page, 'Top Up 1.00 USDC')
    },
    says: [
      [failed, 'Failed to top up budget. Please try again.'],
      [
        { status: 400, json: { success: false, error: 'Budget limit is too large', code: 'invalid_input' } },
        'Budget limit is too large Please contact support if you need more.',
      ],
    ],
  },
  'deleting a group': {
    at: onAgents(),
    call: ['DELETE', /\/cascade$/],
    does: async (page) => {
      await menu(page, group, 'Delete')
      await press(page, 'Delete Policy Group')
    },
    says: [[failed, 'Failed to delete policy group. Please try again.']],
  },
  'creating an agent': {
    at: onAgents(),
    call: ['POST', /\/api\/agents$/],
    does: async (page) => {
      await page.getByTestId('group-detail').getByRole('button', { name: 'Add Agent' }).click()
      await fill(page, 'Name', 'Nobody')
      await press(page, 'Create Agent')
    },
    says: [[failed, 'Failed to create agent. Please try again.']],
  },
  'deleting an agent': {
    at: onAgents(),
    call: ['DELETE', /\/api\/agents\/[^/]+$/],
    does: async (page) => {
      await menu(page, agent, 'Delete')
      await press(page, 'Delete Agent')
    },
    says: [[failed, 'Failed to delete agent. Please try again.']],
  },
  'regenerating credentials': {
    at: onAgents(),
    call: ['POST', /\/regenerate-credentials$/],
    does: async (page) => {
      await menu(page, agent, 'Regenerate credentials')
      await press(page, 'Regenerate')
    },
    says: [[failed, 'Failed to regenerate OAuth credentials. Please try again.']],
  },
}

const contactCases: Record<string, Case> = {
  'creating a contact': {
    at: () => '/dashboard/contacts?add=true',
    call: ['POST', /\/api\/contacts$/],
    does: async (page) => {
      await fill(page, 'Name', 'Nobody')
      await fill(page, 'Email', 'nobody@bursar.test')
      await press(page, 'Add Contact')
    },
    again: (page) => press(page, 'Add Contact'),
    says: [
      [failed, 'Failed to create contact'],
      [unexplained, 'Failed to save contact'],
    ],
  },
  'changing a contact': {
    at: ({ contact }) => `/dashboard/contacts?edit=${contact}`,
    call: ['PUT', /\/api\/contacts\/[^/]+$/],
    does: (page) => press(page, 'Save Changes'),
    says: [[failed, 'Failed to update contact']],
  },
  'deleting a contact': {
    at: ({ contact }) => `/dashboard/contacts?delete=${contact}`,
    call: ['DELETE', /\/api\/contacts\/[^/]+$/],
    does: (page) => press(page, 'Delete Contact'),
    says: [[failed, 'Failed to delete contact']],
  },
}

const walletCases: Record<string, Case> = {
  'renaming a wallet': {
    at: onWallets('rename'),
    call: ['PUT', /\/api\/wallets\/[^/]+$/],
    does: (page) => press(page, 'Rename Wallet'),
    says: [[refused, 'Failed to rename wallet']],
  },
  'deleting a wallet': {
    at: onWallets('delete'),
    call: ['DELETE', /\/api\/wallets\/[^/]+$/],
    does: (page) => press(page, 'Delete Wallet'),
    says: [[refused, 'Failed to delete wallet. Please try again.']],
  },
  'viewing a private key': {
    at: onWallets('viewKey'),
    call: ['POST', /\/private-key$/],
    does: async (page) => {
      await fill(page, 'Master password', 'anything')
      await press(page, 'View Private Key')
    },
    says: [[refused, 'Failed to retrieve private key. Please check your master password.']],
  },
  'importing a wallet': {
    at: () => '/dashboard/wallets?import=true',
    call: ['POST', /\/with-private-key$/],
    does: async (page) => {
      const privateKey = generatePrivateKey()
      await fill(page, 'Private key', privateKey)
      await fill(page, 'Wallet address', privateKeyToAddress(privateKey))
      await fill(page, 'Master password', 'a master password')
      await press(page, 'Add Wallet')
    },
    says: [[refused, 'Failed to create wallet. Please try again or contact support.']],
  },
  'deploying a wallet': {
    at: () => '/dashboard/wallets?deploy=true',
    call: ['POST', /\/smart-wallets-v2\/deploy$/],
    does: async (page) => {
      await fill(page, 'Wallet name', 'Words')
      await deployWithNewPhrase(page)
    },
    says: [[refused, /Failed to deploy wallet\. Please try again or contact support\./]],
  },
}

const send = (page: Page) => press(page, 'Send 1.00 USDC')
const sendCases: Record<string, Case> = {
  'sending to an address': {
    at: ({ wallet }) => `/dashboard/wallets?send=${wallet}`,
    call: ['POST', /\/api\/transactions\/send$/],
    does: async (page) => {
      await fill(page, 'Recipient address', newAddress())
      await fill(page, 'Amount', '1')
      await press(page, 'Review')
      await send(page)
    },
    says: [[refused, 'Failed to send transaction']],
  },
  'sending to an email address': {
    at: ({ wallet }) => `/dashboard/wallets?send=${wallet}`,
    call: ['POST', /\/api\/escrow\/create$/],
    does: async (page) => {
      await page.getByRole('tab', { name: 'Email' }).click()
      await fill(page, 'Recipient email', `to-${randomUUID().slice(0, 8)}@bursar.test`)
      await fill(page, 'Amount', '1')
      await press(page, 'Review')
      await send(page)
    },
    again: send,
    says: [
      [refused, 'Failed to create escrow'],
      [unexplained, 'Failed to create escrow. Please try again or contact support.'],
    ],
  },
  'creating a payout': {
    at: () => '/dashboard/payouts?create=true',
    call: ['POST', /\/api\/escrow\/create$/],
    does: async (page, { wallet }) => {
      await page.getByLabel('Source wallet').selectOption(wallet)
      await fill(page, 'Recipient email', `to-${randomUUID().slice(0, 8)}@bursar.test`)
      await fill(page, 'Amount', '1')
      await press(page, 'Review')
      await send(page)
    },
    again: send,
    says: [
      [refused, 'Failed to create payout'],
      [unexplained, 'Failed to create payout. Please try again or contact support.'],
    ],
  },
}

const fundingCases: Record<string, Case> = {
  'buying USDC': {
    at: ({ wallet }) => `/dashboard/wallets?addFunds=${wallet}`,
    call: ['POST', /\/api\/onramp\/session$/],
    does: (page) => press(page, 'Continue with $100.00'),
    says: [
      [{ ...failed, status: 502 }, 'Failed to create onramp session'],
      [unexplained, 'Failed to create onramp session. Please try again or contact support.'],
    ],
  },
}

/** Replies to the calls of each case; all other calls reach the server. */
async function tryEach(page: Page, ids: Ids, cases: Record<string, Case>): Promise<void> {
  for (const [name, { at, call, does, says, again = does }] of Object.entries(cases))
    await testAsOwner.step(name, async () => {
      const to = at(ids)
      await goInApp(page, to.split('?')[0]!)
      await expect(dialog(page)).toHaveCount(0)
      await goInApp(page, to)
      const [method, path] = call
      let reply = says[0]![0]
      const isCall = (url: URL) => path.test(url.pathname)
      await page.route(isCall, (route) =>
        route.request().method() === method ? route.fulfill(reply) : route.continue(),
      )
      for (const [i, [next, text]] of says.entries()) {
        reply = next
        await (i === 0 ? does : again)(page, ids)
        await expect(
          alert(page)
            .filter({ hasText: /Failed|contact support/ })
            .first(),
        ).toHaveText(text)
        await expect(dialog(page).first(), 'nothing is lost').toBeVisible()
      }
      await page.unroute(isCall)
    })
}

/** Shows a page whose call fails, and then loads it by its button. */
async function retryPage(page: Page, at: string, call: RegExp, text: string): Promise<void> {
  const isCall = (url: URL) => call.test(url.pathname)
  await page.route(isCall, (route) => route.fulfill({ status: 500, json: {} }))
  await page.goto(at)
  await expect(alert(page)).toContainText(text)
  await audit(page, `${at.split('/').at(-1)}-failed`)
  await page.unroute(isCall)
  await page.getByRole('button', { name: 'Try again' }).first().click()
}

async function importWallet(owner: Owner): Promise<Wallet> {
  const privateKey = generatePrivateKey()
  const key = { privateKey, address: privateKeyToAddress(privateKey), masterPassword: 'a master password' }
  return owner.api<Wallet>('/wallets/with-private-key', { name: 'Words', chain: 'base', ...key })
}

testAsOwner('each form says what failed and keeps what was typed', { tag: '@core' }, async ({ page, owner }) => {
  const made = await owner.group(group)
  await owner.agent(made, agent)
  const ids = {
    group: made.id,
    contact: owner.grace.id,
    wallet: owner.wallet.id,
    imported: (await importWallet(owner)).id,
  }
  await page.goto(onAgents()(ids))
  await expect(page.getByTestId('group-detail').locator('#group-name')).toHaveText(group)
  await testAsOwner.step('of agents and groups @agents-13', () => tryEach(page, ids, agentCases))
  await testAsOwner.step('of contacts @contacts-9', () => tryEach(page, ids, contactCases))
  await testAsOwner.step('of sends and payouts @send-13', () => tryEach(page, ids, sendCases))
  await testAsOwner.step('of buying USDC, which also closes the empty tab @send-17', async () => {
    await tryEach(page, ids, fundingCases)
    await expect.poll(() => page.context().pages().length).toBe(1)
  })
  await testAsOwner.step('of wallets @wallets-11', () => tryEach(page, ids, walletCases))
})

testAsOwner('a page that fails to load says so and can be retried @screens-101', async ({ page, owner }) => {
  await owner.group('Loads again')
  const problem = 'An error occurred. Please try again or contact support if the issue persists.'
  await retryPage(page, '/dashboard/agents', /\/with-agents$/, problem)
  await expect(page.getByRole('navigation', { name: 'Policy groups' })).toBeVisible()
  await retryPage(page, '/dashboard/contacts', /\/api\/contacts$/, 'Failed to load contacts')
  await expect(page.getByRole('row').filter({ hasText: owner.grace.name })).toBeVisible()
})

testSignedOut(
  'each account form has a text if the server gives no reason @account-9',
  async ({ page, context, bursar }) => {
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const says = async (call: string, name: string, texts: [failed: string, unexplained: string]) => {
      for (const [i, reply] of [{ status: 500, json: {} }, unexplained].entries()) {
        await page.route(`**${call}`, (route) => route.fulfill(reply), { times: 1 })
        await button(name).click()
        await expect(alert(page)).toHaveText(texts[i]!)
      }
    }
    await page.goto('/signup')
    await fill(page, 'Email', 'eve@bursar.test')
    await fill(page, 'Your Name', 'Eve')
    await fill(page, 'Signup passcode', 'any')
    await says('/api/users', 'Create Account', ['Signup failed. Please try again.', 'Signup failed'])
    await page.getByText('Own password').click()
    await fill(page, 'Password', password)
    await says('/cognito/signup', 'Create Account', ['Signup failed. Please try again.', 'Signup failed'])

    await goInApp(page, '/confirm')
    await button('Confirm Email').waitFor()
    await fill(page, 'Email', 'eve@bursar.test')
    await fill(page, '6-digit code', '123456')
    await says('/cognito/confirm', 'Confirm Email', ['Email confirmation failed.', 'Email confirmation failed'])

    await goInApp(page, '/forgot-password')
    await button('Send Code').waitFor()
    await fill(page, 'Email', 'eve@bursar.test')
    await says('/cognito/forgot-password', 'Send Code', [
      'Password reset request failed.',
      'Password reset request failed',
    ])

    await goInApp(page, '/reset-password')
    await button('Reset Password').waitFor()
    await fill(page, 'Email', 'eve@bursar.test')
    await fill(page, '6-digit code', '123456')
    await fill(page, 'New Password', password)
    await says('/cognito/reset-password', 'Reset Password', ['Password reset failed.', 'Password reset failed'])

    const account = await signUpByPasscode(bursar)
    await keepSession(context, await login(bursar, account.email, account.password))
    await page.goto('/dashboard')
    await fill(page, 'Your Name', 'Eve')
    await fill(page, 'New Password', password)
    await fill(page, 'Confirm Password', password)
    await says('/complete-onboarding', 'Complete Setup', ['Failed to complete setup', 'Failed to complete onboarding'])
  },
)
