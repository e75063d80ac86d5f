import { mnemonicToAccount } from 'viem/accounts'
import { audit } from './audit.ts'
import { button, expect, onChain } from './fixtures.ts'
import { cancelNext, enterCode, expectOnChain, heading, keep, payoutOf, readWords, review, test } from './keptPages.ts'
import { newAddress } from './people.ts'

test.use({ viewport: { width: 390, height: 844 } })

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
