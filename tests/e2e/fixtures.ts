/** What every browser test stands on: a client of the API, a furnished account, and a watch over the browser. */
import { setTimeout } from 'node:timers/promises'
import { type BrowserContext, test as base, expect } from '@playwright/test'
import { BursarClient } from '../../scripts/demoClient.ts'
import { keepSession } from './accounts.ts'
import type { Household } from './household.ts'
import { anOwner, aPayer, type Owner, type Payer } from './people.ts'

export { expect }

type Watch = {
  /** Watches another context as the test's own is watched. */
  over(context: BrowserContext): Promise<void>
  /** Every URL asked for so far. */
  requests: string[]
}

export const test = base.extend<
  { tolerated: RegExp | null; watch: Watch },
  // Of one kind for all files: a test that needs others would start a browser of its own for them.
  { bursar: BursarClient; household: Household; own: Payer; owner: Owner }
>({
  /** Console errors that a test brings about on purpose, such as a refusal's status. */
  tolerated: [null, { option: true }],

  /** Fails the test on any console error, uncaught error, breach of the content security policy, or foreign request. */
  watch: [
    async ({ context, tolerated, baseURL }, use) => {
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
      expect(problems.filter((problem) => !tolerated?.test(problem))).toEqual([])
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

  household: [
    // biome-ignore lint/correctness/noEmptyPattern: as above
    async ({}, use) => {
      await use(JSON.parse(process.env.BURSAR_HOUSEHOLD!))
    },
    { scope: 'worker' },
  ],

  own: [async ({ bursar }, use) => use(await aPayer(bursar)), { scope: 'worker' }],

  owner: [async ({ bursar }, use) => use(await anOwner(bursar)), { scope: 'worker', timeout: 90_000 }],
})

/** By chance what is asked for comes late, or its answer does: tests that take an order for granted fail. */
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

/** As the demo user, whose session all tests share: who signs out takes a session of their own. */
export async function beSignedIn(context: BrowserContext, household: Household): Promise<void> {
  await keepSession(context, household.session)
}
