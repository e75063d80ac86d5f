/** What browsers do to pages: translated text, no storage, lost replies. */
import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { installClients } from '../support/clients.ts'
import { connectingClient } from '../support/connectingClient.ts'
import { addressFor } from '../support/stackClient.ts'
import { createPayout } from '../support/testStack.ts'
import { audit } from './audit.ts'
import { withoutServedReply } from './claimPage.ts'
import { test as base, button, expect, onChain } from './fixtures.ts'
import { usdcOf } from './people.ts'
import { recipient } from './seededAccount.ts'
import { limitStorage, storages, translateTexts } from './translated.ts'

const heading = (page: Page, name: string) => page.getByRole('heading', { name })
const wrongOf = (passcode: string) => (passcode === '000000' ? '000001' : '000000')

/** A context of its own: these scripts would stay in one that tests share. */
const test = base.extend<{ page: Page }>({
  page: async ({ browser, watch, baseURL }, use) => {
    const context = await browser.newContext({ baseURL: baseURL!, viewport: { width: 390, height: 844 } })
    await watch.over(context)
    await use(await context.newPage())
    await context.close()
  },
})
test.use({
  tolerated: /status of (401|404|410|422)|ERR_FAILED|foreign request: http:\/\/127\.0\.0\.1:\d+\/(callback|favicon)/,
})

const signIn = async (page: Page, { email, password }: { email: string; password: string }) => {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await button(page, 'Sign In').click()
}

const isTranslated = (page: Page) => expect(page.locator('h1 > font > font').first()).toBeVisible()

test('a recipient claims on a page that the browser translates @browsers-7', { tag: '@core' }, async ({
  page,
  bursar,
  seeded,
}) => {
  await translateTexts(page.context(), { copied: true })
  const { path, passcode } = await createPayout(bursar, seeded.token, seeded.wallet.id)
  await page.goto(path)
  await isTranslated(page)
  const code = page.getByLabel('6-digit code')
  await code.fill('12')
  await code.press('Enter')
  await expect(page.getByRole('alert')).toHaveText('Passcode must be 6 digits')
  await code.fill(wrongOf(passcode))
  await expect(page.getByRole('alert')).toHaveText('Invalid passcode. 4 tries left.')

  await page.route('**/resend-passcode', (route) => route.fulfill({ json: { success: true, data: {} } }), { times: 1 })
  await button(page, 'Send a new code').click()
  await expect(button(page, /^Send a new code in (?!60)\d+ s$/), 'a text that changes stays current').toBeVisible()
  await expect(page.getByRole('main').getByText('Send a new code'), 'and is there once').toHaveCount(1)

  await code.fill(passcode)
  await expect(heading(page, 'Withdraw funds')).toBeVisible()
  await page.getByLabel('Destination address').fill('0x12')
  await button(page, 'Withdraw 5.00 USDC').click()
  await expect(page.getByRole('alert')).toHaveText('Invalid Ethereum address format')
  await page.getByLabel('Destination address').fill(recipient)
  await button(page, 'Withdraw 5.00 USDC').click()
  await button(page, 'Yes, withdraw 5.00 USDC').click()
  await expect(heading(page, 'Transfer complete')).toBeVisible(onChain)
  await expect(page.getByRole('main')).not.toContainText('Transferring')
  await expect(page.getByRole('main')).toContainText(recipient)
  await isTranslated(page)
})

test('an owner signs in, allows an app, sends and approves on translated pages @browsers-8', async ({
  page,
  owner,
  baseURL,
}) => {
  await translateTexts(page.context(), { copied: false })
  await installClients()
  const app = await connectingClient(baseURL!, 'Scout')
  const group = await owner.group('Translated', { approveAbove: '5' })
  const { apiKey } = await owner.agent(group, 'Translated bot')

  await base.step('signs in, after a mistake, and allows an app', async () => {
    await page.goto(await app.begin())
    await isTranslated(page)
    await button(page, 'Sign In').click()
    await signIn(page, { ...owner.account, password: 'not my password' })
    await expect(page.getByRole('alert')).toBeVisible()
    await signIn(page, owner.account)
    await expect(heading(page, 'Let this app pay from your wallet?')).toBeVisible()
    await page.getByLabel('Budget a day').fill('10')
    await expect(page.getByTestId('most')).toContainText('At most $10.00 USDC a day (UTC) can leave')
    await page.getByLabel('Budget a day').fill('7')
    await expect(page.getByTestId('most'), 'a text that changes stays current').toContainText(
      'At most $7.00 USDC a day',
    )
    await button(page, 'Allow').click()
    await app.finish()
    await app.close()
  })

  await base.step('sends', async () => {
    await page.goto(`/dashboard/wallets?send=${owner.wallet.id}`)
    await page.getByLabel('Recipient address').fill(addressFor(`translated-${randomUUID()}`))
    await button(page, 'Review').click()
    await expect(page.getByRole('alert')).toHaveText('Please enter an amount')
    for (const amount of ['2', '1.5']) {
      await page.getByLabel('Amount', { exact: true }).fill(amount)
      await button(page, 'Review').click()
      await expect(page.getByRole('dialog')).toContainText(`Send ${amount === '2' ? '2.00' : '1.50'} USDC`)
      if (amount === '2') await button(page, 'Back').click()
    }
    await expect(page.getByRole('dialog'), 'the amount that was reviewed before is gone').not.toContainText('2.00')
    await button(page, 'Send 1.50 USDC').click()
    await expect(heading(page, 'Sent 1.50 USDC')).toBeVisible(onChain)
  })

  await base.step('approves', async () => {
    const { body } = await owner.pay<{ approval: { url: string } }>(apiKey!, '12')
    await page.goto(new URL(body.approval.url).pathname)
    await button(page, 'Approve once').click()
    await expect(page.getByRole('main')).toContainText('Approved by you.')
    await expect(page.getByRole('main')).toContainText('The payment is confirmed.', onChain)
  })
})

test('a payout can be claimed in a browser that stores nothing @browsers-9', async ({ page, bursar, seeded }) => {
  await limitStorage(page.context(), 'blocked')
  const { path, passcode } = await createPayout(bursar, seeded.token, seeded.wallet.id)
  await page.goto(path)
  await page.getByLabel('6-digit code').fill(passcode)
  await page.getByLabel('Destination address').fill(recipient)
  await button(page, 'Withdraw 5.00 USDC').click()
  await button(page, 'Yes, withdraw 5.00 USDC').click()
  await expect(heading(page, 'Transfer complete')).toBeVisible(onChain)
  await page.reload()
  await expect(heading(page, 'Already Claimed'), 'nothing tells who claimed it').toBeVisible()
  await expect(page.getByTestId('full-address')).toContainText(recipient)
  await expect(page.getByRole('main')).toContainText('If this is your address, the money is yours')
  await audit(page, 'claim-claimed-without-storage')
})

for (const how of storages)
  test(`with storage that is ${how}, people claim, sign in and use the dashboard @browsers-10`, async ({
    page,
    own,
    seeded,
  }) => {
    await limitStorage(page.context(), how)
    await page.goto(seeded.payout.path)
    await page.getByLabel('6-digit code').fill(seeded.payout.passcode)
    await expect(heading(page, 'Withdraw funds')).toBeVisible()

    await page.goto('/login?redirect=/dashboard/payouts')
    await signIn(page, own.account)
    await expect(heading(page, 'Payout Management')).toBeVisible()
    await expect(page.getByText('You are signed in until you close or reload this page')).toBeVisible()
    await page.getByRole('link', { name: 'Bursar' }).click()
    await expect(page.getByTestId('total-balance')).toBeVisible()
    if (how === 'missing') await audit(page, 'overview-without-storage')
    await page.reload()
    await expect(button(page, 'Sign In'), 'asks again').toBeVisible()
  })

test('whose reply is lost sees the transfer complete, also after a reload and in another tab @browsers-11', async ({
  page,
  bursar,
  seeded,
}) => {
  const { path, passcode } = await createPayout(bursar, seeded.token, seeded.wallet.id)
  const received = Promise.withResolvers<void>()
  await page.route('**/api/escrow/claim', async (route) => {
    await route.fetch()
    received.resolve()
    await route.abort()
  })
  await page.goto(path)
  await page.getByLabel('6-digit code').fill(passcode)
  await page.getByLabel('Destination address').fill(recipient)
  await button(page, 'Withdraw 5.00 USDC').click()
  const tab = await page.context().newPage()
  await tab.goto(path)
  await button(page, 'Yes, withdraw 5.00 USDC').click()
  await received.promise
  await tab.reload() // while nobody has told this browser that the request arrived
  await expect(heading(page, 'Transfer complete')).toBeVisible(onChain)
  await expect(heading(tab, 'Transfer complete'), 'in another tab').toBeVisible(onChain)
  const receipt = await page.getByRole('main').textContent()
  expect(receipt).toContain(recipient)
  await page.reload()
  await expect(heading(page, 'Transfer complete'), 'after a reload').toBeVisible()
  expect(await page.getByRole('main').textContent()).toBe(receipt)
})

test('a request that was lost for a minute without network is made again, and paid once @browsers-12', async ({
  page,
  bursar,
  seeded,
}) => {
  const { path, passcode } = await createPayout(bursar, seeded.token, seeded.wallet.id)
  await page.clock.install()
  await page.goto(path)
  await page.getByLabel('6-digit code').fill(passcode)
  await page.getByLabel('Destination address').fill(recipient)
  await button(page, 'Withdraw 5.00 USDC').click()
  await page.route('**/api/**', (route) => route.abort())
  await button(page, 'Yes, withdraw 5.00 USDC').click()
  await expect(page.getByRole('alert')).toContainText('Trying again is safe: the money moves at most once.')
  await page.clock.fastForward('01:00')
  await page.unrouteAll()
  await page.reload()
  await expect(page.getByRole('alert')).toHaveText(/^The transfer did not go through and your money is still here\./)
  await expect(page.getByLabel('Destination address'), 'offered again').toHaveValue(recipient)
  await button(page, 'Withdraw 5.00 USDC').click()
  await button(page, 'Yes, withdraw 5.00 USDC').click()
  await expect(heading(page, 'Transfer complete')).toBeVisible(onChain)
})

/** As keyboards of Hindi, Marathi and Nepali type them. */
const devanagari = (digits: string) =>
  digits.replace(/\d/g, (digit) => String.fromCodePoint('०'.codePointAt(0)! + Number(digit)))

/**
 * Lets each call reach the server, and drops its reply until the page has told the person, who tries again. The page itself
 * repeats a call for the payout once.
 */
async function dropReplies(page: Page): Promise<void> {
  const left = new Map([
    ['GET', 2],
    ['/api/escrow/verify-passcode', 1],
    ['/api/escrow/claim', 1],
  ])
  await withoutServedReply(page)
  await page.route('**/api/escrow/**', async (route) => {
    const method = route.request().method()
    const call = method === 'GET' ? method : new URL(route.request().url()).pathname
    const response = await route.fetch()
    const times = left.get(call) ?? 0
    left.set(call, times - 1)
    if (call === '/api/escrow/claim') left.set('GET', 2) // those that ask how it went
    return times > 0 ? route.abort() : route.fulfill({ response })
  })
}

const claims = [
  { end: '.', isFull: true, isDropped: false, isTranslated: false },
  { end: ')', isFull: false, isDropped: true, isTranslated: false },
  { end: '>', isFull: true, isDropped: true, isTranslated: true },
]
for (const { end, isFull, isDropped, isTranslated } of claims) {
  const hindrances = [isFull && 'full storage', isDropped && 'lost replies', isTranslated && 'translated texts']
  const title = `with ${hindrances.filter(Boolean).join(', ')} and Devanagari digits, the link with a “${end}” pays once`
  test(`${title} @browsers-14`, async ({ page, bursar, seeded }) => {
    if (isFull) await limitStorage(page.context(), 'full')
    if (isTranslated) await translateTexts(page.context(), { copied: true })
    if (isDropped) await dropReplies(page)
    const { path, passcode } = await createPayout(bursar, seeded.token, seeded.wallet.id)
    const to = addressFor(`browsers-${randomUUID()}`)
    await page.goto(`${path}${end}`)
    if (isDropped) {
      await expect(heading(page, 'Payout Not Found')).toBeVisible()
      await button(page, 'Try again').click()
    }
    const code = page.getByLabel('6-digit code')
    await code.pressSequentially(devanagari(passcode))
    if (isDropped) {
      await expect(page.getByRole('alert')).toContainText('Cannot connect to server.')
      await button(page, 'Continue').click()
    }
    await page.getByLabel('Destination address').fill(to)
    await button(page, 'Withdraw 5.00 USDC').click()
    await button(page, 'Yes, withdraw 5.00 USDC').click()
    await expect(heading(page, 'Transfer complete')).toBeVisible(onChain)
    await expect(page.getByRole('main')).toContainText(to)
    expect(await bursar.usdcOnChain(await usdcOf(bursar), to)).toBe(5_000_000n)
  })
}
