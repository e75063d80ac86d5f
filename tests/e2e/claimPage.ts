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
