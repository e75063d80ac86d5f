/** Files for accountants and auditors: the dialog with the bank statements, and the log with the program that verifies it. */
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { audit } from './audit.ts'
import { expect, test } from './fixtures.ts'
import { auditWidths, signedInOwner, widen } from './listPages.ts'

const program = join(import.meta.dirname, '../../docs/verify-log.mjs')

/** The file that the button saves. */
async function saved(page: Page, name: string) {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name, exact: true }).click()
  const file = await download
  return { name: file.suggestedFilename(), path: await file.path(), text: await readFile(await file.path(), 'utf8') }
}

test('saves a bank statement of days that have ended, and says when it is too long for its program @books-8', async ({
  page,
  context,
  bursar,
}) => {
  await signedInOwner(context, bursar)
  await widen(page)
  await page.goto('/dashboard/transactions')
  const open = page.getByRole('button', { name: 'For accounting' })
  await open.click()
  const dialog = page.getByRole('dialog', { name: 'Export for accounting' })
  const [first, last] = [dialog.getByLabel('First day'), dialog.getByLabel('Last day')]
  await expect(dialog.getByRole('radio', { name: 'Xero' })).toBeChecked()
  await audit(page, 'books', [390, 820, 1400])
  await widen(page)

  const [from, to] = [await first.inputValue(), await last.inputValue()]
  expect([from.slice(-2), from.slice(0, 7)]).toEqual(['01', to.slice(0, 7)])
  await last.fill('2099-12-31')
  await expect(dialog).toContainText('This day has not ended.')
  await expect(dialog.getByRole('button', { name: 'Export' })).toHaveAttribute('aria-disabled', 'true')
  await audit(page, 'books-open-day')
  await widen(page)
  await last.fill(to)
  const xero = await saved(page, 'Export')
  expect(xero.name).toBe(`bursar-xero-${from}-to-${to}.csv`)
  expect(xero.text).toBe('*Date,*Amount,Payee,Description,Reference\r\n')
  await expect(dialog).toBeHidden()

  await open.click()
  await page.route(/\/api\/transactions\/books/, (route) => {
    const query = new URL(route.request().url()).searchParams
    expect(Object.fromEntries(query)).toMatchObject({ format: 'quickbooks', days: `${from}..${to}` })
    const line = `11/03/2026,${'x'.repeat(80)},1.00\r\n`
    return route.fulfill({ contentType: 'text/csv', body: `Date,Description,Amount\r\n${line.repeat(4_000)}` })
  })
  await dialog.getByRole('radio', { name: 'QuickBooks Online' }).check()
  expect((await saved(page, 'Export')).name).toBe(`bursar-quickbooks-${from}-to-${to}.csv`)
  await expect(dialog.getByRole('alert')).toContainText('It has 393 kB, and QuickBooks takes 350 at a time')
  await audit(page, 'books-too-long', [390, 820, 1400])
})

test('saves the whole log, which a program without Bursar verifies @exports-4', async ({ page, context, bursar }) => {
  const owner = await signedInOwner(context, bursar)
  await owner.group('Marketing')
  await page.goto('/dashboard/changes')
  await expect(page.getByRole('list', { name: 'All changes' })).toContainText('Marketing')
  await auditWidths(page, 'log')
  const { name, path, text } = await saved(page, 'Export log')
  expect(name).toBe('bursar-log.jsonl')
  expect(text).toContain('"event":"group.created"')
  const { status, stdout } = spawnSync(process.execPath, [program, path], { encoding: 'utf8' })
  expect([status, stdout]).toEqual([0, expect.stringContaining('none was changed')])
})
