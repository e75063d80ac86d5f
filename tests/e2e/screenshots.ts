/**
 * `npm run screenshots`: takes the pictures of the README, on a separate stack with an account that is in use, and
 * writes them to docs/images.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type BrowserContextOptions, chromium, type Page } from 'playwright'
import type { CreateEscrowReply } from '#schemas/escrow.ts'
import type { Payment } from '#schemas/payment.ts'
import type { CreatedAgent, PolicyGroup } from '#schemas/policy.ts'
import { until } from '../../local/client.ts'
import { demo } from '../../local/stack/seed.ts'
import { findBrowser } from '../../local/tools/browser.ts'
import { root } from '../../local/tools/runTool.ts'
import { createFundedWallet, createTestStack, type TestStack } from '../support/testStack.ts'
import { keepSession, login } from './accounts.ts'
import { recipient } from './seededAccount.ts'

const folder = join(root, 'docs/images')
const phone = { viewport: { width: 390, height: 780 }, deviceScaleFactor: 2, isMobile: true }
const desktop = (height: number) => ({ viewport: { width: 1280, height } })

/** Groups, agents, payments, a refusal and a payout that waits for its recipient. */
async function fillAccount({ bursar }: TestStack, token: string) {
  const wallet = await createFundedWallet(bursar, token, { name: 'Operations', funds: '2500' })
  const make = <T>(path: string, body: unknown) => bursar.api<T>(path, { token, key: randomUUID(), body })
  await make('/contacts', { name: 'Grace Hopper', address: recipient, email: 'grace@bursar.test' })
  const addGroup = (name: string, spendLimit: number, limits: object = {}) =>
    make<PolicyGroup>('/policy-groups', {
      name,
      spendLimit,
      scopes: ['address_payments:write', 'email_payments:write'],
      walletId: wallet.id,
      ...limits,
    })
  const addAgent = async (group: PolicyGroup, name: string, memo: string) =>
    (await make<CreatedAgent>('/agents', { name, memo, policyGroupId: group.id })).apiKey!
  const pay = (apiKey: string, amount: string, memo: string, to: object = { type: 'address', address: recipient }) =>
    bursar.call<Payment>('/v1/payments', { token: apiKey, key: randomUUID(), body: { to, amount, memo } })

  const research = await addGroup('Research', 300, { maxPayment: '60', periodBudget: { period: 'week', limit: '200' } })
  const support = await addGroup('Customer refunds', 500)
  const scout = await addAgent(research, 'Scout', 'Buys data sets')
  const librarian = await addAgent(research, 'Librarian', 'Pays for articles')
  const refunds = await addAgent(support, 'Refund desk', 'Refunds by email')
  const paid = [
    await pay(scout, '41.50', 'Weather data, November'),
    await pay(librarian, '12', 'Two articles'),
    await pay(scout, '28.25', 'Satellite images'),
    await pay(refunds, '19.90', 'Order 1042', { type: 'email', email: 'ada@bursar.test' }),
    await pay(refunds, '64', 'Order 1057', { type: 'email', email: 'alan@bursar.test' }),
  ]
  if (paid.some(({ status }) => status !== 201)) throw new Error('a payment within its budget was refused')
  await pay(scout, '75', 'Street maps')
  for (const { body } of paid)
    await until('the payments', async () => {
      const { status } = await bursar.api<Payment>(`/transactions/${body.id}`, { token })
      return !['QUEUED', 'PROCESSING'].includes(status)
    })
  const payout = await make<CreateEscrowReply>('/escrow/create', {
    sourceWalletId: wallet.id,
    amount: '120',
    recipientEmail: 'ada@bursar.test',
    senderName: 'Analytical Engines Ltd',
    memo: 'Prize money',
  })
  const path = new URL(payout.claimUrl).pathname
  await until('a payout that can be claimed', async () => {
    const { status } = await bursar.api<{ status: string }>(`/escrow/claim/${path.split('/').at(-1)}`)
    return status === 'CREATED'
  })
  return { research, claimPath: path }
}

await using stack = await createTestStack()
const session = await login(stack.bursar, demo.email, demo.password)
const { research, claimPath } = await fillAccount(stack, session.accessToken)

const browser = await chromium.launch({
  executablePath: await findBrowser(console.log),
  args: ['--no-sandbox', '--disable-gpu'],
})
const take = async (name: string, options: BrowserContextOptions, show: (page: Page) => Promise<void>) => {
  const context = await browser.newContext({ baseURL: stack.url, reducedMotion: 'reduce', ...options })
  await keepSession(context, session)
  const page = await context.newPage()
  await show(page)
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path: join(folder, `${name}.png`) })
  await context.close()
}

mkdirSync(folder, { recursive: true })
try {
  await take('overview', desktop(730), async (page) => {
    await page.goto('/dashboard/overview')
    const dismiss = page.getByRole('button', { name: 'Dismiss first steps' })
    if (await dismiss.isVisible({ timeout: 5_000 })) await dismiss.click()
    await page.getByRole('region', { name: 'Recent Transactions' }).getByRole('listitem').first().waitFor()
  })
  await take('agent', desktop(1120), async (page) => {
    await page.goto(`/dashboard/agents?group=${research.id}`)
    await page
      .getByTestId('agent-row')
      .filter({ hasText: 'Scout' })
      .getByRole('button', { name: /^Scout/ })
      .click()
    await page.getByRole('tab', { name: 'TypeScript' }).waitFor()
    await page.mouse.move(0, 0)
  })
  await take('claim', phone, async (page) => {
    await page.goto(claimPath)
    await page.getByRole('heading', { name: 'Verify your identity' }).waitFor()
  })
} finally {
  await browser.close()
}
