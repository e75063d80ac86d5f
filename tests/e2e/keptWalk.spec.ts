/** A person with a small phone and large text, from the mail alone to money of her own, and from there to somebody else. */

import { randomUUID } from 'node:crypto'
import type { Locator, Page } from '@playwright/test'
import { button, expect, onChain } from './fixtures.ts'
import { heading, test } from './keptPages.ts'
import { newAddress } from './people.ts'

test.use({ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true })

/** Enlarges all text to 130 %, as phones do: browsers have no switch for it that a test could set. */
const enlargeText = (page: Page) =>
  page.evaluate(() => {
    const grow = (rules: CSSRuleList) => {
      for (const rule of rules) {
        if ('cssRules' in rule) grow((rule as CSSGroupingRule).cssRules)
        if (!(rule instanceof CSSStyleRule)) continue
        for (const name of ['font-size', 'line-height']) {
          const value = rule.style.getPropertyValue(name)
          const larger = value.replace(/[\d.]+(?=px)/g, (px) => String(Number(px) * 1.3))
          if (larger !== value) rule.style.setProperty(name, larger)
        }
      }
    }
    for (const sheet of document.styleSheets) grow(sheet.cssRules)
  })

/** Expects no text to be beyond its box, or the page. */
const expectToFit = (page: Page) =>
  expect
    .poll(() =>
      page.evaluate(() => {
        const isCut = (element: Element) =>
          element.scrollWidth > element.clientWidth + 1 &&
          element.clientWidth > 0 &&
          getComputedStyle(element).display !== 'inline' &&
          !element.matches('.sr-only')
        const elements = [document.documentElement, ...document.querySelectorAll('main *')]
        return elements.filter(isCut).map(({ tagName, textContent }) => `${tagName} ${textContent.slice(0, 40)}`)
      }),
    )
    .toEqual([])

test('from the mail to money of one’s own in six presses, on 360 px with text at 130 % @kept-23', async ({
  page,
  bursar,
  own,
  addDevice,
}) => {
  let presses = 1 // the link in the mail
  const press = async (name: string | RegExp) => {
    presses++
    await button(page, name).tap()
  }
  const arriveAt = async (place: Locator) => {
    await expect(place).toBeVisible(onChain)
    await expectToFit(page)
  }
  await addDevice(page)
  const email = `walk-${randomUUID().slice(0, 8)}@bursar.test`
  const body = {
    sourceWalletId: own.wallet.id,
    amount: '60',
    recipientEmail: email,
    expiresInDays: 7,
    memo: 'For the garden',
  }
  await bursar.api('/escrow/create', { token: await own.account.accessToken(), key: randomUUID(), body })
  const [path] = await bursar.message(email, /\/claim\/\S+/, 'the link')
  const [code] = await bursar.message(email, /\b\d{6}\b/, 'the code')
  await page.goto(path)
  await enlargeText(page)
  await arriveAt(page.getByLabel('6-digit code'))
  await page.getByLabel('6-digit code').fill(code)
  await arriveAt(heading(page, 'Withdraw funds'))
  await press('Keep it here')
  await arriveAt(heading(page, 'Keep 60.00 USDC here'))
  await press('Create a passkey')
  await arriveAt(heading(page, 'Open it once'))
  await press('Open')
  await arriveAt(heading(page, 'Transfer complete'))
  expect(presses).toBeLessThanOrEqual(6)

  await press('Open')
  await arriveAt(page.getByText('Save your 12 words. If your passkey'))
  await press('Show my address')
  await arriveAt(page.getByTestId('full-address'))
  await press('Back')
  await press('Save my 12 words')
  await press('Show my 12 words')
  await arriveAt(page.getByTestId('kept-words'))
  await press('Back')
  await press('Send')
  await press('Review')
  await arriveAt(page.getByText('Please enter a destination address'))
  await page.getByLabel('To address').fill(newAddress())
  await press('Everything')
  await press('Review')
  await arriveAt(heading(page, 'Check the address'))
  await press('Send 60.00 USDC')
  await arriveAt(heading(page, '60.00 USDC sent'))
  await press('Done')
  await expect(page.getByTestId('kept-balance')).toHaveText('0.00 USDC')
})
