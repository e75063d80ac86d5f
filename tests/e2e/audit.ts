/** How a screen must be at each width: whole, within its edge, and usable by all, with mouse, keyboard or reader. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import axe, { type RunOptions } from 'axe-core'

const widths = [390, 820, 1400]
const options: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  resultTypes: ['violations'],
  preload: false, // of style sheets and media, which none of these rules asks for
}

/**
 * The page, or the dialog above it, at each width: nothing beyond its edge, no control covered where a mouse presses,
 * none missed by Tab or focused unseen, nothing that WCAG 2.2 AA forbids. Widths that show the same controls are walked
 * by Tab once. An open menu is left to the test: arrows walk it, and it covers what is below. Leaves the page at the
 * last width, with the focus where it was. With SCREENS_DIR set, keeps a picture of each width in that folder.
 */
export async function audit(page: Page, name: string): Promise<void> {
  await page.evaluate(() => {
    window.auditFrom = document.activeElement
    delete window.auditControls
  })
  for (const width of widths) {
    const at = `${name} at ${width}`
    await page.setViewportSize({ width, height: width < 600 ? 844 : 900 })
    await settled(page)
    await keepPicture(page, `${name}-${width}`)
    expect.soft(await beyondEdge(page), `${at}: pixels beyond the right edge`).toBeLessThanOrEqual(0)
    expect.soft(await lasting(page, violations), `${at}: axe`).toEqual([])
    await defineScope(page)
    if (await page.evaluate(() => document.querySelector('[role=menu]') !== null)) continue
    expect.soft(await lasting(page, covered), `${at}: controls that a mouse can't reach`).toEqual([])
    expect.soft(await lasting(page, missed), `${at}: controls that Tab misses`).toEqual([])
  }
  await giveBackFocus(page)
}

/** To what had it before, or to nothing: the next Tab then begins at the top again. */
const giveBackFocus = (page: Page) =>
  page.evaluate(() => {
    const from = window.auditFrom
    if (from !== document.body) return (from as HTMLElement | null)?.focus()
    document.body.tabIndex = -1
    document.body.focus()
    document.body.removeAttribute('tabindex')
  })

/** Nothing moves any more, nor turns for ever: the tests' browser asks for no motion. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(() => scrollTo(0, 0)) // nothing half below the bar on top
  await page.waitForFunction(() => document.getAnimations().every((each) => each.playState !== 'running'))
}

/** Faults that are still there when all is still: an answer may come, and a colour change, while one looks. */
async function lasting<Fault>(page: Page, faultsOf: (page: Page) => Promise<Fault[]>): Promise<Fault[]> {
  const faults = await faultsOf(page)
  if (faults.length === 0) return []
  await settled(page)
  return faultsOf(page)
}

async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENS_DIR
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`) })
}

const beyondEdge = (page: Page) =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    return scrollWidth - clientWidth
  })

/** Axe is read once per document: its source is half a megabyte. */
async function violations(page: Page): Promise<{ id: string; nodes: unknown[] }[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  return page.evaluate(async (chosen) => {
    const found = await (window as unknown as { axe: typeof axe }).axe.run(document, chosen)
    return found.violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, any }) => [html, any[0]?.message]),
    }))
  }, options)
}

/** Controls at whose middle something else is, but for a toast, which leaves by itself. */
const covered = (page: Page) =>
  page.evaluate(() => {
    const scope = window.auditScope!()
    const controls = scope.querySelectorAll<HTMLElement>(
      'a[href], button:not(:disabled), input:not(:disabled):not([aria-hidden=true]), summary',
    )
    return [...controls].flatMap((control) => {
      const label = control.matches('.sr-only') ? control.closest('label') : null
      const shown = label ?? control
      if (!shown.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return []
      if (shown.matches('.sr-only')) return [] // the skip link, which shows itself on focus
      shown.scrollIntoView({ block: 'center', behavior: 'instant' })
      const { left, top, width, height } = shown.getBoundingClientRect()
      const hit = document.elementFromPoint(left + width / 2, top + height / 2)
      return hit && (shown.contains(hit) || hit.contains(shown) || hit.closest('[data-toasts]'))
        ? []
        : [shown.outerHTML.slice(0, 120)]
    })
  })

declare global {
  interface Window {
    /** The dialog that has the focus, or else the last one, or else the page. */
    auditScope?: () => Element | Document
    /** What had the focus before. */
    auditFrom?: Element | null
    /** Of the last walk: a width that shows the same ones need not be walked again. */
    auditControls?: HTMLElement[]
  }
}
const defineScope = (page: Page) =>
  page.evaluate(() => {
    window.auditScope = () => {
      const dialog = '[role=dialog], [role=alertdialog]'
      return document.activeElement?.closest(dialog) ?? [...document.querySelectorAll(dialog)].at(-1) ?? document
    }
  })

/**
 * Presses Tab once around from the first control, and names each that did not get the focus or can't be seen to have
 * it. What leaves meanwhile, as a toast does, is not missed. Gives the focus back.
 */
async function missed(page: Page): Promise<string[]> {
  const count = await page.evaluate(() => {
    const scope = window.auditScope!()
    const radios = new Set<string>()
    const controls = [...scope.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary')]
      .filter((control) => control.tabIndex >= 0 && !control.matches(':disabled') && control.checkVisibility())
      .filter((control) => !control.hasAttribute('data-base-ui-focus-guard'))
      .filter((control) => {
        if (!(control instanceof HTMLInputElement) || control.type !== 'radio') return true
        // One of a group takes part.
        const chosen = scope.querySelector(`input[name="${control.name}"]:checked`)
        if (chosen ? control !== chosen : radios.has(control.name)) return false
        radios.add(control.name)
        return true
      })
    const before = window.auditControls
    window.auditControls = controls
    if (before?.length === controls.length && before.every((control, i) => control === controls[i])) return 0
    return controls.length
  })
  if (count === 0) return []
  const reached = new Map<number, boolean>()
  // Parts of a date are stops of their own.
  for (let i = 0; i < 2 * count + 16 && reached.size < count; i++) {
    await page.keyboard.press('Tab')
    const at = await focused(page)
    if (at) reached.set(at.index, at.outlined && reached.get(at.index) !== false)
  }
  await giveBackFocus(page)
  return page.evaluate(
    (entries) => {
      const outlined = new Map(entries)
      const faults = window.auditControls!.flatMap((control, i) =>
        !control.isConnected || outlined.get(i)
          ? []
          : [`${control.outerHTML.slice(0, 120)}${outlined.has(i) ? ' without a visible focus' : ''}`],
      )
      if (faults.length > 0) delete window.auditControls // or the next look would see the same ones, and walk nothing
      return faults
    },
    [...reached],
  )
}

/** Of the walk's controls the one that has the focus; a focus guard hands it on a moment later. */
const focused = (page: Page) =>
  page.evaluate(async () => {
    const controls = window.auditControls!
    const guarded = () => document.activeElement?.hasAttribute('data-base-ui-focus-guard')
    for (let frame = 0; frame < 60 && guarded(); frame++) await new Promise(requestAnimationFrame)
    const active = document.activeElement as HTMLElement | null
    // A group of radio buttons is one stop, at whichever of them.
    const isStop = (control: HTMLElement) =>
      control === active ||
      (active instanceof HTMLInputElement &&
        active.type === 'radio' &&
        control instanceof HTMLInputElement &&
        control.name === active.name)
    const index = controls.findIndex(isStop)
    if (!active || index < 0) return null
    const ring = active.closest('label') ?? active
    // The browser marks the part of a date by itself.
    const outlined =
      active.matches('input[type=date]') ||
      [active, ring].some((each) => getComputedStyle(each).outlineStyle !== 'none')
    return { index, outlined }
  })
