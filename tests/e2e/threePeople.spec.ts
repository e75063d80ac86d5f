/** Three people and one account: its owner invites, a preparer asks for more than the limit, and an approver on a phone agrees. */
import { changeTreasury } from '../support/objectFiles.ts'
import { within } from '../support/patience.ts'
import { type Account, createAccount } from './accounts.ts'
import { audit } from './audit.ts'
import { button, expect, soon, test } from './fixtures.ts'
import { contextOf, countPresses, joined, named, switchTo, whose } from './members.ts'
import { createFundedAccount, newAddress } from './people.ts'

/** Refusals that the test causes, whose status the browser logs. */
test.use({ tolerated: /status of (401|403|404|409|422)/ })

const [phone, wide] = [
  { width: 390, height: 844 },
  { width: 1400, height: 900 },
]

test('an approver joins on a phone and approves what a preparer asked for above the limit, in six presses @people-screens-10', async ({
  page,
  context,
  browser,
  bursar,
  watch,
}) => {
  const owner = await createFundedAccount(bursar)
  const tabOf = async (person: Account | null, viewport: typeof wide) => {
    const made = browser.newContext({ viewport, reducedMotion: 'reduce' })
    const theirs = person ? await contextOf(made, person, watch) : await made
    if (!person) await watch.over(theirs)
    return theirs.newPage()
  }

  const { person: preparer } = await joined(bursar, owner.account, 'preparer')
  await named(bursar, owner.account, 'ACME')
  const maker = await tabOf(preparer, wide)
  await maker.goto('/dashboard/overview')
  await expect(maker.getByTestId('total-balance')).toBeVisible()
  await switchTo(maker, owner.account)
  await maker.goto('/dashboard/runs')
  // Once it is known that there are none, the button is in the middle of the page and not beside the title.
  await expect(maker.getByText('No runs yet')).toBeVisible()
  await maker.getByRole('main').getByRole('button', { name: 'New run' }).click()
  const buffer = Buffer.from(`to,amount,name\n${newAddress()},7,Grace Hopper\n${newAddress()},5.5,Alan Turing`)
  await maker.getByLabel('File').setInputFiles({ name: 'freelancers.csv', mimeType: 'text/csv', buffer })
  await button(maker, 'Check the rows').click()
  await button(maker, 'Submit 12.50 USDC').click()
  await expect(maker.getByText('It waits for its owner or an approver.')).toBeVisible(soon)

  await owner.account.keep(context)
  await page.setViewportSize(wide)
  const approver = await createAccount(bursar)
  await page.goto('/dashboard/people')
  await button(page, 'Invite').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Email').fill(approver.email)
  await dialog.getByRole('radio', { name: 'Approver' }).check()
  await dialog.getByLabel('Your password').fill(owner.account.password)
  await button(page, 'Send invitation').click()
  await expect(page.getByRole('list', { name: 'Invitations' })).toContainText(approver.email)
  const [, path] = await bursar.message(approver.email, /https?:\/\/[^/\s]+(\/join#token=\S+)/, 'the invitation')

  const decider = await tabOf(null, phone)
  const presses = await countPresses(decider)
  await decider.goto(path!) // the press in the mail
  await decider.getByRole('link', { name: 'Sign in' }).click()
  await decider.getByLabel('Email').fill(approver.email)
  await decider.getByLabel('Password', { exact: true }).fill(approver.password)
  await button(decider, 'Sign In').click()
  await expect(decider.getByRole('heading', { name: 'Join ACME' })).toBeVisible()
  await button(decider, 'Join').click()
  await expect(whose(decider)).toContainText(owner.account.email)

  await page.reload()
  const limit = page.getByRole('region', { name: 'A second person' })
  await button(page, 'Set a limit').click()
  await dialog.getByLabel('Above this amount in 24 hours').fill('10')
  await dialog.getByLabel('Your password').fill(owner.account.password)
  await button(page, 'Save limit').click()
  await expect(limit).toContainText('Above 10.00 USDC in 24 hours, a second person must agree.')
  await page.goto('/dashboard/runs')
  await page
    .getByRole('link', { name: /freelancers/ })
    .first()
    .click()
  await expect(page.getByText('a second person must agree: an approver has to decide about this.')).toBeVisible()
  await audit(page, 'three-owner-run', [390, 1400])

  // A day passes.
  changeTreasury(process.env.BURSAR_STATE!, owner.account.session.user.id, 'UPDATE member SET decides_from = 0')
  const decide = decider.getByRole('link', { name: 'Decide: freelancers, 12.50 USDC' })
  await expect(decide).toBeVisible(soon)
  await audit(decider, 'three-approver-waiting', [390])
  await decide.click()
  await expect(button(decider, 'Approve 12.50 USDC')).toBeVisible()
  await audit(decider, 'three-approver-run', [390])
  await button(decider, 'Approve 12.50 USDC').click()
  await expect(decider.getByRole('status').filter({ hasText: 'Approved by you' })).toBeVisible(within(20_000))
  expect(1 + presses()).toBeLessThanOrEqual(6)

  const states = maker.getByRole('list', { name: 'Payments by state' })
  await expect(states).toContainText(/Paid2/, within(60_000))
  await audit(decider, 'three-approver-approved', [390, 1400])
  await expect(page.getByRole('status').filter({ hasText: `Approved by ${approver.session.user.name}` })).toBeVisible(
    within(20_000),
  )
  for (const each of [maker, decider]) await each.context().close()
})
