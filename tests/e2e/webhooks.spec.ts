/** Webhooks: created with the secret shown once, tested, replayed, edited, rotated, switched off, deleted. */

import { within } from '../support/patience.ts'
import { startReceiver } from '../support/webhookServer.ts'
import { audit } from './audit.ts'
import { expect, testAsNewUser as test } from './fixtures.ts'
import { inputModes } from './inputModes.ts'

/** Refusals have a 4xx status, which the browser logs. */
test.use({ tolerated: /status of (400|422|500)|ERR_FAILED/ })

for (const { by, viewport, inputOf } of inputModes)
  test(`creates, tests, replays, edits, rotates, switches off and deletes a webhook, by ${by} @webhooks-20`, {
    tag: '@core',
  }, async ({ page, account }) => {
    await page.setViewportSize(viewport)
    const input = inputOf(page)
    const look = async (name: string) => {
      if (by !== 'mouse') return
      await audit(page, name)
      await page.setViewportSize(viewport)
    }
    const givePassword = async () => {
      const prompt = page.getByRole('dialog', { name: 'Enter your password' })
      await expect(prompt).toContainText('This webhook gets the recipients and amounts of your payments')
      await input.fill(prompt.getByLabel('Password', { exact: true }), account.password)
      await input.press(prompt.getByRole('button', { name: 'Continue' }))
    }
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
    const receiver = await startReceiver((_, response) => response.writeHead(500).end())

    // The list fails to load at first.
    await page.route(
      '**/api/webhooks',
      (route) => route.fulfill({ status: 500, json: { success: false, error: '' } }),
      {
        times: 2,
      },
    )
    await page.goto('/dashboard/webhooks')
    await input.press(button('Try again'))
    await expect(page.getByText('No webhooks yet')).toBeVisible()
    await look('webhooks-empty')

    await input.press(button('Create Your First Webhook'))
    const dialog = page.getByRole('dialog')
    await expect(page.getByLabel('Address')).toBeFocused()
    await input.fill(page.getByLabel('Address'), 'https://10.0.0.1/hook')
    await input.press(button('Create Webhook'))
    await expect(dialog.getByRole('alert')).toHaveText('The address must have a host name, not an IP address')
    await input.fill(page.getByLabel('Address'), receiver.url)
    await page.getByLabel('Only these').check()
    await input.press(button('Create Webhook'))
    await expect(dialog.getByRole('alert')).toHaveText('Choose at least one event')
    await page.getByLabel('payment.confirmed').check()
    await look('webhooks-new')
    await input.press(button('Create Webhook'))
    await givePassword()
    await expect(dialog).toContainText('Your webhook is ready')
    const secret = (await page.getByTestId('webhook-secret').textContent()) ?? ''
    expect(secret).toMatch(/^whsec_/)
    await look('webhooks-secret')
    await input.press(button('I have stored it'))
    await expect(dialog).toBeHidden()
    const main = page.getByRole('main')
    await expect(main).toContainText(receiver.url)
    await expect(main).toContainText('payment.confirmed')
    await expect(page.locator('body')).not.toContainText(secret)
    await look('webhooks')

    await input.press(button(/^Deliveries to/))
    await expect(dialog).toContainText('Nothing has been sent yet')
    await input.press(button('Send Test Event'))
    await expect(dialog).toContainText('Waiting')
    await dialog.getByText('Attempts and content').click()
    await expect(dialog).toContainText(/500 · \d+ ms/, within(20_000))
    await look('webhooks-deliveries')
    receiver.respond((_, response) => response.end())
    await input.press(button('Send again: webhook.test'))
    await expect(dialog).toContainText('Delivered', within(20_000))
    expect(receiver.received.at(-1)!.type).toBe('webhook.test')
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    await input.press(button('Close').last())

    const choose = async (item: string) => {
      await input.press(button(/^Actions for/))
      await page.getByRole('menuitem', { name: item }).click()
    }
    await choose('Edit')
    await expect(page.getByLabel('Only these')).toBeChecked()
    await page.getByLabel('Every event').check()
    await input.press(button('Save Changes'))
    await givePassword()
    await expect(main).toContainText('Every event')

    await choose('Rotate secret')
    await input.press(button('Rotate Secret'))
    await givePassword()
    await expect(dialog).toContainText('The old secret also signs until')
    expect(await page.getByTestId('webhook-secret').textContent()).not.toBe(secret)
    await input.press(button('I have stored it'))

    await choose('Switch off')
    await input.press(button('Switch Off'))
    await expect(main.getByText('Off', { exact: true })).toBeVisible()
    await choose('Switch on')
    await input.press(button('Switch On'))
    await expect(main.getByText('On', { exact: true })).toBeVisible()

    await choose('Delete')
    await expect(page.getByRole('alertdialog', { name: 'Delete Webhook' })).toContainText(receiver.url)
    await input.press(button('Delete Webhook'))
    await expect(page.getByText('No webhooks yet')).toBeVisible()
    await receiver.stop()
  })
