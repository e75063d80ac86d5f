import type { Page } from '@playwright/test'

/** Goes to another URL of the app without loading it again, as a link does: a page load is most of what a step costs. */
export const goInApp = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => {
    history.pushState({}, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
