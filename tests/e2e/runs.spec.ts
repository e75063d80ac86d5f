/** Payout runs: from a file to everybody paid, files that can't be used, who may do what, and a thousand rows on a phone. */
import { randomUUID } from 'node:crypto'
import type { Locator, Page } from '@playwright/test'
import type { Run } from '#schemas/runs.ts'
import { until } from '../../local/client.ts'
import { within } from '../support/patience.ts'
import { audit } from './audit.ts'
import { button, expect, soon, test } from './fixtures.ts'
import { joined } from './members.ts'
import { createFundedAccount, type FundedAccount, newAddress } from './people.ts'

/** Refusals that the tests cause, whose status the browser logs. */
test.use({ tolerated: /status of (400|409|422|503)|ERR_FAILED/ })

const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })
const alert = (page: Page, name: string | RegExp) => page.getByRole('alertdialog', { name })
const rows = (page: Page): Locator =>
  page.getByRole('list', { name: 'Rows' }).getByRole('listitem').filter({ hasText: 'Line ' })
const states = (page: Page) => page.getByRole('list', { name: 'Payments by state' })
const sentence = (page: Page) => page.getByTestId('run-sentence')

type Row = [to: string, amount: string, name?: string, memo?: string, reference?: string]
const csvOf = (lines: Row[], delimiter = ',') =>
  [
    ['to', 'amount', 'name', 'memo', 'reference'],
    ...lines.map(([to, amount, name = '', memo = '', reference = '']) => [to, amount, name, memo, reference]),
  ]
    .map((cells) => cells.join(delimiter))
    .join('\r\n')
const fileOf = (csv: string, name = 'payroll.csv') => ({ name, mimeType: 'text/csv', buffer: Buffer.from(csv) })

/** A draft of these rows, all of which are checked. */
async function checkedRun({ api, wallet }: FundedAccount, title: string, csv: string): Promise<Run> {
  const { id } = await api<Run>('/runs', { title, walletId: wallet.id, csv })
  return until('all rows are checked', async () => {
    const run = await api<Run>(`/runs/${id}`)
    return run.hash !== null && run
  })
}
const submitted = async (owner: FundedAccount, title: string, csv: string) =>
  owner.api<Run>(`/runs/${(await checkedRun(owner, title, csv)).id}/submit`, {})

async function fillForm(page: Page, title: string, csv: string): Promise<void> {
  await page.getByLabel('File').setInputFiles(fileOf(csv))
  await page.getByLabel('Title').fill(title)
}

test('a file is checked, submitted, approved and paid, and each row leads to its payment @runs-60', {
  tag: '@core',
}, async ({ page, context, bursar }) => {
  const owner = await createFundedAccount(bursar)
  await owner.account.keep(context)
  await page.goto('/dashboard/runs')
  await expect(page.getByText('No runs yet')).toBeVisible()
  await audit(page, 'runs-empty')
  await page.getByRole('main').getByRole('button', { name: 'New run' }).first().click()
  const form = dialog(page, 'New run')
  await expect(form).toContainText('Up to 1,000 rows and 256 kB')
  await audit(page, 'runs-new')
  const csv = csvOf([
    [newAddress(), '1.50', 'Grace Hopper', 'Design', 'INV-1'],
    ['4.41556E+10', '5.00', 'Alan Turing'],
    [newAddress(), '2.25', 'Ada Lovelace', 'Expenses', 'INV-2'],
  ])
  await page.getByLabel('File').setInputFiles(fileOf(csv))
  await expect(form).toContainText('2 payments, 3.75 USDC; 1 row has a problem:')
  await expect(form).toContainText('Line 3: ')
  await expect(form.getByLabel('Title'), 'named after the file').toHaveValue('payroll')
  await form.getByLabel('Title').fill('Payroll November')
  await audit(page, 'runs-new-file')
  await button(page, 'Check the rows').click()

  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Payroll November')
  await expect(sentence(page)).toHaveText(
    /^2 payments, 3\.75 USDC, to 2 people; 1 row is left out; done in about/,
    soon,
  )
  await expect(rows(page)).toHaveCount(3)
  const damaged = rows(page).filter({ hasText: 'Alan Turing' })
  await expect(damaged).toContainText('Left out')
  await expect(damaged).toContainText('4.41556E+10')
  await button(page, 'Problems 1').click()
  await expect(rows(page)).toHaveCount(1)
  await expect(page).toHaveURL(/rows=problems/)
  await audit(page, 'run-draft')
  await button(page, 'All 3').click()
  await button(page, 'Submit 3.75 USDC').click()
  await expect(page.getByText('Waits for a decision')).toBeVisible(soon)
  await audit(page, 'run-waiting')
  await button(page, 'Approve 3.75 USDC').click()
  await expect(states(page)).toContainText('Paid2', within(60_000))
  await expect(page.getByRole('status').filter({ hasText: 'Approved by you. All payments have arrived.' })).toBeVisible(
    within(30_000),
  )
  await expect(rows(page).filter({ hasText: 'Grace Hopper' })).toContainText('Paid', within(15_000))
  await audit(page, 'run-done')

  const saving = page.waitForEvent('download')
  await button(page, 'Export CSV').click()
  expect((await saving).suggestedFilename()).toBe('Payroll November.csv')
  await page.getByRole('link', { name: /^View payment of line 2: Grace Hopper/ }).click()
  await expect(dialog(page, 'Transaction details')).toContainText('1.50')
  await dialog(page, 'Transaction details').getByRole('link', { name: 'View the run' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Payroll November')
  await page.getByRole('link', { name: 'Runs', exact: true }).first().click()
  await expect(page.getByRole('table', { name: 'Runs' })).toContainText('Payroll November')
  await audit(page, 'runs-list')
})

test('what can’t be used is refused before it is sent, with its line, and nothing typed is lost @runs-62', async ({
  page,
  context,
  own,
  watch,
}) => {
  await own.account.keep(context)
  const form = dialog(page, 'New run')
  await test.step('while a file is read nothing can be submitted, and an empty one says so @runs-72', async () => {
    const read = Promise.withResolvers<void>()
    await page.route('**/assets/read-*.js', async (route) => {
      await read.promise
      await route.continue()
    })
    await page.goto('/dashboard/runs?create=true')
    await page.getByLabel('File').setInputFiles(fileOf(csvOf([[newAddress(), '1']])))
    await expect(page.getByLabel('Title'), 'suggested before the file is read').toHaveValue('payroll')
    await expect(page.getByLabel('Source wallet')).not.toHaveValue('')
    await expect(button(page, 'Check the rows')).toBeDisabled()
    read.resolve()
    await expect(button(page, 'Check the rows')).toBeEnabled()
    await button(page, 'Remove file').click()
    await page.getByLabel('File').setInputFiles(fileOf('\r\n'))
    await expect(form).toContainText('payroll.csv: The file is empty.')
    await page.getByLabel('Title').fill('')
    await page.getByLabel('File').setInputFiles(fileOf('\r\n'))
    await expect(page.getByLabel('Title'), 'that of a refused file').toHaveValue('')
  })
  const zip = { name: 'payroll.xlsx', mimeType: 'application/zip', buffer: Buffer.from('PK\u0003\u0004rest') }
  await page.getByLabel('Title').fill('Bonus')
  await page.getByLabel('File').setInputFiles(zip)
  await expect(form).toContainText('payroll.xlsx: This is a spreadsheet, not a CSV file. Save it as CSV')
  await audit(page, 'runs-new-spreadsheet')
  await page.getByLabel('File').setInputFiles(
    fileOf(
      csvOf([
        [newAddress(), '1'],
        ['"Ada', '2'],
      ]),
    ),
  )
  await expect(form).toContainText('Line 3: A quote')
  await button(page, 'Check the rows').click()
  await expect(form).toContainText('Line 3: A quote')
  await button(page, 'Remove file').click()
  await page.getByLabel('File').setInputFiles(fileOf('x'.repeat(600_000)))
  await expect(form).toContainText('larger than 256 kB')
  await button(page, 'Paste rows instead').click()
  await page.getByRole('textbox', { name: 'Rows' }).fill('to\tamount\nada@bursar.test\t0.50')
  await expect(form).toContainText('1 payment, 0.50 USDC')
  await audit(page, 'runs-new-pasted')
  expect(
    watch.requests.filter((url) => /api\/runs$/.test(url)),
    'the list alone',
  ).toHaveLength(0)
  const lost = Promise.withResolvers<void>()
  await page.route('**/api/runs', async (route) => {
    lost.resolve()
    await route.abort()
  })
  await button(page, 'Check the rows').click()
  await lost.promise
  await expect(form).toContainText('It is not known whether the run was made. Try again: it is made once.')
  await page.unroute('**/api/runs')
  await button(page, 'Try again').click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Bonus')

  await test.step('the same file leads to its run, or is paid again after a second look @runs-61', async () => {
    const csv = csvOf([[newAddress(), '1']])
    const first = await checkedRun(own, 'Rent', csv)
    await page.goto('/dashboard/runs?create=true')
    await fillForm(page, 'Rent once more', csv)
    await button(page, 'Check the rows').click()
    const same = alert(page, 'These rows are a run already')
    await expect(same).toContainText('“Rent”')
    await audit(page, 'runs-same')
    await button(page, 'Back').click()
    await expect(page.getByLabel('Title'), 'nothing typed is lost').toHaveValue('Rent once more')
    await expect(dialog(page, 'New run')).toContainText('payroll.csv')
    await button(page, 'Check the rows').click()
    await expect(same.getByRole('link', { name: 'Open that run' })).toHaveAttribute(
      'href',
      `/dashboard/runs/${first.id}`,
    )
    await button(page, 'Pay these rows again').click()
    await expect(alert(page, 'Pay these rows again?')).toContainText('a second time')
    await audit(page, 'runs-again')
    await button(page, 'Make another run').click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Rent once more')
    await expect(page).not.toHaveURL(first.id)
  })
})

test('a thousand rows scroll and are filtered on a phone @runs-63', async ({ page, context, own }) => {
  const lines = Array.from(
    { length: 1_000 },
    (_, i): Row => [newAddress(), i % 250 === 7 ? '1,5' : '0.10', `Person ${i + 1}`],
  )
  const quoted = lines.map(([to, amount, name = '']): Row => [to, `"${amount}"`, name])
  const run = await checkedRun(own, 'A thousand', csvOf(quoted))
  expect([run.total.rows, run.leftOut]).toEqual([996, 4])
  await own.account.keep(context)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`/dashboard/runs/${run.id}`)
  await expect(rows(page)).toHaveCount(200, within(20_000))
  await page.mouse.move(195, 400)
  for (const count of [400, 600, 800, 1_000]) {
    await rows(page).last().scrollIntoViewIfNeeded()
    await expect.poll(() => rows(page).count(), within(15_000)).toBeGreaterThanOrEqual(count)
  }
  const last = rows(page).last()
  await expect(last).toContainText('Person 1000')
  await expect(async () => {
    await last.scrollIntoViewIfNeeded() // rows on the way get their height
    await expect(last).toBeInViewport(within(1_000))
  }).toPass()
  await expect(button(page, 'Submit 99.60 USDC'), 'within reach of the thumb, wherever one is').toBeInViewport()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await button(page, 'Problems 4').click()
  await expect(rows(page)).toHaveCount(4)
  await expect(rows(page).first()).toContainText('Write 1.5')
  await button(page, 'Warnings 996').click()
  await expect(rows(page).first()).toContainText('first payment')
})

test('a preparer makes a run, an approver finds and decides it, a viewer reads it @runs-64', async ({
  page,
  context,
  browser,
  bursar,
  watch,
}) => {
  const owner = await createFundedAccount(bursar)
  const accountId = owner.account.session.user.id
  const open = async (role: string, path: string) => {
    const { person } = await joined(bursar, owner.account, role)
    const theirs =
      role === 'preparer'
        ? context
        : await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 390, height: 844 } })
    if (theirs !== context) await watch.over(theirs)
    await person.keep(theirs)
    const tab = theirs === context ? page : await theirs.newPage()
    await tab.goto(`${path}?account=${accountId}`)
    await button(tab, /^Open in/).click()
    await expect(tab.getByRole('banner')).toContainText(owner.account.email)
    return tab
  }
  const maker = await open('preparer', '/dashboard/runs')
  await expect(maker.getByText('No runs yet')).toBeVisible()
  await maker.getByRole('main').getByRole('button', { name: 'New run' }).click()
  await fillForm(
    maker,
    'Freelancers',
    csvOf([
      [newAddress(), '3'],
      ['ada@bursar.test', '1.25', 'Ada'],
    ]),
  )
  await button(maker, 'Check the rows').click()
  await button(maker, 'Submit 4.25 USDC').click()
  await expect(maker.getByText('It waits for its owner or an approver.')).toBeVisible(soon)
  await expect(button(maker, /^Approve/)).toHaveCount(0)
  await expect(button(maker, 'Cancel run')).toBeVisible()
  const path = new URL(maker.url()).pathname

  const viewer = await open('viewer', path)
  await expect(sentence(viewer)).toContainText('2 payments, 4.25 USDC')
  for (const name of [/^Approve/, 'Deny', 'Cancel run', /^Submit/]) await expect(button(viewer, name)).toHaveCount(0)
  await viewer.getByRole('link', { name: 'Runs', exact: true }).click()
  await expect(viewer.getByRole('table', { name: 'Runs' })).toBeVisible()
  await expect(button(viewer, 'New run')).toHaveCount(0)
  await viewer.context().close()

  const approver = await open('approver', '/dashboard/approvals')
  await audit(approver, 'approvals-runs', [390])
  await approver.getByRole('link', { name: 'Decide: Freelancers, 4.25 USDC' }).click()
  await expect(button(approver, 'Cancel run')).toHaveCount(0)
  await button(approver, 'Deny').click()
  await dialog(approver, 'Deny this run?').getByLabel('Reason (optional)').fill('Ada left in October')
  await audit(approver, 'run-deny', [390])
  await approver.keyboard.press('Escape')
  await button(approver, 'Approve 4.25 USDC').click()
  await expect(states(approver)).toContainText(/Paid1.*Awaiting Claim1/, within(60_000))
  await approver.context().close()
  await expect(maker.getByRole('status').filter({ hasText: 'Approved by' })).toBeVisible(within(15_000))
})

test('a run is cancelled, its rows are paid by another one, which repeats @runs-65', async ({
  page,
  context,
  bursar,
}) => {
  const owner = await createFundedAccount(bursar)
  const run = await submitted(
    owner,
    'Prizes',
    csvOf([
      [newAddress(), '1'],
      [newAddress(), '2'],
    ]),
  )
  await owner.account.keep(context)
  await page.goto(`/dashboard/runs/${run.id}`)
  await button(page, 'Cancel run').click()
  await expect(alert(page, 'Cancel this run?')).toContainText('Nothing of “Prizes” is paid')
  await audit(page, 'run-cancel')
  await alert(page, 'Cancel this run?').getByRole('button', { name: 'Cancel run' }).click()
  await expect(page.getByText('Cancelled. Nothing was paid.')).toBeVisible(soon)
  const late = Promise.withResolvers<void>()
  await page.route('**/api/wallets', (route) => late.promise.then(() => route.continue()))
  await page.reload()
  await button(page, 'Start again with 2 rows').click()
  await page.getByLabel('Title').press('Tab')
  await page.keyboard.press('Tab')
  late.resolve()
  await expect(page.getByLabel('Title')).toHaveValue('Prizes, again')
  await audit(page, 'run-pay-again')
  await button(page, 'Check the rows').click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Prizes, again')
  await expect(page.getByRole('link', { name: 'Prizes', exact: true }), 'what it was made from').toBeVisible()
  await button(page, 'Submit 3.00 USDC').click()
  await button(page, 'Approve 3.00 USDC').click()
  await button(page, 'Repeat').click()
  await dialog(page, 'Repeat this run').getByLabel('How many times').fill('13')
  await dialog(page, 'Repeat this run').getByRole('button', { name: 'Repeat' }).click()
  await expect(dialog(page, 'Repeat this run')).toContainText('Please enter a number from 1 to 12')
  await audit(page, 'run-repeat')
  await dialog(page, 'Repeat this run').getByLabel('How many times').fill('3')
  await dialog(page, 'Repeat this run').getByRole('button', { name: 'Repeat' }).click()
  await expect(page.getByRole('main')).toContainText('every month, 3 more times', soon)
  await button(page, 'End repeating').click()
  await alert(page, 'End repeating?').getByRole('button', { name: 'End repeating' }).click()
  await expect(button(page, 'Repeat')).toBeVisible(soon)
})

test('a decision that comes late says what was decided, and why; a run that nobody decides about expires @runs-71', async ({
  page,
  context,
  bursar,
}) => {
  const owner = await createFundedAccount(bursar)
  const [late, denied] = [
    await submitted(owner, 'Bonus', csvOf([[newAddress(), '1']])),
    await submitted(owner, 'Prizes', csvOf([[newAddress(), '2']])),
  ]
  const deny = ({ id, hash }: Run, reason: string) => owner.api(`/runs/${id}/deny`, { hash, reason })
  await owner.account.keep(context)
  await page.goto('/dashboard/overview')
  await expect(page.getByText('2 requests wait for your approval.')).toBeVisible()
  await page.getByRole('link', { name: 'Review' }).click()
  await page.getByRole('link', { name: 'Decide: Bonus, 1.00 USDC' }).click()
  await expect(button(page, 'Approve 1.00 USDC')).toBeVisible()
  await page.route('**/api/runs/*/approve', async (route) => {
    await deny(late, 'Wrong month')
    await route.continue()
  })
  await button(page, 'Approve 1.00 USDC').click()
  await expect(page.getByText('Denied by you. Nothing was paid.')).toBeVisible(soon)
  await expect(page.getByRole('main')).toContainText('Wrong month')
  await expect(button(page, /^Approve/)).toHaveCount(0)
  await audit(page, 'run-denied')

  await page.route(`**/api/runs/${denied.id}`, (route) =>
    route.fulfill({ json: { success: true, data: { ...denied, status: 'EXPIRED', endedAt: denied.expiresAt } } }),
  )
  await page.goto(`/dashboard/runs/${denied.id}`)
  await expect(page.getByText('Nobody decided in time. Nothing was paid.')).toBeVisible()
  await expect(button(page, /^(Approve|Deny|Cancel run)/)).toHaveCount(0)
  await audit(page, 'run-expired')
})

test('stopping says what is still paid, and leaves the rest to another run @runs-66', async ({
  page,
  context,
  bursar,
}) => {
  const owner = await createFundedAccount(bursar)
  const csv = csvOf(Array.from({ length: 200 }, (): Row => [newAddress(), '0.10']))
  const run = await submitted(owner, 'Two hundred', csv)
  await owner.account.keep(context)
  await page.goto(`/dashboard/runs/${run.id}`)
  await button(page, 'Approve 20.00 USDC').click()
  await button(page, 'Stop').click()
  const asking = alert(page, 'Stop this run?')
  await expect(asking).toContainText(/still be paid|No payment is on its way/)
  await expect(asking).toContainText('can be spent again')
  await asking.getByRole('button', { name: 'Stop run' }).click()
  await expect(page.getByRole('main')).toContainText('Stopped. Rows that were still waiting are not paid.', soon)
  await expect(states(page)).toContainText('Not paid: stopped')
  await expect(button(page, /^Pay \d+ failed rows again$/)).toBeVisible(within(30_000))
  await audit(page, 'run-stopped')
})

test('a run says how far its check is, why it waits, why it can’t be approved, and asks for the password @runs-67', async ({
  page,
  context,
  own,
}) => {
  const run = await submitted(
    own,
    'Replies',
    csvOf([
      [newAddress(), '1'],
      [newAddress(), '2', 'Grace', 'Memo', randomUUID()],
    ]),
  )
  let reply: Partial<Run> = { status: 'DRAFT', hash: null, checked: 1, sentence: null, wouldPass: null }
  await page.route(`**/api/runs/${run.id}`, (route) =>
    route.fulfill({ json: { success: true, data: { ...run, ...reply } } }),
  )
  await own.account.keep(context)
  await page.goto(`/dashboard/runs/${run.id}`)
  await expect(page.getByRole('progressbar', { name: '1 of 2 rows checked' })).toBeVisible()
  await audit(page, 'run-checking')

  reply = {
    wouldPass: {
      ok: false,
      code: 'insufficient_funds',
      message: 'The wallet has 1.00 USDC. This run needs 3.00 USDC.',
    },
  }
  await page.reload()
  await expect(page.getByText('Can’t be approved now: The wallet has 1.00 USDC.')).toBeVisible()
  await expect(button(page, /^Approve/)).toHaveCount(0)
  await audit(page, 'run-refused')

  reply = { needsPassword: true }
  await page.reload()
  await button(page, 'Approve 3.00 USDC').click()
  await expect(dialog(page, 'Approve 3.00 USDC').getByLabel('Password', { exact: true })).toBeVisible()
  await audit(page, 'run-password')
  await page.keyboard.press('Escape')

  const sum = (count: number, amount: string) => ({ rows: count, amount })
  const wait = { code: 'message_limit', message: 'Today’s 200 emails are used up.', until: '2026-11-30T00:00:00.000Z' }
  reply = {
    status: 'RUNNING',
    wouldPass: null,
    sentence: null,
    waitsFor: wait,
    waiting: sum(1, '2'),
    paid: sum(1, '1'),
  }
  await page.reload()
  await expect(page.getByText('Today’s 200 emails are used up. The run goes on by itself on')).toBeVisible()
  await expect(states(page)).toContainText(/Paid1.*Waiting1/)
  await audit(page, 'run-paying')

  await context.setOffline(true)
  await expect(page.getByText('You are offline.')).toBeVisible()
  await expect(button(page, 'Stop')).toBeDisabled()
  await context.setOffline(false)
  await page.route(`**/api/runs/${run.id}`, (route) =>
    route.fulfill({
      status: 503,
      json: { success: false, error: 'Bursar is updating.', code: 'upstream_unavailable' },
    }),
  )
  await page.reload()
  await expect(page.getByText('Bursar is updating.')).toBeVisible(within(30_000))
  await audit(page, 'run-error')
})

test('print has all rows and nothing around them @runs-68', async ({ page, context, own }) => {
  const lines = Array.from({ length: 250 }, (_, i): Row => [newAddress(), '0.10', `Person ${i + 1}`])
  const run = await checkedRun(own, 'On paper', csvOf(lines))
  await own.account.keep(context)
  await page.addInitScript(() => {
    globalThis.print = () => document.body.setAttribute('data-printed', '')
  })
  await page.goto(`/dashboard/runs/${run.id}`)
  await expect(rows(page)).toHaveCount(200)
  await button(page, 'Print').click()
  await expect(page.locator('body[data-printed]')).toBeVisible()
  await expect(rows(page)).toHaveCount(250)
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByRole('banner')).toBeHidden()
  await expect(button(page, 'Print')).toBeHidden()
  await expect(rows(page).last()).toBeVisible()
  await page.emulateMedia({ media: 'screen' })
})

test('a mended file replaces its draft @runs-69', async ({ page, context, bursar }) => {
  const owner = await createFundedAccount(bursar)
  const [grace, alan] = [newAddress(), newAddress()]
  const draft = await checkedRun(
    owner,
    'Mended',
    csvOf([
      [grace, '1'],
      [alan, '1;5'],
    ]),
  )
  await owner.account.keep(context)
  await page.goto(`/dashboard/runs/${draft.id}`)
  await page.getByRole('link', { name: 'upload it in place of this draft' }).click()
  await expect(dialog(page, 'New run')).toContainText('The draft “Mended” is cancelled once this run is made')
  await expect(page.getByLabel('Title')).toHaveValue('Mended')
  await page.getByLabel('File').setInputFiles(
    fileOf(
      csvOf([
        [grace, '1'],
        [alan, '1.5'],
      ]),
    ),
  )
  await expect(dialog(page, 'New run')).toContainText('2 payments, 2.50 USDC')
  await button(page, 'Check the rows').click()
  await expect(sentence(page)).toContainText('2 payments, 2.50 USDC', soon)
  await expect.poll(async () => (await owner.api<Run>(`/runs/${draft.id}`)).status).toBe('CANCELLED')
})

test('a bookkeeper pays sixty people, ten of them by mail, from a file with five faults @runs-70', async ({
  page,
  context,
  bursar,
}) => {
  const owner = await createFundedAccount(bursar)
  await owner.account.keep(context)
  const people = Array.from({ length: 60 }, (_, i): Row => {
    const name = `Person ${i + 1}`
    return [i < 10 ? `person${i}@bursar.test` : newAddress(), '1.50', name, 'November', `PAY-${i + 1}`]
  })
  const faults: Record<number, Partial<Row>> = {
    ...{
      3: ['person3@bursar'],
      12: ['4.41556E+10'],
      25: [people[25]![0], '1.234,56'],
      40: [people[40]![0].slice(0, -1)],
    },
    ...{ 51: [people[51]![0], ''] },
  }
  const damaged = people.map((row, i): Row => [...(faults[i] ?? []), ...row.slice(faults[i]?.length ?? 0)] as Row)
  // As spreadsheets of half of Europe save it.
  const semicolons = (lines: Row[]) => `\ufeff${csvOf(lines, ';')}`

  await page.goto('/dashboard/overview')
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Runs' }).click()
  await button(page, 'New run').click()
  await page.getByLabel('File').setInputFiles(fileOf(semicolons(damaged), 'November.csv'))
  await expect(dialog(page, 'New run')).toContainText('55 payments, 82.50 USDC; 5 rows have a problem:')
  await button(page, 'Check the rows').click()
  await expect(sentence(page)).toContainText(
    '55 payments, 82.50 USDC, to 55 people; 5 rows are left out',
    within(30_000),
  )
  await button(page, 'Problems 5').click()
  await expect(rows(page)).toHaveCount(5)
  await audit(page, 'run-faults')
  await page.getByRole('link', { name: 'upload it in place of this draft' }).click()
  await page.getByLabel('File').setInputFiles(fileOf(semicolons(people), 'November.csv'))
  await expect(dialog(page, 'New run')).toContainText('60 payments, 90.00 USDC')
  await button(page, 'Check the rows').click()
  await expect(sentence(page)).toContainText('60 payments, 90.00 USDC, to 60 people', within(30_000))
  await button(page, 'Submit 90.00 USDC').click()
  await button(page, 'Approve 90.00 USDC').click()
  await expect(states(page)).toContainText(/Paid50.*Awaiting Claim10/, within(90_000))
})
