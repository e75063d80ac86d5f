/** People who act for somebody else's account, and its switcher on the page. */
import type { BrowserContext, Page } from '@playwright/test'
import type { Member } from '#schemas/people.ts'
import type { BursarClient } from '../../local/client.ts'
import { type Account, createAccount } from './accounts.ts'
import { button, expect } from './fixtures.ts'

export const nameOf = ({ session }: Account) => session.user.name!

/** The account's Treasury knows whose it is, as those of people who have signed up do. */
export const named = async (bursar: BursarClient, owner: Account, name = nameOf(owner)) =>
  bursar.api(`/users/${owner.session.user.id}`, { token: await owner.accessToken(), method: 'PATCH', body: { name } })

/** Invites a person. Returns the path of the link in the mail. */
export async function invite(bursar: BursarClient, owner: Account, email: string, role: string) {
  const body = { email, role, password: owner.password }
  await named(bursar, owner)
  const member = await bursar.api<Member>('/people', { token: await owner.accessToken(), body })
  const [, path] = await bursar.message(email, /https?:\/\/[^/\s]+(\/join#token=\S+)/, 'the invitation')
  return { member, path: path! }
}

/** A person who has joined the account of `owner`. */
export async function joined(bursar: BursarClient, owner: Account, role: string) {
  const person = await createAccount(bursar)
  const { member, path } = await invite(bursar, owner, person.email, role)
  const token = await person.accessToken()
  await bursar.api('/people/join', { token, body: { token: path.split('token=')[1] } })
  return { person, member }
}

export const whose = (page: Page) => page.getByRole('banner')

/** Opens another account with the menu's switcher; null for one's own. */
export async function switchTo(page: Page, owner: Account | null) {
  const isPanel = await button(page, 'Open menu').isVisible()
  if (isPanel) await button(page, 'Open menu').click()
  const name = owner ? owner.email : 'Your own account'
  await page.getByRole('list').getByRole('button', { name }).click()
  if (owner) await expect(whose(page)).toContainText(owner.email)
  else await expect(whose(page)).not.toContainText('You act for')
}

export async function contextOf(
  made: Promise<BrowserContext>,
  person: Account,
  watch: { over(context: BrowserContext): Promise<void> },
) {
  const context = await made
  await watch.over(context)
  await person.keep(context)
  return context
}

/**
 * Counts presses on the page from now on. At the document: a press that Playwright takes back, because something moved above its
 * target, is stopped at the window, and repeated.
 */
export async function countPresses(page: Page): Promise<() => number> {
  let presses = 0
  await page.exposeFunction('countPress', () => {
    presses += 1
  })
  await page.addInitScript(() => {
    const count = (event: Event) => {
      if (event.isTrusted) (globalThis as unknown as { countPress: () => void }).countPress()
    }
    document.addEventListener('pointerdown', count, true)
  })
  return () => presses
}
