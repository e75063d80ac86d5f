/** A run that an agent prepared, on the phone of the person who decides. */
import { agentAt } from '../support/agentCalls.ts'
import { within } from '../support/patience.ts'
import { audit } from './audit.ts'
import { expect, soon, test } from './fixtures.ts'
import { createOwner, newAddress } from './people.ts'

test('who prepared a run is said, and one press by the owner submits and approves it @runs-87', async ({
  page,
  context,
  bursar,
}) => {
  const owner = await createOwner(bursar)
  const scopes = ['address_payments:write', 'payout_runs:prepare']
  const group = await owner.group('Payroll', { scopes })
  const { apiKey } = await owner.agent(group, 'Payroll bot')
  const agent = agentAt(bursar.url, apiKey!)
  const rows = Array.from({ length: 40 }, (_, i) => ({ to: newAddress(), amount: '0.5', reference: `S-${i}` }))
  const faulty = rows.map((row, i) => (i % 13 === 0 && i > 0 ? { ...row, amount: '1,50' } : row))
  const first = await agent.prepareRun({ title: 'Salaries', rows: faulty })
  expect(first.left_out).toBe(3)
  const run = await agent.prepareRun({ title: 'Salaries', rows, replaces: first.id })
  expect(run.url).toContain(`/dashboard/runs/${run.id}`)

  await page.setViewportSize({ width: 390, height: 844 })
  await owner.account.keep(context)
  // A page that says that nothing waits, and then shows what does, is not believed.
  await page.addInitScript(() => {
    const look = () => {
      const text = document.body?.textContent ?? ''
      if (text.includes('No requests from agents') && !text.includes('Runs that wait'))
        document.documentElement.dataset.early = 'true'
    }
    new MutationObserver(look).observe(document, { subtree: true, childList: true })
  })
  const late = Promise.withResolvers<void>()
  await page.route('**/api/runs?status=open', (route) => late.promise.then(() => route.continue()), { times: 1 })
  const requests = page.waitForResponse('**/api/approvals*')
  await page.goto('/dashboard/approvals')
  await (await requests).finished()
  await expect(page.getByRole('main').getByLabel('Loading')).toBeVisible()
  late.resolve()
  const listed = page.getByRole('list', { name: 'Runs that wait' })
  await expect(listed).toContainText('40 payments to 40 people, prepared by the agent Payroll bot')
  await expect(page.locator('html')).not.toHaveAttribute('data-early')
  await listed.getByRole('link').click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Salaries')
  await expect(page.getByRole('main')).toContainText('by the agent Payroll bot')
  await audit(page, 'run-prepared')
  await expect(page.getByRole('button', { name: 'Submit', exact: false })).toHaveCount(0)
  await page.getByRole('button', { name: 'Approve 20.00 USDC' }).click()
  await expect(page.getByRole('main')).toContainText('Approved by you', soon)
  await expect(page.getByRole('list', { name: 'Payments by state' })).toContainText(/Paid\s*40/, within(90_000))
  const done = () => agent.runs.get(run.id).then(({ status, progress }) => [status, progress.paid])
  await expect.poll(done, within(90_000)).toEqual(['DONE', 40])
})
