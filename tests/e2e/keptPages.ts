/** Recipients who keep a payout with a passkey: their devices, and the steps on the claim page. */
import type { Page } from '@playwright/test'
import type { BursarClient } from '../../local/client.ts'
import { createPayout } from '../support/testStack.ts'
import { test as base, button, expect, onChain } from './fixtures.ts'
import { type FundedAccount, usdcOf } from './people.ts'

export const heading = (page: Page, name: string) => page.getByRole('heading', { name })

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

/** The person cancels the next question, or lets it time out. (A virtual device that refuses its owner stays blocked, unlike a phone.) */
export const cancelNext = (page: Page, ceremony: 'create' | 'get') =>
  page.evaluate((name) => {
    const { credentials } = navigator
    const ask = credentials[name].bind(credentials)
    credentials[name] = () => {
      credentials[name] = ask
      return Promise.reject(new DOMException('cancelled', 'NotAllowedError'))
    }
  }, ceremony)

/** Gives pages devices, which end with the test. */
export const test = base.extend<{
  addDevice: (page: Page, device?: Device) => Promise<Awaited<ReturnType<typeof deviceOf>>>
}>({
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
})

export const payoutOf = async (bursar: BursarClient, { account, wallet }: FundedAccount) =>
  createPayout(bursar, await account.accessToken(), wallet.id)

export async function enterCode(page: Page, { path, passcode }: { path: string; passcode: string }) {
  await page.goto(path)
  await page.getByLabel('6-digit code').fill(passcode)
  await expect(heading(page, 'Withdraw funds')).toBeVisible()
}

/** Keeps a payout with a new passkey. */
export async function keep(page: Page, payout: { path: string; passcode: string }) {
  await enterCode(page, payout)
  await button(page, 'Keep it here').click()
  await button(page, 'Create a passkey').click()
  await button(page, 'Open').click()
  await expect(heading(page, 'Transfer complete')).toBeVisible(onChain)
}

/** The 12 words of the account that is open. */
export async function readWords(page: Page): Promise<string> {
  await button(page, 'Save my 12 words').click()
  await button(page, 'Show my 12 words').click()
  const words = page.getByTestId('kept-words').getByRole('listitem')
  await expect(words).toHaveCount(12)
  return (await words.allInnerTexts()).map((text) => text.replace(/[^a-z]/g, '')).join(' ')
}

/** Fills in a transfer, up to its review. */
export async function review(page: Page, to: string, amount: string | 'everything') {
  await button(page, 'Send').click()
  await page.getByLabel('To address').fill(to)
  if (amount === 'everything') await button(page, 'Everything').click()
  else await page.getByLabel('Amount').fill(amount)
  await button(page, 'Review').click()
  await expect(heading(page, 'Check the address')).toBeFocused()
}

/** Expects `holders` to have `amounts` of USDC on the chain. */
export async function expectOnChain(bursar: BursarClient, holders: `0x${string}`[], amounts: bigint[]) {
  const usdc = await usdcOf(bursar)
  expect(await Promise.all(holders.map((holder) => bursar.usdcOnChain(usdc, holder)))).toEqual(amounts)
}
