/**
 * Test id: @screens-70
 *
 * Measures when pages show what people come for, on a slow connection and a slow machine: `npm run bench:first-paint`.
 * Chromium has HTTP/2, 1.6 Mbit/s, 150 ms of latency and the CPU of a phone. The overview is opened for the first time (cold) and
 * loaded again (warm), both signed in: until the balance is shown, and until the page itself shows it, with all its widgets. A claim page is opened for the first time, as it is served and without the data that
 * come with it, which is what that saves. The median of each row has to keep its limit.
 *
 * If this machine is mostly slower than the phone (phoneSpeed.ts), the bench cannot decide, and fails.
 */
import { type Browser, type CDPSession, chromium, type Page } from '@playwright/test'
import { findBrowser } from '../../local/tools/browser.ts'
import { keepSession } from '../e2e/accounts.ts'
import { type SeededAccount, seedAccount } from '../e2e/seededAccount.ts'
import { createTestStack } from '../support/testStack.ts'
import { startHttp2Proxy } from './http2Proxy.ts'
import { slowDownToPhone } from './phoneSpeed.ts'

const bytesPerSecond = 1_600_000 / 8 // 1.6 Mbit/s
const conditions = {
  offline: false,
  latency: 150,
  downloadThroughput: bytesPerSecond,
  uploadThroughput: bytesPerSecond,
}
const rounds = 7

/** How many times slower Chromium was made, for each page. */
const slowDowns: number[] = []

/** Milliseconds from the start of the navigation. */
const limits = {
  'overview, cold': 1_400,
  'overview, warm': 400,
  'whole overview, cold': null,
  'whole overview, warm': null,
  'claim page': null,
  'claim page without data': null,
}
type Row = keyof typeof limits
const seen: Record<Row, number[]> = {
  'overview, cold': [],
  'overview, warm': [],
  'whole overview, cold': [],
  'whole overview, warm': [],
  'claim page': [],
  'claim page without data': [],
}

/** Opens a page in a browser without any cache, on the connection above. */
async function openPage(browser: Browser, url: string, account: SeededAccount | null) {
  const context = await browser.newContext({
    baseURL: url,
    ignoreHTTPSErrors: true,
    viewport: { width: 390, height: 844 },
  })
  if (account) await keepSession(context, account.session)
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', conditions)
  return { page, devtools }
}

/** Slows Chromium down to the speed of the phone. */
async function slowDown(devtools: CDPSession): Promise<void> {
  const rate = slowDownToPhone()
  slowDowns.push(rate)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: Math.max(1, rate) })
}

/** Makes each document note when elements with these test ids are first there and painted. */
const watchFor = (page: Page, ...testIds: string[]) =>
  page.addInitScript((ids) => {
    const shownAt: Record<string, number> = {}
    const left = new Set(ids)
    const observer = new MutationObserver(() => {
      for (const id of left) {
        if (!document.querySelector(`[data-testid=${id}]`)) continue
        left.delete(id)
        requestAnimationFrame(() => setTimeout(() => Object.assign(shownAt, { [id]: performance.now() })))
      }
      if (left.size === 0) observer.disconnect()
    })
    observer.observe(document, { childList: true, subtree: true })
    Object.assign(window, { shownAt })
  }, testIds)

type Shown = { shownAt: Record<string, number> }

/** When the element was painted. */
async function shownAt(page: Page, testId: string): Promise<number> {
  const handle = await page.waitForFunction((id) => (window as unknown as Shown).shownAt[id], testId)
  const ms = (await handle.jsonValue())!
  await page.waitForLoadState('networkidle')
  return ms
}

/** When the first of these elements was painted. */
const firstShownAt = (page: Page) =>
  page.evaluate(() => Math.min(...Object.values((window as unknown as Shown).shownAt)))

/** As if the page had been served without its data (web/functions/claimPage.ts). */
const withoutData = (page: Page) =>
  page.addInitScript(() => {
    new MutationObserver(() => document.getElementById('reply')?.remove()).observe(document, {
      childList: true,
      subtree: true,
    })
  })

async function measureOverview(browser: Browser, url: string, account: SeededAccount): Promise<void> {
  const { page, devtools } = await openPage(browser, url, account)
  await watchFor(page, 'first-balance', 'total-balance')
  for (const visit of ['cold', 'warm'] as const) {
    await slowDown(devtools)
    await (visit === 'cold' ? page.goto('/dashboard/overview') : page.reload())
    const whole = await shownAt(page, 'total-balance')
    seen[`overview, ${visit}`].push(await firstShownAt(page))
    seen[`whole overview, ${visit}`].push(whole)
  }
  await page.context().close()
}

async function measureClaim(browser: Browser, url: string, path: string, row: Row): Promise<void> {
  const { page, devtools } = await openPage(browser, url, null)
  await watchFor(page, 'claim-amount')
  if (row === 'claim page without data') await withoutData(page)
  await slowDown(devtools)
  await page.goto(path)
  seen[row].push(await shownAt(page, 'claim-amount'))
  await page.context().close()
}

const sorted = (values: number[]) => values.toSorted((a, b) => a - b).map(Math.round)
const median = (values: number[]) => sorted(values)[Math.floor(values.length / 2)]!

const stack = await createTestStack()
const proxy = await startHttp2Proxy(stack.url)
let browser: Browser | undefined
try {
  const account = await seedAccount(stack.bursar)
  browser = await chromium.launch({
    executablePath: await findBrowser(console.log),
    args: ['--no-sandbox', '--disable-gpu'],
  })
  for (let i = 0; i < rounds; i++) {
    await measureOverview(browser, proxy.url, account)
    await measureClaim(browser, proxy.url, account.payout.path, 'claim page without data')
    await measureClaim(browser, proxy.url, account.payout.path, 'claim page')
  }
  console.log(`1.6 Mbit/s, ${conditions.latency} ms, CPU of a phone; ${rounds} times each`)
  console.log(`${'ms'.padEnd(26)}${'median'.padStart(8)}${'limit'.padStart(8)}  each`)
  for (const row of Object.keys(limits) as Row[]) {
    const limit = limits[row]
    const middle = median(seen[row])
    const isSlow = limit !== null && middle > limit
    if (isSlow) process.exitCode = 1
    console.log(
      `${row.padEnd(26)}${String(middle).padStart(8)}${String(limit ?? '').padStart(8)}  ${sorted(seen[row]).join(' ')}${isSlow ? '  TOO SLOW' : ''}`,
    )
  }
  const isBusy = median(slowDowns) < 1
  if (isBusy) process.exitCode = 1
  const range = slowDowns.toSorted((a, b) => a - b).map((rate) => rate.toFixed(1))
  console.log(`slowed down ${range[0]} to ${range.at(-1)} times${isBusy ? ': the machine is TOO BUSY to decide' : ''}`)
} finally {
  await browser?.close()
  proxy.stop()
  await stack.stop()
}
