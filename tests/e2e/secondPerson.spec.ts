/** The limit of one person, as its owner and an approver see it. */
import { changeTreasury } from '../support/objectFiles.ts'
import { within } from '../support/patience.ts'
import { audit } from './audit.ts'
import { button, expect, test } from './fixtures.ts'
import { contextOf, joined, switchTo } from './members.ts'
import { createOwner } from './people.ts'

/** Refusals that the tests cause, whose status the browser logs. */
test.use({ tolerated: /status of (403|409|422)/ })

test('an approver of a day confirms a group, and nothing of it waits for a second person any more @people-screens-8', async ({
  page,
  context,
  browser,
  bursar,
  watch,
}) => {
  const owner = await createOwner(bursar)
  const { person } = await joined(bursar, owner.account, 'approver')
  await owner.api('/people/second-person', { above: '5', password: owner.account.password }, 'PUT')
  const group = await owner.group('Confirmed')
  const { apiKey } = await owner.agent(group, 'Confirmed bot')
  const { body: asked } = await owner.pay<{ approval: { id: string } }>(apiKey!, '6')
  await owner.account.keep(context)
  await page.goto(`/dashboard/approvals/${asked.approval.id}`)
  const theirs = await contextOf(browser.newContext(), person, watch)
  const other = await theirs.newPage()
  await test.step('the owner sees who has to decide, and a new approver from when they can @people-screens-5', async () => {
    await expect(
      page.getByText(/Would be refused now: Above 5\.00 USDC in 24 hours.*an approver has to decide/),
    ).toBeVisible()
    await expect(button(page, 'Deny')).toBeVisible()
    await expect(page.getByRole('button', { name: /^Approve/ })).toHaveCount(0)
    await audit(page, 'approval-second-person')
    await other.goto('/dashboard/overview')
    await expect(other.getByTestId('total-balance')).toBeVisible()
    await switchTo(other, owner.account)
    await other.goto(`/dashboard/agents?group=${group.id}`)
    await expect(other.getByText(/If you agree to all limits of this group.*You can do so from/)).toBeVisible()
    await expect(button(other, 'Confirm these rules')).toHaveCount(0)
  })

  // A day passes.
  changeTreasury(process.env.BURSAR_STATE!, owner.account.session.user.id, 'UPDATE member SET decides_from = 0')
  await other.reload()
  await expect(other.getByText(/If you agree to all limits of this group/)).toBeVisible()
  await audit(other, 'group-second-person')
  await button(other, 'Confirm these rules').click()
  await expect(other.getByText(/These rules are confirmed by an approver/)).toBeVisible()
  await theirs.close()

  await page.reload()
  await expect(page.getByText(/an approver has to decide/)).toHaveCount(0)
  await button(page, 'Approve once').click()
  await expect(page.getByRole('status').filter({ hasText: 'Approved by you.' })).toBeVisible(within(20_000))
  const { status } = await owner.pay(apiKey!, '6')
  expect(status, 'does not wait').toBe(201)
})
