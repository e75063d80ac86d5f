/** Fixtures of every browser test: a client of the API, an account with data, and checks of the browser's errors. */
import { setTimeout } from 'node:timers/promises'
import '../support/connections.ts'
import { type BrowserContext, test as base, expect, type Page, type TestInfo } from '@playwright/test'
import { BursarClient } from '../../local/client.ts'
import { within } from '../support/patience.ts'
import { type Account, createAccount, keepSession, withFreshSession } from './accounts.ts'
import { createFundedAccount, createOwner, type FundedAccount, type Owner } from './people.ts'
import type { SeededAccount } from './seededAccount.ts'

export { expect }

/** After anything a person does, each page shows its result within three seconds. Measured by tests of promised times only. */
export const soon = process.env.PROMISED_TIMES ? { timeout: 3_000 } : within(15_000)
/** For what waits for blocks. */
export const onChain = within(45_000)

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

type Watch = {
  /** Applies the same checks to another context. */
  over(context: BrowserContext): Promise<void>
  /** Every URL requested so far. */
  requests: string[]
}

export const test = base.extend<
  { tolerated: RegExp | null; watch: Watch; seeded: SeededAccount },
  // The same for all files: Playwright starts another browser for a test with other fixtures of a worker.
  { bursar: BursarClient; own: FundedAccount; owner: Owner }
>({
  /** Console errors that a test causes on purpose, such as a refusal's status. */
  tolerated: [null, { option: true }],

  /** Fails the test on any console error, uncaught error, breach of the content security policy, or foreign request. */
  watch: [
    async ({ context, tolerated, baseURL }, use, info) => {
      const problems: string[] = []
      const requests: string[] = []
      const over = async (watched: BrowserContext) => {
        watched.on('console', (message) => {
          if (message.type() === 'error') problems.push(`console: ${message.text()}`)
        })
        watched.on('weberror', (error) => problems.push(`uncaught: ${error.error()}`))
        watched.on('request', (request) => {
          requests.push(request.url())
          if (/^(http|ws)/.test(request.url()) && new URL(request.url()).origin !== baseURL)
            problems.push(`foreign request: ${request.url()}`)
        })
        await watched.addInitScript(() => {
          addEventListener('securitypolicyviolation', (event) => {
            console.error(
              `CSP ${event.violatedDirective}: ${event.blockedURI} at ${event.sourceFile}:${event.lineNumber}`,
            )
          })
        })
      }
      await over(context)
      if (process.env.LATE_ANSWERS) await delayAnswers(context)
      await use({ over, requests })
      if (info.error) await attachPictures(context, info)
      await context.clearPermissions()
      const unexpected = problems.filter((problem) => !tolerated?.test(problem))
      await stopRoutes(context)
      expect(unexpected).toEqual([])
      for (const page of context.pages()) await leave(page)
    },
    { auto: true },
  ],

  bursar: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the dependencies from the pattern
    async ({}, use) => {
      await use(new BursarClient(process.env.BURSAR_URL!, process.env.BURSAR_RPC!))
    },
    { scope: 'worker' },
  ],

  seeded: async ({ bursar }, use) => {
    await use(await withFreshSession(bursar, JSON.parse(process.env.BURSAR_SEEDED!) as SeededAccount))
  },

  own: [async ({ bursar }, use) => use(await createFundedAccount(bursar)), { scope: 'worker' }],

  owner: [async ({ bursar }, use) => use(await createOwner(bursar)), { scope: 'worker', ...within(90_000) }],
})

/** Ends the handlers of a test's routes: one that waits for a reply when the test ends would fail it. */
async function stopRoutes(context: BrowserContext): Promise<void> {
  for (const routed of [...context.pages(), context]) await routed.unrouteAll({ behavior: 'ignoreErrors' })
}

/** Leaves the page as the next test may use it. */
async function leave(page: Page): Promise<void> {
  // Playwright removes the scripts of a test's clock, but Chromium has run some of them once more in the next document.
  if (await page.evaluate(() => '__pwClock' in globalThis).catch(() => true)) return page.close()
  // A pending navigation would interrupt the one with which Playwright begins the next test.
  await page.goto('about:blank').catch(() => page.goto('about:blank'))
}

/** Attaches a screenshot of each page to the report of the failure. */
async function attachPictures(context: BrowserContext, info: TestInfo): Promise<void> {
  for (const [index, page] of context.pages().entries()) {
    const path = info.outputPath(`page-${index + 1}.png`)
    await page.screenshot({ path })
    await info.attach(`page ${index + 1}`, { path, contentType: 'image/png' })
  }
}

/** Delays requests or their responses at random: a test that relies on their order fails. */
const delayAnswers = (context: BrowserContext) =>
  context.route('**/*', async (route) => {
    const ofApi = new URL(route.request().url()).pathname.startsWith('/api/')
    const chance = Math.random()
    const late = () => setTimeout(ofApi ? (chance < 0.6 ? chance * 1000 : chance * 2700) : chance * 150)
    try {
      if (ofApi && Math.random() < 0.5) {
        const response = await route.fetch()
        await late()
        await route.fulfill({ response })
      } else {
        await late()
        await route.continue()
      }
    } catch {
      // The page is gone.
    }
  })

/** Tests that begin signed in as `own`. */
export const testAsPayer = test.extend<{ signedIn: undefined }>({
  signedIn: [
    async ({ context, own }, use) => {
      await own.account.keep(context)
      await use(undefined)
    },
    { auto: true },
  ],
})

/** Tests that begin signed in as `owner`. */
export const testAsOwner = test.extend<{ signedIn: undefined }>({
  signedIn: [
    async ({ context, owner }, use) => {
      await owner.account.keep(context)
      await use(undefined)
    },
    { auto: true },
  ],
})

/** Tests that begin signed in as a new user, whom no other test uses. */
export const testAsNewUser = test.extend<{ account: Account }>({
  account: [
    async ({ context, bursar }, use) => {
      const account = await createAccount(bursar)
      await account.keep(context)
      await use(account)
    },
    { auto: true },
  ],
})

/** As the demo user, whose session all tests share: a test that signs out needs another session. */
export async function beSignedIn(context: BrowserContext, seeded: SeededAccount): Promise<void> {
  await keepSession(context, seeded.session)
}
