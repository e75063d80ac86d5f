/** The page on which an owner reviews and resumes policy groups after the account was restored. */
import { audit } from './audit.ts'
import { expect, testAsOwner as test } from './fixtures.ts'

/** Failed requests, whose status the browser logs. */
test.use({ tolerated: /status of 500/ })

test('shows the rules of each group after a restore, and resumes group by group @restore-59', async ({
  page,
  owner,
}) => {
  const group = await owner.group('Buyers of a very long name', {
    scopes: ['contact_payments:write', 'email_payments:write'],
    whitelistedContactIds: [owner.grace.id],
    maxPayment: '7',
    approveAbove: '5',
  })
  const { apiKey } = await owner.agent(group, 'Scout')
  await owner.api(`/policy-groups/${group.id}/pause`, {})

  await page.goto('/dashboard/restored')
  await expect(page.getByText('This account was never restored from a backup.')).toBeVisible()
  await audit(page, 'restored-never')
  // A real restore waits for half an hour of blocks: tests/stack/restore.test.ts.
  const restored = { at: '2026-11-20T10:00:00.000Z', asOf: '2026-11-20T08:30:00.000Z' }
  await page.route('**/api/account', async (route) => {
    const response = await route.fetch()
    const { data } = (await response.json()) as { data: object }
    await route.fulfill({ response, json: { success: true, data: { ...data, restored } } })
  })
  const groups = '**/api/policy-groups/with-agents'
  await page.route(groups, (route) => route.fulfill({ status: 500, json: { success: false, error: '' } }), { times: 2 })
  await page.goto('/dashboard/restored')
  await expect(page.getByText('Failed to load your policy groups')).toBeVisible()
  await page.getByRole('button', { name: 'Try again' }).click()

  const card = page.getByRole('region', { name: group.name })
  for (const text of [
    'of $20.00',
    'Grace Hopper',
    'Scout',
    'At most $7.00 per payment',
    'Payments above $5.00',
    'Paused',
  ])
    await expect(card, text).toContainText(text)
  await expect(page.getByRole('alert')).toContainText('from a backup of Fri, Nov 20, 2026')
  await audit(page, 'restored')
  await page.setViewportSize({ width: 320, height: 700 })
  const tooWide = await page.evaluate(() =>
    [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth)
      .map((element) => element.outerHTML.slice(0, 120)),
  )
  expect(tooWide).toEqual([])
  expect((await owner.context(apiKey!)).status).toBe(403)
  await card.getByRole('button', { name: `Resume ${group.name}` }).click()
  await expect(card).toContainText('Active')
  expect((await owner.context(apiKey!)).status).toBe(200)
  await card.getByRole('link', { name: `Change rules of ${group.name}` }).click()
  await expect(page.getByLabel('Policy name')).toHaveValue(group.name)
})
