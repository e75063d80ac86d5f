/**
 * The history of changes: its filters, and the one that opens after a new password, which lists recently added things and ends
 * those that are selected.
 */
import type { ChangeList } from '#schemas/change.ts'
import type { Webhook } from '#schemas/webhook.ts'
import { audit } from './audit.ts'
import { expect, soon, test } from './fixtures.ts'
import { inputModes } from './inputModes.ts'
import { auditWidths, exported, menuEntry, openOverview, signedInOwner, widen } from './listPages.ts'

/** One request fails on purpose. */
test.use({ tolerated: /status of 500/ })

for (const { by, viewport, inputOf, look } of inputModes)
  test(`lists what was added in the last 30 days, and ends what is selected, by ${by} @changes-1`, {
    tag: '@core',
  }, async ({ page, context, bursar }) => {
    const owner = await signedInOwner(context, bursar)
    await page.setViewportSize(viewport)
    const input = inputOf(page)
    const added = page.getByRole('region', { name: 'Added in the last 30 days' })

    await page.route(
      /\/api\/changes\?made=true/,
      (route) => route.fulfill({ status: 500, json: { success: false, error: '' } }),
      { times: 2 },
    )
    await page.goto('/dashboard/changes?made=true')
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
    await expect(page.getByText('1 webhook and 1 agent ended.')).toBeVisible()
    await expect(items).toHaveCount(1)
    await expect(items).toHaveAccessibleName(/^A webhook to known\.example\.com was added/)
    await input.press(page.getByRole('button', { name: 'All changes' }))
    await expect(page.getByRole('list', { name: 'All changes' }).getByRole('listitem').first()).toContainText('deleted')
    await look(page, 'changes-ended')

    const { changes } = await owner.api<ChangeList>('/changes?made=true')
    expect(changes.map(({ subject }) => subject)).toEqual([{ type: 'webhook', id: known.id }])
    const refused = await owner.context(agent.apiKey!)
    expect(refused.status, 'the key of the ended agent').toBe(401)
  })

test('says who changed what, by kind, person and days, on the page, in its URL and in its file @answers-34', async ({
  page,
  context,
  bursar,
}) => {
  const owner = await signedInOwner(context, bursar)
  await widen(page)
  await page.goto('/dashboard/changes?kind=people')
  await expect(page.getByText('No changes match your filters.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear Filters' }).click()
  const group = await owner.group('م'.repeat(30))
  await owner.api(
    `/policy-groups/${group.id}`,
    { name: 'W'.repeat(60), scopes: group.scopes, spendLimit: 25, maxPayment: '0.000001' },
    'PUT',
  )
  await owner.agent(group, 'Scout')
  await owner.api('/webhooks', { url: 'https://known.example.com/', events: ['connection.created'] })

  await openOverview(page)
  await menuEntry(page, 'History of changes').click()
  const items = page.getByRole('list', { name: 'All changes' }).getByRole('listitem')
  await expect(items.nth(0)).toContainText('A webhook to known.example.com was added', soon)
  await expect(items.nth(0)).toContainText('Webhooks · Signed in as you')
  await expect(items.nth(2)).toContainText(`The rules of ${'W'.repeat(59)}`)
  await expect(items.nth(2)).toContainText('Its budget is 25.00 USDC, before: 20.00 USDC.')
  await expect(items.nth(2)).toContainText('Maximum per payment: At most 0.000001 USDC per payment. Before: off.')
  await auditWidths(page, 'changes-all')
  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByRole('checkbox', { name: 'Rules and budgets' }).check()
  await page.getByLabel('By', { exact: true }).selectOption('Signed in as you')
  await page.getByRole('button', { name: 'Last 7 days' }).click()
  await audit(page, 'changes-filter')
  await widen(page)
  await page.getByRole('button', { name: 'Apply Filters' }).click()
  await expect(items).toHaveCount(2)
  await expect(page).toHaveURL(/kind=rules/)
  await expect(page).toHaveURL(/by=owner/)
  const chips = page.getByRole('list', { name: 'Active filters' })
  await expect(chips).toContainText('What: Rules and budgets')
  await expect(chips).toContainText('By: Signed in as you')
  await page.reload()
  await expect(items).toHaveCount(2)
  await auditWidths(page, 'changes-filtered')
  const lines = await exported(page)
  expect(lines).toHaveLength(2)
  expect(lines[0]).toContain(',group.changed,')
  await page.getByRole('button', { name: 'Remove filter: What: Rules and budgets' }).click()
  await expect(items.nth(0)).toContainText('webhook')
})
