/** How a screen must be at any width: nothing beyond its edge, nothing that WCAG 2.2 AA forbids. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'
import type { RunOptions } from 'axe-core'

const widths = [390, 820, 1400]
const options: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  resultTypes: ['violations'],
}

/** Leaves the page at the last width. With SCREENS_DIR set, keeps a picture of each in that folder. */
export async function audit(page: Page, name: string): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: width < 600 ? 844 : 900 })
    await settled(page)
    await keepPicture(page, `${name}-${width}`)
    const beyond = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement
      return scrollWidth - clientWidth
    })
    expect.soft(beyond, `${name} at ${width}: pixels beyond the right edge`).toBeLessThanOrEqual(0)
    if (width === 820) continue // what axe finds here, it finds at one of the others
    const { violations } = await new AxeBuilder({ page }).options(options).setLegacyMode().analyze()
    const found = violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, any }) => [html, any[0]?.message]),
    }))
    expect.soft(found, `${name} at ${width}: axe`).toEqual([])
  }
}

/** Nothing moves or turns any more but what turns for ever. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every((each) => each.playState !== 'running' || each.effect?.getComputedTiming().iterations === Infinity),
  )
}

async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENS_DIR
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`) })
}
