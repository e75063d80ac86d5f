/**
 * `npm run screenshots`: takes the pictures of the README, on a stack with the sample's month of use, and writes them to
 * docs/images. Takes about three minutes.
 */
import { mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContextOptions, chromium, type Page } from 'playwright'
import type { PolicyGroup } from '#schemas/policy.ts'
import { BursarClient } from '../../local/client.ts'
import { makeSample } from '../../local/sample/fillMonth.ts'
import { payouts } from '../../local/sample/month.ts'
import { demo } from '../../local/stack/seed.ts'
import { startStack } from '../../local/stack/stack.ts'
import { findBrowser } from '../../local/tools/browser.ts'
import { root } from '../../local/tools/runTool.ts'
import { within } from '../support/patience.ts'
import { keepSession, login } from './accounts.ts'

const folder = join(root, 'docs/images')
const phone = { viewport: { width: 390, height: 780 }, deviceScaleFactor: 2, isMobile: true }
const desktop = (height: number) => ({ viewport: { width: 1280, height }, deviceScaleFactor: 2 })

const stateDir = await mkdtemp(join(tmpdir(), 'bursar-screenshots-'))
await makeSample({ stateDir, say: console.log })
const stack = await startStack({ stateDir, quiet: true })
const bursar = new BursarClient(stack.url, stack.rpc[8453])
const session = await login(bursar, demo.email, demo.password)
const groups = await bursar.api<PolicyGroup[]>('/policy-groups', { token: session.accessToken })
const research = groups.find(({ name }) => name === 'Research')!
const waiting = payouts.find(({ ends }) => ends === 'waits')!
const [claimPath] = await bursar.message(waiting.email, /\/claim\/\S+/, 'the link of a payout that waits')

const browser = await chromium.launch({
  executablePath: await findBrowser(console.log),
  args: ['--no-sandbox', '--disable-gpu'],
})
const take = async (name: string, options: BrowserContextOptions, show: (page: Page) => Promise<void>) => {
  const context = await browser.newContext({ baseURL: stack.url, reducedMotion: 'reduce', ...options })
  await keepSession(context, session)
  const page = await context.newPage()
  // A first visit keeps the system's font (font-display: optional), the next one has Inter from the start.
  await page.goto('/login')
  await page.waitForLoadState('networkidle')
  await show(page)
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path: join(folder, `${name}.png`) })
  await context.close()
}

mkdirSync(folder, { recursive: true })
try {
  await take('overview', desktop(716), async (page) => {
    await page.goto('/dashboard/overview')
    const dismiss = page.getByRole('button', { name: 'Dismiss first steps' })
    if (await dismiss.isVisible(within(5_000))) await dismiss.click()
    await page.getByRole('region', { name: 'Recent Transactions' }).getByRole('listitem').first().waitFor()
  })
  await take('agent', desktop(1120), async (page) => {
    await page.goto(`/dashboard/agents?group=${research.id}`)
    await page
      .getByTestId('agent-row')
      .filter({ hasText: 'Scout' })
      .getByRole('button', { name: /^Scout/ })
      .click()
    await page.getByRole('tab', { name: 'TypeScript' }).waitFor()
    await page.mouse.move(0, 0)
  })
  await take('claim', phone, async (page) => {
    await page.goto(claimPath)
    await page.getByRole('heading', { name: 'Verify your identity' }).waitFor()
  })
} finally {
  await browser.close()
  await stack.stop()
  await rm(stateDir, { recursive: true, force: true })
}
