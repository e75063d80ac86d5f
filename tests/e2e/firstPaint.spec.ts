/** How soon the overview shows figures on a slow connection and a slow machine. */
import { beSignedIn, expect, test } from './fixtures.ts'
import { thorough } from './thorough.ts'

const bytesPerSecond = 1_600_000 / 8 // 1.6 Mbit/s
const conditions = {
  offline: false,
  latency: 150,
  downloadThroughput: bytesPerSecond,
  uploadThroughput: bytesPerSecond,
}

test('the first calls of the overview do not wait for its code @screens-71', async ({
  page,
  context,
  request,
  seeded,
  watch,
}) => {
  await beSignedIn(context, seeded)
  const html = await (await request.get('/dashboard/overview')).text()
  const [, early] = /<script type="module" async src="([^"]+)">/.exec(html)!
  const release = Promise.withResolvers<void>()
  await page.route('**/assets/*.js', async (route) => {
    if (!route.request().url().endsWith(early!)) await release.promise
    await route.continue()
  })
  const call = page.waitForRequest('**/api/overview')
  await page.goto('/dashboard/overview', { waitUntil: 'commit' })
  await call
  release.resolve()
  await expect(page.getByTestId('total-balance')).toBeVisible()
  expect(watch.requests.filter((url) => url.endsWith('/api/overview'))).toHaveLength(1)
})

if (thorough)
  test('loaded again, the overview shows figures in half the time of the first visit @screens-64', async ({
    page,
    context,
    seeded,
  }) => {
    await beSignedIn(context, seeded)
    const devtools = await context.newCDPSession(page)
    await devtools.send('Network.enable')
    await devtools.send('Network.emulateNetworkConditions', conditions)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    await page.addInitScript(() => {
      const observer = new MutationObserver(() => {
        if (!document.querySelector('[data-testid=total-balance]')) return
        observer.disconnect()
        Object.assign(window, { figuresAt: performance.now() })
      })
      observer.observe(document, { childList: true, subtree: true })
    })
    const figuresAt = async () => {
      await page.getByTestId('total-balance').waitFor()
      await page.waitForLoadState('networkidle')
      return page.evaluate(() => Math.round((window as unknown as { figuresAt: number }).figuresAt))
    }
    await page.goto('/dashboard/overview')
    const cold = await figuresAt()
    const warm: number[] = []
    for (let i = 0; i < 3; i++) {
      await page.reload()
      warm.push(await figuresAt())
    }
    const median = warm.sort((a, b) => a - b)[1]!
    await devtools.detach() // another test may get this page
    console.log(`figures after ${cold} ms on the first visit, ${median} ms when loaded again`)
    expect(median).toBeLessThan(cold / 2)
  })
