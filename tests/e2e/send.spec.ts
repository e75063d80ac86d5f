/** Send, Add Funds and Withdraw. */

import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { dayMs } from '#domain/time.ts'
import type { Escrow } from '#schemas/escrow.ts'
import type { Wallet } from '#schemas/wallet.ts'
import { audit } from './audit.ts'
import { button, expect, onChain, testAsPayer as test } from './fixtures.ts'
import { inputModes, tabTo } from './inputModes.ts'
import { newAddress } from './people.ts'

const newEmail = () => `to-${randomUUID().slice(0, 8)}@bursar.test`
const dialog = (page: Page) => page.getByRole('dialog')
const alert = (page: Page) => page.getByRole('alert')
const open = (page: Page, act: string, walletId: string) => page.goto(`/dashboard/wallets?${act}=${walletId}`)
const contactField = (page: Page) => page.getByRole('combobox', { name: 'Contact' })
const paste = (page: Page, label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text)

/** By keyboard: Tab to the selected tab, then arrow keys to the wanted one. */
async function chooseTab(page: Page, by: string, name: 'Email' | 'Contact') {
  const tab = page.getByRole('tab', { name })
  if (by === 'mouse') return tab.click()
  await tabTo(page, page.getByRole('tab', { name: 'Address' }))
  for (let i = 0; i < (name === 'Email' ? 1 : 3); i++) await page.keyboard.press('ArrowRight')
  await expect(tab).toBeFocused()
  await page.keyboard.press('Enter')
}

async function review(page: Page, to: string, amount: string) {
  await paste(page, 'Recipient address', to)
  await paste(page, 'Amount', amount)
  await button(page, 'Review').click()
  await expect(page.getByRole('heading', { name: 'Review payment' })).toBeVisible()
}

test.describe('above the owner’s limit', () => {
  test.use({ tolerated: /status of 4(00|22)/ })
  test('a payment asks for the password, and is sent once with it @password-7', { tag: '@core' }, async ({
    page,
    own,
  }) => {
    await own.api('/approval-settings', { passwordAbove: '1' }, 'PUT')
    await open(page, 'send', own.wallet.id)
    const to = newAddress()
    await review(page, to, '1.5')
    await button(page, 'Send 1.50 USDC').click()
    const prompt = page.getByRole('dialog', { name: 'Enter your password' })
    await expect(prompt).toBeVisible()
    await audit(page, 'send-password')
    await prompt.getByLabel('Password', { exact: true }).fill('not my password')
    await prompt.getByRole('button', { name: 'Continue' }).click()
    await expect(prompt.getByRole('alert')).toHaveText('This password is incorrect.')
    await prompt.getByLabel('Password', { exact: true }).fill(own.account.password)
    await page.keyboard.press('Enter')
    await expect(prompt).toHaveCount(0)
    await expect(page.getByRole('heading', { name: 'Sent 1.50 USDC' })).toBeVisible(onChain)
    await own.api('/approval-settings', { passwordAbove: null, password: own.account.password }, 'PUT')
  })
})

test.describe('the form', () => {
  test('shows the first rule that a recipient violates @send-1', async ({ page, own }) => {
    await open(page, 'send', own.wallet.id)
    await paste(page, 'Amount', '1')
    for (const [text, problem] of [
      ['', 'Please enter a recipient address'],
      ['vitalik.eth', 'Wallet address must start with 0x'],
      ['0x1234', 'Wallet address must be 42 characters long (0x + 40 hex characters)'],
      [`0x${'z'.repeat(40)}`, 'Invalid wallet address format'],
      ['0x52908400098527886e0F7030069857D2E4169EE7', 'Invalid wallet address format'],
    ] as const) {
      await paste(page, 'Recipient address', text)
      await button(page, 'Review').click()
      await expect(alert(page)).toHaveText(problem)
      await expect(page.getByLabel('Recipient address')).toBeFocused()
    }
    await paste(page, 'Recipient address', '  0x52908400098527886E0F7030069857D2E4169EE7 \n')
    await button(page, 'Review').click()
    await expect(page.getByTestId('full-address')).toContainText('0x52908400098527886E0F7030069857D2E4169EE7')
    await button(page, 'Back').click()

    await page.getByRole('tab', { name: 'Email' }).click()
    await expect(alert(page)).toHaveCount(0)
    for (const [text, problem] of [
      ['', 'Please enter an email address'],
      ['ada@', 'Invalid email format'],
      ['ada(acme.com)<x@evil.example>', /^Invalid email format: before the @, use at most 64 of a–z/],
    ] as const) {
      await paste(page, 'Recipient email', text)
      await button(page, 'Review').click()
      await expect(alert(page)).toHaveText(problem)
    }
    await audit(page, 'send-email-error')
    await paste(page, 'Recipient email', 'Ada@bücher.example')
    await button(page, 'Review').click()
    await expect(dialog(page)).toContainText('ada@xn--bcher-kva.example')
    await audit(page, 'send-email-punycode')
    await button(page, 'Back').click()
    await page.getByRole('tab', { name: 'Contact' }).click()
    await button(page, 'Review').click()
    await expect(alert(page)).toHaveText('Please select a contact')
    await audit(page, 'send-contact-empty')

    await test.step('a payout has a minimum amount @send-3', async () => {
      await page.getByRole('tab', { name: 'Email' }).click()
      await paste(page, 'Recipient email', newEmail())
      await paste(page, 'Amount', '0.09')
      await button(page, 'Review').click()
      await expect(alert(page)).toHaveText('A payout must be at least 0.10 USDC')
    })
  })

  test('reads amounts as people type and paste them, keeps their text, and refuses what may mean two @send-2', async ({
    page,
    own,
  }) => {
    await open(page, 'send', own.wallet.id)
    await paste(page, 'Recipient address', newAddress())
    const amount = page.getByLabel('Amount', { exact: true })
    const reading = page.getByRole('status').filter({ hasText: /^=|could mean|at most 6 decimals/ })
    for (const [text, shown] of [
      ['1,000.50', '= 1,000.50 USDC'],
      ['1.234,50', '= 1,234.50 USDC'],
      ['1 234,5 USDC', '= 1,234.50 USDC'],
      ['१२३.५', '= 123.50 USDC'],
      ['1,500', '“1,500” could mean 1500 or 1.5. Enter one of these.'],
      ['1e3', 'Enter digits with at most 6 decimals, for example 1234.50'],
    ] as const)
      for (const enter of [() => amount.fill(text), () => amount.pressSequentially(text)]) {
        await amount.fill('')
        await enter()
        await amount.blur()
        await expect(amount).toHaveValue(text)
        await expect(reading).toHaveText(shown)
      }
    await button(page, 'Review').click()
    await expect(alert(page)).toHaveText('Enter digits with at most 6 decimals, for example 1234.50')
    for (const [text, problem] of [
      ['', 'Please enter an amount'],
      ['0.000000', 'Amount must be greater than 0'],
      ['200000', 'Insufficient balance'],
    ] as const) {
      await amount.fill(text)
      await button(page, 'Review').click()
      await expect(alert(page)).toHaveText(problem)
      await expect(amount).toBeFocused()
    }
    await audit(page, 'send-insufficient')
    await button(page, 'Use max balance').click()
    await expect(amount).toHaveValue(/^\d+(\.\d+)?$/)
    await expect(alert(page)).toHaveCount(0)

    await amount.fill('1')
    await paste(page, 'Memo', 'x'.repeat(101))
    await expect(page.getByText('101/100')).toBeVisible()
    await button(page, 'Review').click()
    await expect(alert(page)).toHaveText('Memo must be at most 100 characters')
    await paste(page, 'Memo', '🦉'.repeat(100))
    await expect(page.getByText('100/100')).toBeVisible()
    await button(page, 'Review').click()
    await expect(page.getByRole('heading', { name: 'Review payment' })).toBeVisible()
  })
})

for (const { by, viewport, inputOf, look } of inputModes)
  test.describe(`by ${by}`, () => {
    test.use({ viewport })

    test('a send to an address is reviewed with a first-payment warning and followed until confirmed @send-4', {
      tag: '@core',
    }, async ({ page, own }) => {
      const input = inputOf(page)
      const to = newAddress()
      await open(page, 'send', own.wallet.id)
      await input.fill(page.getByLabel('Recipient address'), to)
      await input.fill(page.getByLabel('Amount', { exact: true }), '1.25')
      await input.fill(page.getByLabel('Memo'), 'Lunch')
      await input.press(button(page, 'Review'))
      await expect(page.getByTestId('full-address')).toContainText(to)
      await expect(dialog(page)).toContainText('This is your first payment to this address.')
      await expect(dialog(page)).toContainText(/Network fee\s*Covered/)
      await expect(dialog(page)).toContainText('Lunch')
      await expect(button(page, 'Send 1.25 USDC')).toBeEnabled()
      await input.press(button(page, 'Send 1.25 USDC'))
      await expect(page.getByRole('heading', { name: 'Sent 1.25 USDC' })).toBeVisible(onChain)
      await expect(page.getByTestId('send-status')).toHaveAttribute('data-status', 'CONFIRMED')
      await expect(button(page, 'Copy transaction hash')).toBeVisible()
      await input.press(button(page, 'Done'))
      await expect(dialog(page)).toBeHidden()
    })

    test('a send to a contact uses the chosen method @send-5', { tag: '@core' }, async ({ page, own }) => {
      const input = inputOf(page)
      const name = `Zoë 🦉 ${by}`
      const address = newAddress()
      await own.contact({ name, address, email: newEmail(), phone: '+14155550123' })
      await open(page, 'send', own.wallet.id)
      await chooseTab(page, by, 'Contact')
      await input.fill(contactField(page), address.slice(2, 10).toLowerCase())
      await expect(page.getByRole('option', { name })).toBeVisible()
      if (by === 'mouse') await page.getByRole('option', { name }).click()
      else await page.keyboard.press('Enter')
      await expect(contactField(page)).toHaveValue(name)
      await input.fill(page.getByLabel('Amount', { exact: true }), '0.75')
      await input.press(button(page, 'Review'))
      await expect(alert(page)).toHaveText('Please select a contact method')
      await look(page, 'send-contact-method')
      await input.press(page.getByRole('radio', { name: /^Wallet address/ }))
      await look(page, 'send-contact')
      await input.press(button(page, 'Review'))
      await expect(dialog(page)).toContainText(name)
      await expect(page.getByTestId('full-address')).toContainText(address)
      await expect(button(page, 'Send 0.75 USDC')).toBeEnabled()
      await input.press(button(page, 'Send 0.75 USDC'))
      await expect(page.getByRole('heading', { name: 'Sent 0.75 USDC' })).toBeVisible(onChain)
      await expect(dialog(page)).toContainText(name)
    })

    test('a send by email shows link and code, each copied separately @send-6', { tag: '@core' }, async ({
      page,
      own,
      context,
      bursar,
    }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      const input = inputOf(page)
      const email = newEmail()
      await open(page, 'send', own.wallet.id)
      await chooseTab(page, by, 'Email')
      await input.fill(page.getByLabel('Recipient email'), email)
      await input.fill(page.getByLabel('Amount', { exact: true }), '2')
      await input.press(button(page, 'Review'))
      await expect(dialog(page)).toContainText('Yes: reclaim it any time until it is claimed.')
      await expect(button(page, 'Send 2.00 USDC')).toBeEnabled()
      await input.press(button(page, 'Send 2.00 USDC'))
      await expect(page.getByRole('heading', { name: 'Payout created' })).toBeVisible(onChain)
      const url = (await page.getByTestId('claim-url').textContent())!
      const code = (await page.getByTestId('passcode').textContent())!
      const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
      await input.press(button(page, 'Copy link'))
      expect(await clipboard()).toBe(url)
      await input.press(button(page, 'Copy code'))
      expect(await clipboard()).toBe(code)
      await expect(page.getByTestId('payout-created')).toHaveAttribute('data-status', 'CREATED', onChain)
      await bursar.message(email, new RegExp(code), 'the code by mail')
      await look(page, 'send-payout-created')
    })
  })

test('a contact with only a phone is found once contacts have loaded, and paid by SMS @send-7', {
  tag: '@core',
}, async ({ page, own, bursar }) => {
  const { name } = await own.contact({ name: 'Phone Only', phone: '+14155550199' })
  const answered = Promise.withResolvers<void>()
  await page.route('**/api/contacts?*', async (route) => {
    await answered.promise
    await route.continue()
  })
  await open(page, 'send', own.wallet.id)
  await page.getByRole('tab', { name: 'Contact' }).click()
  await contactField(page).pressSequentially('0199')
  await expect(page.getByRole('listbox').or(page.getByRole('status')).filter({ hasText: 'Loading' })).toBeVisible()
  await page.keyboard.press('Enter')
  answered.resolve()
  await expect(page.getByRole('option', { name })).toBeVisible()
  await expect(alert(page)).toBeHidden()
  await page.getByRole('option', { name }).click()
  await expect(page.getByRole('radio', { name: /^Phone/ })).toBeChecked()
  await paste(page, 'Amount', '1')
  await button(page, 'Review').click()
  await button(page, 'Send 1.00 USDC').click()
  await expect(dialog(page)).toContainText('+14155550199 gets both by SMS', onChain)
  await bursar.message('+14155550199', /\d{6}/, 'the code by SMS')
})

test('the same amount to the same recipient within ten minutes needs a second confirmation @send-8', {
  tag: '@core',
}, async ({ page, own }) => {
  const to = newAddress()
  await open(page, 'send', own.wallet.id)
  await review(page, to, '1.5')
  await button(page, 'Send 1.50 USDC').click()
  await expect(page.getByTestId('send-status')).toBeVisible()
  await open(page, 'send', own.wallet.id)
  await review(page, to, '1.50')
  await expect(dialog(page)).toContainText('You sent 1.50 USDC to this recipient just now.')
  await expect(dialog(page)).not.toContainText('first payment')
  await button(page, 'Send 1.50 USDC').dblclick()
  await expect(alert(page).filter({ hasText: 'Check the box if you mean it.' }).first()).toBeVisible()
  await audit(page, 'send-again')
  await page.getByRole('checkbox', { name: 'Send it a second time' }).check()
  await button(page, 'Send 1.50 USDC').click()
  await expect(page.getByRole('heading', { name: 'Sent 1.50 USDC' })).toBeVisible(onChain)
})

test('an address that only resembles a known one gets a warning @send-9', { tag: '@core' }, async ({ page, own }) => {
  const known = newAddress().toLowerCase()
  await own.contact({ name: 'Grace Hopper', address: known })
  const twin = `${known.slice(0, 7)}${'0'.repeat(30)}${known.slice(-5)}`
  await open(page, 'send', own.wallet.id)
  await review(page, twin, '1')
  await expect(alert(page).filter({ hasText: 'this looks like Grace Hopper but is a different address' })).toBeVisible()
  await audit(page, 'send-look-alike')
  await button(page, 'Back').click()
  await review(page, known, '1')
  await expect(dialog(page)).toContainText('This is Grace Hopper.')
  // An address that was paid before but is not a contact.
  const paid = newAddress().toLowerCase()
  await own.api('/transactions/send', { walletId: own.wallet.id, toAddress: paid, amount: '0.2' })
  await button(page, 'Back').click()
  await review(page, `${paid.slice(0, 6)}${'1'.repeat(32)}${paid.slice(-4)}`, '1')
  await expect(alert(page).filter({ hasText: 'which you paid before, but is a different address' })).toBeVisible()
})

test('the review waits for everything about the recipient, so that nothing shifts later @send-10', async ({
  page,
  own,
}) => {
  const known = newAddress().toLowerCase()
  await own.contact({ name: 'Edsger Dijkstra', address: known })
  const [contacts, check] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const delay = (path: RegExp, until: Promise<void>) =>
    page.route(path, async (route) => {
      await until
      await route.continue()
    })
  await delay(/\/api\/contacts/, contacts.promise)
  await delay(/\/recipient-check/, check.promise)
  await open(page, 'send', own.wallet.id)
  await paste(page, 'Recipient address', `${known.slice(0, 7)}${'0'.repeat(30)}${known.slice(-5)}`)
  await paste(page, 'Amount', '1')
  await button(page, 'Review').click()
  const heading = page.getByRole('heading', { name: 'Review payment' })
  const notYet = async () => {
    await expect(button(page, 'Review')).toHaveAttribute('aria-busy', 'true')
    await expect(heading).toHaveCount(0)
  }
  await notYet()
  const checked = page.waitForResponse(/\/recipient-check/)
  check.resolve()
  await (await checked).finished()
  await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => setTimeout(painted))))
  await notYet()
  contacts.resolve()
  await expect(heading).toBeVisible()
  expect(await alert(page).allTextContents()).toEqual([
    expect.stringContaining('this looks like Edsger Dijkstra but is a different address'),
    expect.stringContaining('This is your first payment to this address'),
  ])
})

test.describe('Create Payout', () => {
  const createPayout = (page: Page) => page.goto('/dashboard/payouts?create=true')

  test('waits for the wallets before it reviews, and has chosen the only one then @send-41', async ({ page, own }) => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
    await page.route('**/api/wallets', async (route) => {
      await answered
      await route.continue()
    })
    await createPayout(page)
    await expect(page.getByLabel('Source wallet')).toContainText('Loading wallets...')
    await expect(button(page, 'Review')).toBeDisabled()
    answer()
    await expect(page.getByLabel('Source wallet')).toHaveValue(own.wallet.id)
    await expect(button(page, 'Review')).toBeEnabled()
  })

  test('has the form, review, warnings and results of Send, with its own texts @send-33', { tag: '@core' }, async ({
    page,
    own,
    bursar,
  }) => {
    await createPayout(page)
    const wallet = page.getByLabel('Source wallet')
    await expect(wallet).toHaveValue(own.wallet.id)
    await expect(page.getByTestId('spendable')).toHaveText(/^\$\d+\.\d+ available to spend now\.$/)
    await wallet.selectOption('')
    await button(page, 'Review').click()
    await expect(alert(page)).toHaveText([
      'Please select a source wallet',
      'Please enter an email address for the recipient',
      'Please enter a valid amount',
    ])
    await expect(wallet).toBeFocused()
    await paste(page, 'Recipient email', 'ada@')
    await button(page, 'Review').click()
    await expect(alert(page).filter({ hasText: 'email' })).toHaveText('Invalid email')
    await audit(page, 'payouts-create-errors')

    const pay = async () => {
      await wallet.selectOption(own.wallet.id)
      await page.getByRole('tab', { name: 'Phone' }).click()
      await paste(page, 'Recipient phone', '+1 (415) 555-0177')
      await paste(page, 'Amount', '1.1')
      await paste(page, 'Memo', 'Thanks')
      await page.getByLabel('Expires').selectOption('7')
      await paste(page, 'Sender name', 'Analytical Engines')
      await button(page, 'Review').click()
      await expect(page.getByRole('heading', { name: 'Review payout' })).toBeVisible()
    }
    await pay()
    await expect(alert(page)).toHaveText('This is your first payment to this phone number.')
    for (const fact of [
      '+14155550177',
      /Amount\s*1\.10 USDC/,
      /Network fee\s*Covered/,
      /Can be claimed for\s*7 days/,
      /Sender name\s*Analytical Engines/,
      /Memo\s*Thanks/,
      'Yes: reclaim it any time until it is claimed.',
    ])
      await expect(dialog(page)).toContainText(fact)
    await audit(page, 'payouts-create-review')
    await button(page, 'Send 1.10 USDC').click()
    await expect(page.getByRole('heading', { name: 'Payout created' })).toBeVisible(onChain)
    await expect(dialog(page)).toContainText('+14155550177 gets both by SMS')
    const { escrows } = await own.api<{ escrows: Escrow[] }>('/escrow/list')
    const [made] = escrows
    expect(Math.round((Date.parse(made!.expiresAt) - Date.parse(made!.createdAt)) / dayMs)).toBe(7)
    await bursar.message('+14155550177', /Analytical Engines[\s\S]*\d{6}/, 'the sender and the code by SMS')
    await button(page, 'Done').click()
    await button(page, 'Create Payout').click()
    await pay()
    await expect(dialog(page)).toContainText('You sent 1.10 USDC to this recipient just now.')
  })

  test('shows why no wallet can pay, and what is arriving @send-34', async ({ page, own }) => {
    let change: Partial<Wallet> = { paused: true }
    await page.route('**/api/wallets', async (route) => {
      const { data, ...rest } = await (await route.fetch()).json()
      await route.fulfill({ json: { ...rest, data: data.map((wallet: Wallet) => ({ ...wallet, ...change })) } })
    })
    await createPayout(page)
    await expect(dialog(page).getByRole('note')).toContainText(/^No wallet can pay now: .+ is paused\./)
    await expect(page.getByLabel('Source wallet').getByRole('option', { name: /\(paused\)$/ })).toBeDisabled()
    await expect(alert(page)).toHaveCount(0)
    await audit(page, 'payouts-create-blocked')

    change = {
      name: 'Ω'.repeat(60),
      spendable: { now: '50', limitedBy: 'session', arriving: '20' },
      usdcBalance: { balance: '200', symbol: 'USDC' },
    }
    await open(page, 'send', own.wallet.id)
    await expect(page.getByTestId('spendable')).toHaveText(
      '$50.00 available to spend now. The session key may pay no more of the $200.00 in the wallet until you rotate it. ' +
        '$20.00 more is arriving and can be spent in a few seconds.',
    )
    const card = page.getByTestId('wallet-card')
    for (const note of ['$50.00 available to spend now', '$20.00 arriving']) await expect(card).toContainText(note)
    await paste(page, 'Recipient address', newAddress())
    await paste(page, 'Amount', '50.01')
    await button(page, 'Review').click()
    await expect(alert(page)).toHaveText('The wallet’s session key has 50.00 USDC left. Send less, or rotate the key.')
    await audit(page, 'send-session-limit')
    await page.setViewportSize({ width: 390, height: 844 })
    const beyond = await dialog(page).evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
    expect(beyond, 'pixels of a long name beyond the dialog').toBeLessThanOrEqual(0)
    await button(page, 'Use max balance').click()
    await expect(page.getByLabel('Amount', { exact: true })).toHaveValue('50')
    // The arriving money is in the wallet now.
    change = { spendable: { now: '70', limitedBy: 'session', arriving: '0' } }
    await expect(page.getByTestId('spendable')).toContainText('$70.00 available to spend now.')
  })
})

test.describe('refused', () => {
  test.use({ tolerated: /status of (4(?:00|22|09|29)|5\d\d)|ERR_FAILED/ })

  test('the server’s message is shown at its field @send-11', async ({ page, own }) => {
    await open(page, 'send', own.wallet.id)
    await review(page, own.wallet.address, '1')
    await button(page, 'Send 1.00 USDC').click()
    await expect(alert(page)).toHaveText('A wallet cannot pay itself.')
    await expect(page.getByLabel('Recipient address')).toBeFocused()
    await expect(page.getByLabel('Recipient address')).toHaveValue(own.wallet.address)
    await audit(page, 'send-refused')
    await test.step('a recipient check that fails is reported and blocks no payment', async () => {
      await page.route(/\/recipient-check/, (route) => route.fulfill({ status: 500, json: { success: false } }))
      await review(page, newAddress(), '1')
      await expect(alert(page)).toHaveText(/^We could not check whether you have paid this address before\. Compare/)
      await expect(button(page, 'Send 1.00 USDC')).toBeEnabled()
    })
  })

  test('a send whose reply was lost can be retried and pays once @send-12', { tag: '@core' }, async ({ page, own }) => {
    const keys: (string | undefined)[] = []
    let calls = 0
    await page.route('**/api/transactions/send', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      calls += 1
      if (calls > 1) return route.continue()
      await route.fetch() // executed, and the reply lost
      await route.abort()
    })
    const to = newAddress()
    await open(page, 'send', own.wallet.id)
    await review(page, to, '1.75')
    await button(page, 'Send 1.75 USDC').click()
    await expect(alert(page).first()).toContainText('We do not know whether the payment was accepted.')
    await expect(button(page, 'Back')).toBeDisabled()
    await audit(page, 'send-unknown')
    await button(page, 'Try again').click()
    await expect(page.getByRole('heading', { name: 'Sent 1.75 USDC' })).toBeVisible(onChain)
    expect(new Set(keys).size).toBe(1)
    const history = { toAddress: to, amount: '1.75' }
    expect(await own.api('/transactions/recipient-check', history)).toMatchObject({ payments: 1 })
  })

  test('a refused retry says nothing about the attempt whose reply was lost: the next one pays once @send-37', {
    tag: '@core',
  }, async ({ page, own }) => {
    const keys: (string | undefined)[] = []
    await page.route('**/api/transactions/send', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length === 3) return route.continue()
      if (keys.length === 2)
        return route.fulfill({
          status: 429,
          headers: { 'Retry-After': '10' },
          json: { success: false, error: 'Too many requests. Please wait a moment.', code: 'rate_limited' },
        })
      await route.fetch() // executed, and the reply lost
      await route.abort()
    })
    const to = newAddress()
    await open(page, 'send', own.wallet.id)
    await review(page, to, '1.85')
    await button(page, 'Send 1.85 USDC').click()
    await button(page, 'Try again').click()
    await expect(alert(page).first()).toContainText(/^Too many requests/)
    await expect(alert(page).first()).toContainText('We do not know whether the payment was accepted.')
    await expect(button(page, 'Back')).toBeDisabled()
    await button(page, 'Try again').click()
    await expect(page.getByRole('heading', { name: 'Sent 1.85 USDC' })).toBeVisible(onChain)
    expect([keys.length, new Set(keys).size]).toEqual([3, 1])
    const history = { toAddress: to, amount: '1.85' }
    expect(await own.api('/transactions/recipient-check', history)).toMatchObject({ payments: 1 })
  })

  test('without a reply, waiting can be stopped after 15 seconds, and a retry pays once @send-35', {
    tag: '@core',
  }, async ({ page, own }) => {
    const keys: (string | undefined)[] = []
    await page.route('**/api/transactions/send', (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      return keys.length > 1 ? route.continue() : undefined // without a reply
    })
    await page.clock.install()
    await open(page, 'send', own.wallet.id)
    await review(page, newAddress(), '1.25')
    await page.clock.pauseAt(Date.now() + 60_000)
    await button(page, 'Send 1.25 USDC').press('Enter')
    await expect(button(page, 'Sending...')).toBeVisible()
    await page.clock.runFor(10_000)
    await expect(button(page, 'Stop waiting')).toHaveCount(0)
    await page.clock.runFor(5_000)
    await page.clock.resume()
    await audit(page, 'send-no-reply')
    await button(page, 'Stop waiting').click()
    await expect(alert(page).first()).toContainText('We do not know whether the payment was accepted.')
    await expect(button(page, 'Stop waiting')).toHaveCount(0)
    await button(page, 'Try again').click()
    await expect(page.getByRole('heading', { name: 'Sent 1.25 USDC' })).toBeVisible(onChain)
    expect([keys.length, new Set(keys).size]).toEqual([2, 1])
  })

  test('a payout that was accepted and is never funded says that it failed', async ({ page, own }) => {
    await page.goto('/dashboard/payouts?create=true')
    await expect(page.getByLabel('Source wallet')).toHaveValue(own.wallet.id)
    await paste(page, 'Recipient email', newEmail())
    await paste(page, 'Amount', '1')
    await button(page, 'Review').click()
    const at = new Date().toISOString()
    const accepted = {
      ...{ id: 'pay_x', category: 'escrow', status: 'QUEUED', amountUsdc: '1', createdAt: at, expiresAt: at },
      ...{ sourceWallet: null, inProgress: null, recipientEmail: 'x@bursar.test', timeline: { decidedAt: at } },
    }
    await page.route('**/api/escrow/create', (route) =>
      route.fulfill({
        json: {
          success: true,
          data: {
            id: 'pay_x',
            escrowId: 'pay_x',
            claimUrl: '/claim/x',
            passcode: null,
            expiresAt: new Date().toISOString(),
            rows: { escrow: { ...accepted, status: 'CREATING', amount: '1' }, transaction: accepted },
          },
        },
      }),
    )
    await page.route('**/api/escrow/pay_x', (route) =>
      route.fulfill({ json: { success: true, data: { status: 'FAILED', errorMessage: null } } }),
    )
    await button(page, 'Send 1.00 USDC').click()
    await expect(alert(page)).toHaveText('Failed to create payout. Please try again or contact support.')
  })

  test('a payment is shown as queued without a hash, and then as failed @send-14', { tag: '@core' }, async ({
    page,
    own,
  }) => {
    const view = await own.api<Record<string, unknown>[]>('/transactions/user')
    const base = {
      ...view[0],
      id: 'pay_x',
      txHash: null,
      errorMessage: 'The session key ran out before the payment left.',
    }
    let status = 'QUEUED'
    await page.route('**/api/transactions/send', (route) =>
      route.fulfill({
        status: 201,
        json: { success: true, data: { id: 'pay_x', status: 'queued', transaction: { ...base, status } } },
      }),
    )
    await page.route('**/api/transactions/pay_x', (route) =>
      route.fulfill({
        json: {
          success: true,
          data: {
            ...base,
            status,
            timeline: { decidedAt: new Date().toISOString(), signedAt: null, broadcastAt: null, confirmedAt: null },
          },
        },
      }),
    )
    await open(page, 'send', own.wallet.id)
    await review(page, newAddress(), '1')
    await button(page, 'Send 1.00 USDC').click()
    await expect(page.getByRole('heading', { name: 'Sending 1.00 USDC' })).toBeVisible()
    await expect(dialog(page)).toContainText('Accepted. You can close this dialog: the payment continues.')
    await audit(page, 'send-queued')
    status = 'FAILED'
    await expect(page.getByRole('heading', { name: 'Not sent: 1.00 USDC' })).toBeVisible()
    await expect(alert(page)).toHaveText('The session key ran out before the payment left.')
    await audit(page, 'send-failed')
  })
})

test.describe('Add Funds', () => {
  test('buys USDC on the seller’s page and shows its arrival @send-15', { tag: '@core' }, async ({
    page,
    own,
    context,
  }) => {
    const { wallet } = own
    await page.goto('/dashboard/wallets')
    await button(page, 'Add Funds').click()
    await expect(page).toHaveURL(new RegExp(`addFunds=${wallet.id}`))
    await expect(dialog(page)).toBeVisible()
    await audit(page, 'add-funds')
    const amount = page.getByLabel('Other amount')
    for (const [text, problem] of [
      ['', 'Please enter a valid amount'],
      ['0', 'Please enter a valid amount'],
      ['0.99', 'Minimum amount is $1.00'],
    ] as const) {
      await amount.fill(text)
      await button(page, /^Continue/).click()
      await expect(alert(page)).toHaveText(problem)
    }
    await amount.fill('1.0050')
    await amount.blur()
    await expect(alert(page)).toHaveText('Enter digits with at most 2 decimals, for example 1234.50')
    for (const preset of ['$50', /^\$100\s*Popular$/, '$250', '$500']) await expect(button(page, preset)).toBeVisible()
    await button(page, '$50').click()
    await expect(amount).toHaveValue('50')
    const opened = context.waitForEvent('page')
    await button(page, 'Continue with $50.00').click()
    const shop = await opened
    await expect(shop.getByRole('heading', { name: 'Buy USDC' })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Finish in the other tab' })).toBeVisible()
    await audit(page, 'add-funds-waiting')
    await shop.getByRole('button', { name: 'Pay $50' }).click()
    await expect(shop).toHaveURL('/dashboard/overview')
    await expect(shop.getByText('Payment received. Your USDC arrives within a minute or two.')).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Funds added' })).toBeVisible(onChain)
    await expect(dialog(page)).toContainText('has received $50.00 USDC')
    await button(page, 'Done').click()
    await expect(dialog(page)).toBeHidden()
  })

  test('shows a link if the browser blocks the new tab @send-16', async ({ page, own }) => {
    await page.addInitScript(() => Object.assign(window, { open: () => null }))
    await open(page, 'addFunds', own.wallet.id)
    await button(page, 'Continue with $100.00').click()
    const link = page.getByRole('link', { name: 'Open the payment page' })
    await expect(link).toHaveAttribute('href', /\/dev\/onramp\?/)
    await expect(link).toHaveAttribute('target', '_blank')
    await audit(page, 'add-funds-blocked')
  })

  test('says so if there is no on-ramp', async ({ page, own }) => {
    await page.route('**/api/config', async (route) => {
      const { data } = await (await route.fetch()).json()
      await route.fulfill({ json: { success: true, data: { ...data, onramp: false } } })
    })
    await open(page, 'addFunds', own.wallet.id)
    await expect(dialog(page)).toContainText('Buying with a card is not available yet.')
    await expect(button(page, /^Continue/)).toBeDisabled()
    await audit(page, 'add-funds-off')
  })
})

test('Withdraw explains the way to a bank account for three exchanges and opens the send dialog @send-18', async ({
  page,
  own,
}) => {
  await page.goto('/dashboard/wallets')
  await button(page, 'Withdraw').click()
  await expect(page).toHaveURL(new RegExp(`withdraw=${own.wallet.id}`))
  for (const exchange of ['Coinbase', 'Kraken', 'Binance']) {
    await page.getByRole('tab', { name: exchange }).click()
    const steps = page.getByRole('list', { name: `Withdraw through ${exchange}` }).getByRole('listitem')
    await expect(steps).toHaveCount(3)
    await expect(steps.first()).toContainText(/base/i)
  }
  await audit(page, 'withdraw')
  await button(page, 'Send USDC').click()
  await expect(dialog(page).getByLabel('Recipient address')).toBeVisible()
})
