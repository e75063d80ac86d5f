/**
 * Test id: @pages-1
 *
 * Runs Lighthouse, as on a phone, on the pages that people see before they sign in: `npm run bench:lighthouse`. Each page is
 * measured three times on the bench's own stack, and the median of each category has to reach its floor. If this machine is
 * mostly slower than the phone (phoneSpeed.ts), the bench cannot decide, and fails. Keeps the reports in LIGHTHOUSE_DIR if it is set.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findBrowser } from '../../local/tools/browser.ts'
import { createFundedWallet, createPayout, createTestStack, signIn } from '../support/testStack.ts'
import { startHttp2Proxy } from './http2Proxy.ts'
import { slowDownToPhone } from './phoneSpeed.ts'

const floors = { performance: 95, accessibility: 100, 'best-practices': 100 } as const
type Category = keyof typeof floors
const categories = Object.keys(floors) as Category[]
const runsPerPage = 3

const folder = join(import.meta.dirname, 'lighthouse')
const runFile = promisify(execFile)

type Report = {
  runtimeError?: { message: string }
  categories: Record<Category, { score: number | null; auditRefs: { id: string; weight: number }[] }>
  audits: Record<string, { title: string; score: number | null; scoreDisplayMode: string; displayValue?: string }>
}

/** How many times slower Chromium was made, for each page. */
const slowDowns: number[] = []

/** Runs `npm ci` unless it was run since the lockfile changed. */
async function install(): Promise<void> {
  const installed = join(folder, 'node_modules/.package-lock.json')
  const isCurrent =
    existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(folder, 'package-lock.json')).mtimeMs
  if (!isCurrent) await runFile('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
}

async function runLighthouse(url: string, reportPath: string, browser: string): Promise<Report> {
  const rate = slowDownToPhone()
  slowDowns.push(rate)
  const args = [
    '--no-warnings',
    join(folder, 'node_modules/lighthouse/cli/index.js'),
    url,
    '--quiet',
    `--throttling.cpuSlowdownMultiplier=${Math.max(1, rate)}`,
    '--output=json',
    `--output-path=${reportPath}`,
    `--only-categories=${categories.join(',')}`,
    '--chrome-flags=--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --ignore-certificate-errors',
    '--no-enable-error-reporting',
  ]
  await runFile(process.execPath, args, { env: { ...process.env, CHROME_PATH: browser } })
  const report = JSON.parse(readFileSync(reportPath, 'utf8')) as Report
  if (report.runtimeError) throw new Error(report.runtimeError.message)
  return report
}

const scoreOf = (report: Report, category: Category) => Math.round((report.categories[category].score ?? 0) * 100)
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

/** The audits that kept a category from 100. */
const losses = (report: Report, category: Category) =>
  report.categories[category].auditRefs.flatMap(({ id, weight }) => {
    const audit = report.audits[id]!
    const lost = weight > 0 && audit.score !== null && audit.score < 0.995
    return lost ? [`    ${audit.title}${audit.displayValue ? `: ${audit.displayValue}` : ''}`] : []
  })

await install()
const browser = await findBrowser(console.log)
const reports = process.env.LIGHTHOUSE_DIR ?? mkdtempSync(join(tmpdir(), 'bursar-lighthouse-'))
mkdirSync(reports, { recursive: true })
const stack = await createTestStack()
const proxy = await startHttp2Proxy(stack.url)
try {
  const token = await signIn(stack.bursar)
  const wallet = await createFundedWallet(stack.bursar, token)
  const payout = await createPayout(stack.bursar, token, wallet.id)
  await stack.restartWorker() // so that no work from above is still running

  console.log(`${'page'.padEnd(8)}${'category'.padEnd(16)}${'median'.padStart(7)}${'floor'.padStart(7)}  each`)
  for (const [page, path] of Object.entries({ login: '/login', claim: payout.path })) {
    const seen: Report[] = []
    for (let i = 1; i <= runsPerPage; i++)
      seen.push(await runLighthouse(proxy.url + path, join(reports, `${page}-${i}.json`), browser))
    for (const category of categories) {
      const scores = seen.map((report) => scoreOf(report, category))
      const middle = median(scores)
      const low = middle < floors[category]
      if (low) process.exitCode = 1
      console.log(
        `${page.padEnd(8)}${category.padEnd(16)}${String(middle).padStart(7)}${String(floors[category]).padStart(7)}  ${scores.join(' ')}${low ? '  TOO LOW' : ''}`,
      )
      for (const line of losses(seen[scores.indexOf(middle)]!, category)) console.log(line)
    }
  }
  const isBusy = median(slowDowns) < 1
  if (isBusy) process.exitCode = 1
  const range = slowDowns.toSorted((a, b) => a - b).map((times) => times.toFixed(1))
  console.log(`slowed down ${range[0]} to ${range.at(-1)} times${isBusy ? ': the machine is TOO BUSY to decide' : ''}`)
} finally {
  proxy.stop()
  await stack.stop()
  if (!process.env.LIGHTHOUSE_DIR) rmSync(reports, { recursive: true, force: true })
}
