/** What tests of lists and answers share: an owner of their own, a window in which the menu stays, and the file of a list. */
import { readFile } from 'node:fs/promises'
import type { BrowserContext, Page } from '@playwright/test'
import type { BursarClient } from '../../local/client.ts'
import { audit, everyWidth } from './audit.ts'
import { createOwner, type Owner } from './people.ts'

/** The menu is pinned from 1,440 px on. */
const pinned = { width: 1440, height: 900 }

export const widen = (page: Page) => page.setViewportSize(pinned)

/** A new owner, as whom the browser is signed in. */
export async function signedInOwner(context: BrowserContext, bursar: BursarClient): Promise<Owner> {
  const owner = await createOwner(bursar)
  await owner.account.keep(context)
  return owner
}

export async function openOverview(page: Page): Promise<void> {
  await widen(page)
  await page.goto('/dashboard/overview')
}

export const menuEntry = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true })

/** Audits every width, and returns to the one with the menu. */
export async function auditWidths(page: Page, name: string): Promise<void> {
  await audit(page, name, everyWidth)
  await widen(page)
}

/** The lines of the file that the list's button saves, without its header. */
export async function exported(page: Page): Promise<string[]> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  const text = await readFile(await (await download).path(), 'utf8')
  return text.trim().split('\r\n').slice(1)
}
