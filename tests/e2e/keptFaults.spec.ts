/** Faults while a recipient keeps money and sends it on: lost replies, refusals, wrong clocks, devices that misbehave. */
import type { Page } from '@playwright/test'
import { mnemonicToAccount } from 'viem/accounts'
import { audit } from './audit.ts'
import { button, expect, onChain } from './fixtures.ts'
import { cancelNext, enterCode, expectOnChain, heading, keep, payoutOf, review, test } from './keptPages.ts'
import { newAddress, usdcOf } from './people.ts'

test.use({ viewport: { width: 390, height: 844 } })

const sendOnCall = '**/api/escrow/send-on'

/** Changes what the next opening of a passkey returns. */
const alterNext = (page: Page, how: 'another value' | 'another device') =>
  page.evaluate((fault) => {
    const { credentials } = navigator
    const get = credentials.get.bind(credentials)
    credentials.get = async (options) => {
      credentials.get = get
      const credential = (await get(options)) as PublicKeyCredential
      if (fault === 'another device')
        return Object.defineProperty(credential, 'authenticatorAttachment', { value: 'cross-platform' })
      const results = { prf: { results: { first: new Uint8Array(32).fill(7) } } }
      return Object.defineProperty(credential, 'getClientExtensionResults', { value: () => results })
    }
  }, how)

/** The signed transfer that the browser keeps for the payout. */
const storedTransfer = (page: Page) =>
  page.evaluate(() => {
    const [key] = Object.keys(localStorage).filter((each) => each.startsWith('send_on:'))
    return key === undefined ? null : { key, text: localStorage.getItem(key)! }
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
    await page.route(sendOnCall, async (route) => {
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

test('a passkey of another device, and one that gives another value, receive no money @kept-17', async ({
  page,
  bursar,
  own,
  addDevice,
}) => {
  await addDevice(page)
  await enterCode(page, await payoutOf(bursar, own))
  await button(page, 'Keep it here').click()
  await button(page, 'Create a passkey').click()
  await expect(heading(page, 'Open it once')).toBeVisible()
  await alterNext(page, 'another value')
  await button(page, 'Open').click()
  await expect(page.getByRole('alert')).toContainText('Your device gave two different keys')
  await audit(page, 'kept-differs')
  await alterNext(page, 'another device')
  await button(page, 'Open').click()
  await expect(page.getByRole('alert')).toContainText('This passkey is on another device.')
  await audit(page, 'kept-other-device')
  await button(page, 'Open').click()
  await expect(heading(page, 'Transfer complete')).toBeVisible(onChain)
})

test('a page that is closed before the claim’s reply opens the money later, and storage may be blocked @kept-18', async ({
  page,
  bursar,
  own,
  addDevice,
}) => {
  await page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(globalThis, name, {
        get() {
          throw new DOMException('blocked', 'SecurityError')
        },
      })
  })
  await addDevice(page)
  const payout = await payoutOf(bursar, own)
  await enterCode(page, payout)
  await button(page, 'Keep it here').click()
  await button(page, 'Create a passkey').click()
  const accepted = Promise.withResolvers<void>()
  await page.route('**/api/escrow/claim', async (route) => {
    await route.fetch()
    accepted.resolve() // and the page is left before it gets the reply
  })
  await button(page, 'Open').click()
  await accepted.promise
  await page.goto('about:blank')
  await page.goto(payout.path)
  await expect(heading(page, 'Already Claimed')).toBeVisible(onChain)
  await button(page, 'Open').click()
  await expect(page.getByTestId('kept-balance')).toHaveText('5.00 USDC')
  const to = newAddress()
  await review(page, to, '1')
  await button(page, 'Send 1.00 USDC').click()
  await expect(heading(page, '1.00 USDC sent')).toBeVisible(onChain)
  await expectOnChain(bursar, [to], [1_000_000n])
})

test.describe('refusals', () => {
  test.use({ tolerated: /status of (400|429|503)|ERR_FAILED/ })

  test('a final refusal forgets the signed transfer, too many calls and failures keep it @kept-19', async ({
    page,
    bursar,
    own,
    addDevice,
  }) => {
    await addDevice(page)
    await keep(page, await payoutOf(bursar, own))
    await button(page, 'Open').click()
    const refuse = (status: number, failure: object) =>
      page.route(sendOnCall, (route) => route.fulfill({ status, json: { success: false, ...failure } }))
    const [to, other] = [newAddress(), newAddress()]

    await refuse(400, { error: 'Sending to this address is not possible.', code: 'invalid_input', field: 'to' })
    await review(page, to, '1')
    await button(page, 'Send 1.00 USDC').click()
    await expect(page.getByRole('alert')).toHaveText('Sending to this address is not possible.')
    await expect(button(page, 'Try again')).toBeHidden()
    await audit(page, 'kept-refused')
    await button(page, 'Back').click()
    expect(await storedTransfer(page)).toBeNull()

    await page.unroute(sendOnCall)
    await refuse(429, { error: 'Too many requests. Try again in a minute.', code: 'rate_limited' })
    await review(page, to, '2')
    await button(page, 'Send 2.00 USDC').click()
    await expect(page.getByRole('alert')).toContainText(
      'Too many requests. Try again in a minute. Trying again is safe',
    )
    const stored = (await storedTransfer(page))!
    await page.unroute(sendOnCall)
    await refuse(503, { error: 'The service is busy.', code: 'internal' })
    await button(page, 'Try again').click()
    await expect(page.getByRole('alert')).toContainText('The service is busy. Trying again is safe')
    expect(await storedTransfer(page)).toEqual(stored)

    // Another tab has signed it, so that this one, which is asked for another transfer, sends the same.
    await page.evaluate(({ key }) => localStorage.removeItem(key), stored)
    await button(page, 'Back').click()
    await review(page, other, '3')
    await page.evaluate(({ key, text }) => localStorage.setItem(key, text), stored)
    await page.unroute(sendOnCall)
    await button(page, 'Send 3.00 USDC').click()
    await expect(heading(page, '2.00 USDC sent')).toBeVisible(onChain)
    await button(page, 'Done').click()
    expect(await storedTransfer(page)).toBeNull()
    await expectOnChain(bursar, [to, other], [2_000_000n, 0n])
  })
})

test('a device whose clock is hours ahead or behind sends on, by the server’s time @kept-20', async ({
  page,
  bursar,
  own,
  addDevice,
}) => {
  await addDevice(page)
  await keep(page, await payoutOf(bursar, own))
  for (const hours of [3, -6]) {
    // The second one adds to the first.
    await page.addInitScript((ms) => {
      const now = Date.now.bind(Date)
      Date.now = () => now() + ms
    }, hours * 3_600_000)
    await page.reload()
    await button(page, 'Open').click()
    await expect(page.getByTestId('kept-balance')).toBeVisible()
    await review(page, newAddress(), '1')
    await button(page, 'Send 1.00 USDC').click()
    await expect(heading(page, '1.00 USDC sent')).toBeVisible(onChain)
    await button(page, 'Done').click()
  }
})

test('the recovery page of the passkey’s domain fills in the words of the account @kept-21', async ({
  page,
  bursar,
  own,
  addDevice,
  baseURL,
}) => {
  await addDevice(page)
  await keep(page, await payoutOf(bursar, own))
  await page.goto('/recovery')
  const words = page.getByLabel('Recovery phrase or private key')
  await cancelNext(page, 'get')
  await button(page, 'Open with a passkey').click()
  await expect(page.getByRole('status')).toContainText('Nothing was opened.')
  await button(page, 'Open with a passkey').click()
  await expect(page.getByRole('status')).toContainText('Your 12 words are filled in.')
  await audit(page, 'recovery-words')
  const { address } = mnemonicToAccount(await words.inputValue())
  await expectOnChain(bursar, [address], [5_000_000n])
  await page.getByLabel('RPC URL').fill(`${baseURL}/dev/rpc/8453`)
  await page.getByLabel('Wallet factory').fill(own.wallet.factory)
  await button(page, 'Look up').click()
  await expect(page.getByRole('status')).toHaveText('Your money is below.')
  await expect(page.getByText(address)).toBeVisible()
  await expect(words, 'the words are cleared').toHaveValue('')
  await audit(page, 'recovery-kept')
})
