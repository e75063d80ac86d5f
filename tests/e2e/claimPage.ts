/** Claim pages without the reply that comes with them, so that they ask for it, and a test can answer. */
import type { Page } from '@playwright/test'

export const withoutServedReply = (page: Page) =>
  page.route('**/claim/*', async (route) => {
    if (route.request().resourceType() !== 'document') return route.fallback()
    const response = await route.fetch()
    const html = await response.text()
    await route.fulfill({
      response,
      body: html.replace(/<script type="application\/json" id="reply">.*?<\/script>/s, ''),
    })
  })

/** Records every main heading that the page shows from now on, however briefly. Returns what the current document showed. */
export async function recordHeadings(page: Page): Promise<() => Promise<string[]>> {
  type Recording = { headings: string[] }
  await page.addInitScript(() => {
    const headings: string[] = []
    ;(globalThis as unknown as Recording).headings = headings
    new MutationObserver(() => {
      const heading = document.querySelector('h1')?.textContent
      if (heading && heading !== headings.at(-1)) headings.push(heading)
    }).observe(document, { subtree: true, childList: true, characterData: true })
  })
  return () => page.evaluate(() => (globalThis as unknown as Recording).headings)
}
