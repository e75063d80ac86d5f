/** What the link of an invitation says to somebody else, when it was used, and when it is late; and owners who invite each other. */
import { maskedEmail } from '#domain/email.ts'
import { changeTreasury } from '../support/objectFiles.ts'
import { createAccount } from './accounts.ts'
import { audit } from './audit.ts'
import { button, expect, test } from './fixtures.ts'
import { contextOf, invite, nameOf, switchTo, whose } from './members.ts'

/** Refusals that the tests cause, whose status the browser logs. */
test.use({ tolerated: /status of (403|409|410)/ })

test('a link that is somebody else’s, used, withdrawn or late says so, and joins nobody @people-screens-9', async ({
  page,
  context,
  browser,
  bursar,
  watch,
}) => {
  const owner = await createAccount(bursar)
  const [ada, eve] = [await createAccount(bursar), await createAccount(bursar)]
  const { member, path } = await invite(bursar, owner, ada.email, 'approver')
  const masked = `This invitation is for ${maskedEmail(ada.email)}.`
  await eve.keep(context)
  const main = page.getByRole('main')
  const refused = page.getByRole('alert')
  const statuses: number[] = []
  page.on('response', (response) => {
    if (/\/api\/people\/(invitation|join)$/.test(response.url())) statuses.push(response.status())
  })

  await page.goto(path)
  await expect(page.getByRole('heading', { name: 'For another address' })).toBeVisible()
  await expect(main).toContainText(masked)
  await expect(main).toContainText(`You are signed in as ${eve.email}.`)
  await expect(main).not.toContainText(ada.email)
  await expect(button(page, 'Join')).toHaveCount(0)
  await audit(page, 'join-another-address', [390, 1400])

  // Ada opened the page, and Eve signed in since, in another tab.
  await page.route('**/api/people/invitation', async (route) => {
    const response = await route.fetch()
    const reply = (await response.json()) as { data: { email: string } }
    await route.fulfill({ response, json: { ...reply, data: { ...reply.data, email: ada.email } } })
  })
  await page.goto('about:blank')
  await page.goto(path)
  await button(page, 'Join').click()
  await expect(refused).toContainText(masked)
  await expect(refused).not.toContainText(ada.email)
  expect(statuses.at(-1)).toBe(403)
  await audit(page, 'join-refused', [390, 1400])
  await page.unrouteAll()

  const says = async (text: string, status: number, picture: string) => {
    await page.goto('about:blank')
    await page.goto(path)
    await expect(page.getByRole('heading', { name: 'You can’t join with this link' })).toBeVisible()
    await expect(refused).toContainText(text)
    expect(statuses.at(-1)).toBe(status)
    await expect(button(page, 'Try again'), 'it would be the same').toHaveCount(0)
    await audit(page, picture, [390, 1400])
  }
  const change = (statement: string) =>
    changeTreasury(process.env.BURSAR_STATE!, owner.session.user.id, `${statement} WHERE id = '${member.id}'`)
  change('UPDATE member SET expires_at = 1')
  await says('This invitation is more than 14 days old. Ask the owner of the account for a new one.', 410, 'join-late')
  change(`UPDATE member SET expires_at = ${Date.now() + 60_000_000}`)
  const token = path.split('token=')[1]
  await bursar.api('/people/join', { token: await ada.accessToken(), body: { token } })
  await says('This invitation has been used already.', 409, 'join-used')
  const as = { token: await owner.accessToken() }
  await bursar.api(`/people/${member.id}`, { ...as, method: 'DELETE' })
  await says('This invitation was withdrawn. Ask the owner of the account for a new one.', 410, 'join-withdrawn')

  await page.getByRole('link', { name: 'Open your own account' }).click()
  await expect(page.getByTestId('total-balance')).toBeVisible()
  await expect(whose(page)).not.toContainText('You act for')

  // Whoever was signed in by the link of another joins with it once it is theirs.
  const theirs = await contextOf(browser.newContext(), ada, watch)
  const other = await theirs.newPage()
  await other.goto((await invite(bursar, owner, ada.email, 'viewer')).path)
  await button(other, 'Join').click()
  await expect(whose(other)).toContainText(owner.email)
  await theirs.close()
})

test('two owners who invite each other are in each other’s accounts in their roles @people-screens-11', async ({
  page,
  context,
  bursar,
}) => {
  const [ann, bob] = [await createAccount(bursar), await createAccount(bursar)]
  const tokenIn = (path: string) => ({ token: path.split('token=')[1] })
  const ofAnn = await invite(bursar, ann, bob.email, 'viewer')
  const ofBob = await invite(bursar, bob, ann.email, 'approver')
  await bursar.api('/people/join', { token: await bob.accessToken(), body: tokenIn(ofAnn.path) })

  await ann.keep(context)
  await page.goto(ofBob.path)
  await expect(page.getByRole('main')).toContainText('As approver')
  await button(page, 'Join').click()
  await expect(whose(page)).toContainText(bob.email)
  await expect(page.getByRole('heading', { name: 'Approvals' })).toBeVisible()
  await page.goto('/dashboard/people')
  const people = page.getByRole('list', { name: 'Who acts for this account' })
  await expect(people.getByRole('listitem')).toHaveCount(2)
  await expect(people.getByRole('listitem').first()).toContainText(bob.email)
  await expect(people.getByRole('listitem').nth(1)).toContainText(ann.email)
  await audit(page, 'people-each-other', [390, 1400])
  await switchTo(page, null)
  await page.goto('/dashboard/people')
  await expect(people.getByRole('listitem').first()).toContainText(ann.email)
  await expect(people.getByRole('listitem').nth(1)).toContainText(bob.email)
  await expect(button(page, `Actions for ${nameOf(bob)}`), 'their owner, not a member').toBeVisible()
})
