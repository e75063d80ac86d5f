import type { Page } from '@playwright/test'
import { generatePrivateKey, mnemonicToAccount, privateKeyToAddress } from 'viem/accounts'
import type { BursarClient } from '../../local/client.ts'
import { createPayout } from '../support/testStack.ts'
import { audit } from './audit.ts'
import { onChain } from './firstHour.ts'
import { test as base, expect } from './fixtures.ts'
import { type FundedAccount, usdcOf } from './people.ts'

const newAddress = () => privateKeyToAddress(generatePrivateKey())
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const heading = (page: Page, name: string) => page.getByRole('heading', { name })

type Device = { hasPrf?: boolean; isSynced?: boolean }

/** A device with a fingerprint reader, whose owner agrees to everything. */
async function deviceOf(page: Page, { hasPrf = true, isSynced = true }: Device = {}) {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal', hasResidentKey: true, hasPrf },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
      ...{ defaultBackupEligibility: isSynced, defaultBackupState: isSynced },
    },
  })
  return {
    passkeys: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    /** The next test uses the same page. */
    remove: () => session.send('WebAuthn.disable'),
  }
}

/** The person cancels the next question. (A virtual device that refuses its owner stays blocked, unlike a phone.) */
const cancelNext = (page: Page, ceremony: 'create' | 'get') =>
  page.evaluate((name) => {
    const { credentials } = navigator
    const ask = credentials[name].bind(credentials)
    credentials[name] = () => {
      credentials[name] = ask
      return Promise.reject(new DOMException('cancelled', 'NotAllowedError'))
    }
  }, ceremony)

/** Gives pages devices, which end with the test. */
const test = base.extend<{ addDevice: (page: Page, device?: Device) => Promise<Awaited<ReturnType<typeof deviceOf>>> }>(
  {
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the dependencies from the pattern
    addDevice: async ({}, use) => {
      const added: Awaited<ReturnType<typeof deviceOf>>[] = []
      await use(async (page, device) => {
        const it = await deviceOf(page, device)
        added.push(it)
        return it
      })
      for (const device of added) await device.remove().catch(() => undefined) // its page may be closed
    },
  },
)

const payoutOf = async (bursar: BursarClient, { account, wallet }: FundedAccount) =>
  createPayout(bursar, await account.accessToken(), wallet.id)

test.use({ viewport: { width: 390, height: 844 } })

async function enterCode(page: Page, { path, passcode }: { path: string; passcode: string }) {
  await page.goto(path)
  await page.getByLabel('6-digit code').fill(passcode)
  await expect(heading(page, 'Withdraw funds')).toBeVisible()
}

/** Keeps a payout with a new passkey. */
async function keep(page: Page, payout: { path: string; passcode: string }) {
  await enterCode(page, payout)
  await button(page, 'Keep it here').click()
  await button(page, 'Create a passkey').click()
  await button(page, 'Open').click()
  await expect(heading(page, 'Transfer complete')).toBeVisible(onChain)
}

/** The 12 words of the account that is open. */
async function readWords(page: Page): Promise<string> {
  await button(page, 'Save my 12 words').click()
  await button(page, 'Show my 12 words').click()
  const words = page.getByTestId('kept-words').getByRole('listitem')
  await expect(words).toHaveCount(12)
  return (await words.allInnerTexts()).map((text) => text.replace(/[^a-z]/g, '')).join(' ')
}

/** Fills in a transfer, up to its review. */
async function review(page: Page, to: string, amount: string | 'everything') {
  await button(page, 'Send').click()
  await page.getByLabel('To address').fill(to)
  if (amount === 'everything') await button(page, 'Everything').click()
  else await page.getByLabel('Amount').fill(amount)
  await button(page, 'Review').click()
  await expect(heading(page, 'Check the address')).toBeFocused()
}

/** Expects `holders` to have `amounts` of USDC on the chain. */
async function expectOnChain(bursar: BursarClient, holders: `0x${string}`[], amounts: bigint[]) {
  const usdc = await usdcOf(bursar)
  expect(await Promise.all(holders.map((holder) => bursar.usdcOnChain(usdc, holder)))).toEqual(amounts)
}

test('a recipient keeps a payout with a passkey, opens it and saves the words @kept-10', { tag: '@core' }, async ({
  page,
  bursar,
  own,
  addDevice,
}) => {
  await addDevice(page)
  await enterCode(page, await payoutOf(bursar, own))
  await audit(page, 'kept-offer')
  await button(page, 'Keep it here').click()
  await expect(heading(page, 'Keep 5.00 USDC here')).toBeFocused()
  await audit(page, 'kept-begin')
  await button(page, 'Create a passkey').click()
  await expect(heading(page, 'Open it once')).toBeFocused()
  await audit(page, 'kept-check')
  await button(page, 'Open').click()
  await expect(heading(page, 'Transfer complete')).toBeVisible(onChain)
  await audit(page, 'kept-complete')

  await page.reload()
  await button(page, 'Open').click()
  await expect(page.getByTestId('kept-balance')).toHaveText('5.00 USDC')
  await audit(page, 'kept-open')
  const words = await readWords(page)
  await audit(page, 'kept-words')
  await button(page, 'Back').click()
  await button(page, 'Show my address').click()
  const { address } = mnemonicToAccount(words)
  await expect(page.getByTestId('full-address')).toContainText(address.slice(-4))
  await audit(page, 'kept-address')
  await expectOnChain(bursar, [address], [5_000_000n])
})

test('a recipient sends part of the money on, then everything @kept-15', async ({
  page,
  bursar,
  own,
  watch,
  addDevice,
}) => {
  await addDevice(page)
  await keep(page, await payoutOf(bursar, own))
  await page.reload()
  await button(page, 'Open').click()
  const words = await readWords(page)
  await button(page, 'Back').click()

  await button(page, 'Send').click()
  await button(page, 'Review').click()
  await expect(page.getByRole('alert').first()).toHaveText('Please enter a destination address')
  await audit(page, 'kept-send')
  await button(page, 'Back').click()
  const [first, second] = [newAddress(), newAddress()]
  await review(page, first, '1.25')
  await audit(page, 'kept-review')
  await button(page, 'Send 1.25 USDC').click()
  await expect(heading(page, '1.25 USDC sent')).toBeVisible(onChain)
  await audit(page, 'kept-sent')
  await button(page, 'Done').click()
  await expect(page.getByTestId('kept-balance')).toHaveText('3.75 USDC')
  await review(page, second, 'everything')
  await button(page, 'Send 3.75 USDC').click()
  await expect(heading(page, '3.75 USDC sent')).toBeVisible(onChain)
  await button(page, 'Done').click()
  await expect(page.getByTestId('kept-balance')).toHaveText('0.00 USDC')
  const { address } = mnemonicToAccount(words)
  await expectOnChain(bursar, [address, first, second], [0n, 1_250_000n, 3_750_000n])
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
  const sent = [stored, ...watch.requests].join()
  for (const word of words.split(' ')) expect(sent).not.toMatch(new RegExp(`\\b${word}\\b`))
})

test('a second payout goes to the same account, which opens without link and storage @kept-16', async ({
  page,
  bursar,
  own,
  addDevice,
}) => {
  await addDevice(page)
  const [payout, another] = [await payoutOf(bursar, own), await payoutOf(bursar, own)]
  await keep(page, payout)
  await enterCode(page, another)
  await button(page, 'Keep it here').click()
  await audit(page, 'kept-again')
  await button(page, 'Add it to my money here').click()
  await expect(heading(page, 'Transfer complete')).toBeVisible(onChain)

  await page.evaluate(() => localStorage.clear())
  await page.goto('/claim')
  await audit(page, 'kept-without-link')
  await button(page, 'Open').click()
  await expect(page.getByTestId('kept-balance')).toHaveText('10.00 USDC')
  await expect(button(page, 'Send')).toBeHidden()
  await audit(page, 'kept-open-without-link')
  const { address } = mnemonicToAccount(await readWords(page))
  await expectOnChain(bursar, [address], [10_000_000n])
})

test('a browser whose passkeys hold no key is refused, and the address form stays @kept-11', async ({
  page,
  bursar,
  own,
  addDevice,
}) => {
  const device = await addDevice(page, { hasPrf: false })
  await enterCode(page, await payoutOf(bursar, own))
  await button(page, 'Keep it here').click()
  await button(page, 'Create a passkey').click()
  await expect(page.getByRole('alert')).toContainText('This browser can’t keep money.')
  await expect(button(page, 'Copy link to this page')).toBeVisible()
  await audit(page, 'kept-unsupported')
  await button(page, 'Back').click()
  await expect(page.getByLabel('Destination address')).toBeVisible()
  await expect.poll(async () => (await device.passkeys()).length, 'the password manager forgets it').toBe(0)
})

test('a passkey of one device asks for the words to be saved before the money is sent @kept-12', async ({
  page,
  bursar,
  own,
  addDevice,
}) => {
  await addDevice(page, { isSynced: false })
  await enterCode(page, await payoutOf(bursar, own))
  await button(page, 'Keep it here').click()
  await button(page, 'Create a passkey').click()
  await button(page, 'Open').click()
  await expect(heading(page, 'Save your 12 words first')).toBeFocused()
  await expect(button(page, 'Keep 5.00 USDC here')).toBeDisabled()
  await audit(page, 'kept-words-first')
  await button(page, 'Back').click()
  await button(page, 'Keep it here').click()
  await button(page, 'Add it to my money here').click()
  await expect(heading(page, 'Save your 12 words first'), 'no way around the words').toBeFocused()
  await page.getByLabel('I have saved the 12 words').check()
  await button(page, 'Keep 5.00 USDC here').click()
  await expect(heading(page, 'Transfer complete')).toBeVisible(onChain)
})

test('a touch that was cancelled can be tried again, and another passkey opens nothing @kept-13', async ({
  page,
  bursar,
  own,
  addDevice,
}) => {
  await addDevice(page)
  const payout = await payoutOf(bursar, own)
  await enterCode(page, payout)
  await button(page, 'Keep it here').click()
  await cancelNext(page, 'create')
  await button(page, 'Create a passkey').click()
  await expect(page.getByRole('alert')).toContainText('Nothing was opened.')
  await audit(page, 'kept-cancelled')
  await button(page, 'Create a passkey').click()
  await expect(heading(page, 'Open it once')).toBeVisible()
  await cancelNext(page, 'get')
  await button(page, 'Open').click()
  await expect(page.getByRole('alert')).toContainText('Nothing was opened.')
  await button(page, 'Open').click()
  await expect(heading(page, 'Transfer complete')).toBeVisible(onChain)

  const other = await page.context().newPage()
  await page.close()
  await addDevice(other)
  await keep(other, await payoutOf(bursar, own))
  await other.goto(payout.path)
  await button(other, 'Open').click()
  await expect(other.getByRole('alert')).toContainText('Another passkey opens this money.')
  await expect(other.getByTestId('kept-balance')).toBeHidden()
})

test.describe('lost replies', () => {
  test.use({ tolerated: /ERR_FAILED/ })

  test('a transfer whose reply was lost is sent again and moves the money once, also after a reload @kept-14', async ({
    page,
    bursar,
    own,
    addDevice,
  }) => {
    await addDevice(page)
    const payout = await payoutOf(bursar, own)
    await keep(page, payout)
    await button(page, 'Open').click()
    const to = newAddress()
    const bodies: (string | null)[] = []
    await page.route('**/api/escrow/send-on', async (route) => {
      bodies.push(route.request().postData())
      if (bodies.length === 1) await route.fetch()
      if (bodies.length <= 2) return route.abort()
      return route.continue()
    })
    await review(page, to, '2')
    await button(page, 'Send 2.00 USDC').click()
    await expect(page.getByRole('alert')).toContainText('Trying again is safe: the money moves at most once.')
    await audit(page, 'kept-reply-lost')
    await button(page, 'Try again').click()
    await expect(page.getByRole('alert')).toContainText('Trying again is safe')
    await page.reload()
    await button(page, 'Open').click()
    await expect(heading(page, '2.00 USDC sent')).toBeVisible(onChain)
    expect(bodies).toHaveLength(3)
    expect(new Set(bodies).size, 'the same signed transfer').toBe(1)
    expect(await bursar.usdcOnChain(await usdcOf(bursar), to)).toBe(2_000_000n)
  })
})
