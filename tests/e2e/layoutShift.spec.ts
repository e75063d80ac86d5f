/** Pages do not shift while replies arrive late. These tests are slow, so only `npm run test:long screens` runs them. */
import type { Page } from '@playwright/test'
import { withoutServedReply } from './claimPage.ts'
import { beSignedIn, expect, test } from './fixtures.ts'
import { thorough } from './thorough.ts'

const lateMs = 3_000 // 3 seconds
const shiftLimit = 0.02

type Shifts = { value: number; moved: string[] }

/** Opens a page with every API request delayed by three seconds, and records each layout shift that no input caused. */
async function open(page: Page, path: string) {
  await page.route('**/api/**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, lateMs))
    await route.continue().catch(() => undefined)
  })
  await page.addInitScript(() => {
    type Entry = PerformanceEntry & { value: number; hadRecentInput: boolean; sources: { node: Node | null }[] }
    const seen = { value: 0, moved: [] as string[] }
    Object.assign(window, { seen })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as Entry[]) {
        if (entry.hadRecentInput) continue
        seen.value += entry.value
        for (const { node } of entry.sources) seen.moved.push(node?.textContent?.slice(0, 60) ?? '')
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
  await page.goto(path)
}

const shiftsOf = (page: Page) => page.evaluate(() => (window as unknown as { seen: Shifts }).seen)

if (thorough)
  test.describe('replies that take three seconds', () => {
    for (const width of [320, 390, 820, 1400])
      for (const path of [
        '/dashboard/overview',
        '/dashboard/wallets',
        '/dashboard/agents',
        '/dashboard/payouts',
        '/dashboard/payouts?create=true',
        '/dashboard/transactions',
        '/dashboard/contacts',
        '/dashboard/usage',
        '/dashboard/approvals',
        '/dashboard/notices',
        '/dashboard/settings',
      ])
        test(`${path} does not shift at ${width} px @screens-20`, async ({ page, context, seeded }) => {
          await beSignedIn(context, seeded)
          await page.setViewportSize({ width, height: 844 })
          await open(page, path)
          await page.waitForLoadState('networkidle')
          const { value, moved } = await shiftsOf(page)
          expect(value, moved.join('\n')).toBeLessThanOrEqual(shiftLimit)
        })

    for (const width of [320, 390, 820, 1400])
      test(`a claim page does not shift at ${width} px @screens-21`, async ({ page, seeded }) => {
        await page.setViewportSize({ width, height: 844 })
        await withoutServedReply(page)
        await open(page, seeded.payout.path)
        await page.waitForLoadState('networkidle')
        const { value, moved } = await shiftsOf(page)
        expect(value, moved.join('\n')).toBeLessThanOrEqual(shiftLimit)
      })
  })
