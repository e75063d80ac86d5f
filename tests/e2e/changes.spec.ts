/** The page Changes, which opens after a new password: it lists recently added things and ends those that are selected. */
import type { MadeChanges } from '#schemas/change.ts'
import type { Webhook } from '#schemas/webhook.ts'
import { expect, test } from './fixtures.ts'
import { inputModes } from './inputModes.ts'
import { createOwner } from './people.ts'

/** One request fails on purpose. */
test.use({ tolerated: /status of 500/ })

for (const { by, viewport, inputOf, look } of inputModes)
  test(`lists what was added in the last 30 days, and ends what is selected, by ${by} @changes-1`, {
    tag: '@core',
  }, async ({ page, context, bursar }) => {
    const owner = await createOwner(bursar)
    await owner.account.keep(context)
    await page.setViewportSize(viewport)
    const input = inputOf(page)
    const added = page.getByRole('region', { name: 'Added in the last 30 days' })

    await page.route(
      '**/api/changes/made',
      (route) => route.fulfill({ status: 500, json: { success: false, error: '' } }),
      { times: 2 },
    )
    await page.goto('/dashboard/changes')
    await expect(added).toContainText('Failed to load what was added')
    await look(page, 'changes-failed')
    await input.press(added.getByRole('button', { name: 'Try again' }))
    await expect(added).toContainText('Nothing to end')
    await look(page, 'changes-empty')

    const events = ['connection.created']
    const known = await owner.api<Webhook>('/webhooks', { url: 'https://known.example.com/', events })
    await owner.api<Webhook>('/webhooks', { url: 'https://thief.example.com/', events })
    const agent = await owner.agent(await owner.group('Marketing'), 'Rogue')
    await page.reload()
    const items = added.getByRole('checkbox')
    await expect(items).toHaveCount(3)
    await expect(items.first(), 'the newest').toHaveAccessibleName(/^Rogue was added as an agent/)
    await look(page, 'changes-added')
    await input.press(items.nth(2))
    await expect(added).toContainText('2 of 3 selected')
    await input.press(added.getByRole('button', { name: 'End selected' }))
    const dialog = page.getByRole('alertdialog', { name: 'End 2 items' })
    await expect(dialog.getByRole('listitem')).toHaveText([
      'Rogue was added as an agent',
      'A webhook to thief.example.com was added',
    ])
    await look(page, 'changes-end')
    await input.press(dialog.getByRole('button', { name: 'End 2 items' }))
    await expect(page.getByText('1 webhook, 1 agent ended.')).toBeVisible()
    await expect(items).toHaveCount(1)
    await expect(items).toHaveAccessibleName(/^A webhook to known\.example\.com was added/)
    await expect(page.getByRole('list', { name: 'All changes' }).getByRole('listitem').first()).toContainText('deleted')
    await look(page, 'changes-ended')

    const { changes } = await owner.api<MadeChanges>('/changes/made')
    expect(changes.map(({ subject }) => subject)).toEqual([{ type: 'webhook', id: known.id }])
    const refused = await owner.context(agent.apiKey!)
    expect(refused.status, 'the key of the ended agent').toBe(401)
  })
