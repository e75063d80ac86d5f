/** Checks what every screen must meet at each width: it fits, and works with mouse, keyboard and screen reader. */
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, type Frame, type Page } from '@playwright/test'
import type axe from 'axe-core'
import type { RunOptions } from 'axe-core'
import { allTests, thorough } from './thorough.ts'

/** The usual width of a window, which an audit leaves behind. */
const usualWidth = 1400
/** At 1,280 px, the menu can be pinned, and at 1,440 px it is. */
export const everyWidth = thorough ? [390, 820, 1280, 1440] : [390, 820, usualWidth]
/** The width at which a state is checked by axe, by Tab and, in `npm test`, at all: an audit of three widths takes a second. */
const widthOf = (name: string, among: number[]) =>
  among[[...name].reduce((sum, each) => sum + each.charCodeAt(0), 0) % among.length]
/** Read from the package, because `axe.source` is not minified and three times as long. */
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const everyRule: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  resultTypes: ['violations'],
  preload: false, // style sheets and media, which these rules do not need
}
/** The rules whose result depends on the layout, not only on what is visible in which style. */
const layoutRules: RunOptions = {
  ...everyRule,
  runOnly: { type: 'rule', values: ['target-size', 'scrollable-region-focusable'] },
}

/**
 * Checks the page, or the dialog above it. At each width: nothing extends beyond the edge, and the mouse reaches every
 * control. At one width, which depends on `name`: WCAG 2.2 AA holds, and Tab reaches every control with a visible focus.
 * `npm run test:long screens` makes the latter two checks at each width. If a width shows the same as an earlier one, it
 * skips the Tab walk and runs only axe's layout rules. Open menus are left to the test: arrow keys walk them, and they
 * cover what is below. Leaves the page at the last width and restores the focus. If SCREENS_DIR is set, saves a
 * screenshot of each width in that folder: of the whole page, or of the window with the dialog. `among`: these widths, of
 * which the last one stays; by default all, and in `npm test` one. `npm run test:long screens` adds all others.
 */
export async function audit(page: Page, name: string, among?: number[]): Promise<void> {
  const asked = among ?? (allTests ? everyWidth : [widthOf(name, everyWidth)!])
  const chosen = thorough ? [...new Set([...asked, ...everyWidth])] : asked
  await page.evaluate(() => {
    window.auditFrom = document.activeElement
    delete window.auditControls
    delete window.auditStyles
  })
  for (const width of chosen) {
    const at = `${name} at ${width}`
    await setWidth(page, width)
    await settled(page)
    await keepPicture(page, `${name}-${width}`)
    expect.soft(await beyondEdge(page), `${at}: pixels beyond the right edge`).toBeLessThanOrEqual(0)
    const isThorough = thorough || width === widthOf(name, chosen)
    if (isThorough) {
      const rules = (await showsSomethingNew(page)) ? everyRule : layoutRules
      expect.soft(await lasting(page, (each) => violations(each, rules)), `${at}: axe`).toEqual([])
    }
    await defineScope(page)
    if (await page.evaluate(() => document.querySelector('[role=menu]') !== null)) continue
    expect.soft(await lasting(page, covered), `${at}: controls that a mouse can't reach`).toEqual([])
    if (isThorough) expect.soft(await lasting(page, missed), `${at}: controls that Tab misses`).toEqual([])
  }
  await setWidth(page, among === everyWidth ? usualWidth : (among?.at(-1) ?? usualWidth))
  await giveBackFocus(page)
}

const setWidth = (page: Page, width: number) => page.setViewportSize({ width, height: width < 600 ? 844 : 900 })

/** True when an element is visible that was not visible in the same style at an earlier width. */
const showsSomethingNew = (page: Page) =>
  page.evaluate(() => {
    window.auditStyles ??= new Map()
    const styles = window.auditStyles
    let isNew = false
    for (const element of document.body.querySelectorAll('*')) {
      if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
      const { color, backgroundColor, fontSize, fontWeight } = getComputedStyle(element)
      const style = `${color} ${backgroundColor} ${fontSize} ${fontWeight}`
      const known = styles.get(element)
      if (known?.has(style)) continue
      isNew = true
      styles.set(element, (known ?? new Set()).add(style))
    }
    return isNew
  })

/** Restores the focus to the element that had it, or to none, so that the next Tab starts at the top. */
const giveBackFocus = (page: Page) =>
  page.evaluate(() => {
    const from = window.auditFrom
    if (from !== document.body) return (from as HTMLElement | null)?.focus()
    document.body.tabIndex = -1
    document.body.focus()
    document.body.removeAttribute('tabindex')
  })

/** Scrolls to the top, where the bar covers nothing, and waits until the page is drawn and no animation runs. */
async function settled(page: Page): Promise<void> {
  const isStill = await page.evaluate(async () => {
    scrollTo(0, 0)
    await new Promise(requestAnimationFrame)
    return document.getAnimations().every((each) => each.playState !== 'running')
  })
  if (isStill) return
  await page.waitForFunction(() => document.getAnimations().every((each) => each.playState !== 'running'))
}

/** Returns the faults that remain once the page has settled: a response or a color may change during the first check. */
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
  const isPage = (await page.locator('[role=dialog], [role=alertdialog]').count()) === 0
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: isPage })
}

const beyondEdge = (page: Page) =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    return scrollWidth - clientWidth
  })

/** Breaches of WCAG 2.2 AA in a frame. */
export const violationsIn = (frame: Frame) => violations(frame, everyRule)

/** Loads axe once per document: its source is half a megabyte. */
async function violations(page: Page | Frame, rules: RunOptions): Promise<{ id: string; nodes: unknown[] }[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  return page.evaluate(async (chosen) => {
    const found = await (window as unknown as { axe: typeof axe }).axe.run(document, chosen)
    return found.violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, any }) => [html, any[0]?.message]),
    }))
  }, rules)
}

/** Returns the controls whose center something else covers, except a toast, which closes by itself. */
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
    /** The element that had the focus before the audit. */
    auditFrom?: Element | null
    /** Styles in which each element has been visible at the widths so far. */
    auditStyles?: Map<Element, Set<string>>
    /** The controls of the last Tab walk. */
    auditControls?: HTMLElement[]
    /** By index, those of them that got the focus: whether they showed an outline every time. */
    auditReached?: Map<number, boolean>
    auditListener?: (event: FocusEvent) => void
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
 * Tabs once through all controls and returns those that did not get the focus or did not show it. A control that is
 * removed meanwhile, such as a toast's, does not count. Restores the focus.
 */
async function missed(page: Page): Promise<string[]> {
  const count = await listControls(page)
  if (count === 0) return []
  await recordFocus(page)
  // Each part of a date is a separate stop, hence more presses than controls.
  for (let presses = 0, reached = 0; presses < 2 * count + 16 && reached < count; ) {
    const batch = Math.min(count - reached, 8)
    for (let i = 0; i < batch; i++) await page.keyboard.press('Tab')
    presses += batch
    reached = await countReached(page)
  }
  await giveBackFocus(page)
  return page.evaluate(() => {
    const reached = window.auditReached!
    document.removeEventListener('focusin', window.auditListener!)
    const faults = window.auditControls!.flatMap((control, i) =>
      !control.isConnected || reached.get(i)
        ? []
        : [`${control.outerHTML.slice(0, 120)}${reached.has(i) ? ' without a visible focus' : ''}`],
    )
    if (faults.length > 0) delete window.auditControls // or the second check would find the same ones and skip the walk
    return faults
  })
}

/** Lists the controls that Tab should reach. Returns their number, or 0 if the last walk had the same ones. */
const listControls = (page: Page) =>
  page.evaluate(() => {
    const scope = window.auditScope!()
    const radios = new Set<string>()
    const controls = [...scope.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary')]
      .filter(
        (control) =>
          control.tabIndex >= 0 &&
          !control.matches(':disabled') &&
          control.checkVisibility({ visibilityProperty: true }),
      )
      .filter((control) => !control.hasAttribute('data-base-ui-focus-guard'))
      .filter((control) => {
        if (!(control instanceof HTMLInputElement) || control.type !== 'radio') return true
        // Only one radio button of a group is a stop.
        const chosen = scope.querySelector(`input[name="${control.name}"]:checked`)
        if (chosen ? control !== chosen : radios.has(control.name)) return false
        radios.add(control.name)
        return true
      })
    const before = window.auditControls
    window.auditControls = controls
    return before?.length === controls.length && before.every((control, i) => control === controls[i])
      ? 0
      : controls.length
  })

/** Records focus inside the page itself: querying the page after each press would double the cost of a walk. */
const recordFocus = (page: Page) =>
  page.evaluate(() => {
    const controls = window.auditControls!
    const reached = new Map<number, boolean>()
    window.auditReached = reached
    window.auditListener = ({ target }) => {
      const active = target as HTMLElement
      // A radio group is one stop, whichever of its buttons has the focus.
      const isStop = (control: HTMLElement) =>
        control === active ||
        (active instanceof HTMLInputElement &&
          active.type === 'radio' &&
          control instanceof HTMLInputElement &&
          control.name === active.name)
      const index = controls.findIndex(isStop)
      if (index < 0) return
      const ring = active.closest('label') ?? active
      // The browser itself highlights the focused part of a date.
      const outlined =
        active.matches('input[type=date]') ||
        [active, ring].some((each) => getComputedStyle(each).outlineStyle !== 'none')
      reached.set(index, outlined && reached.get(index) !== false)
    }
    document.addEventListener('focusin', window.auditListener)
  })

/** Returns how many controls have had the focus so far. First waits for a focus guard to pass the focus on. */
const countReached = (page: Page) =>
  page.evaluate(async () => {
    const isGuarded = () => document.activeElement?.hasAttribute('data-base-ui-focus-guard')
    for (let frame = 0; frame < 60 && isGuarded(); frame++) await new Promise(requestAnimationFrame)
    return window.auditReached!.size
  })

/** The aria snapshot of a full address: a screen reader reads its groups of four, as people compare them. */
export const spokenAddress = (address: string) => `- paragraph: ${address.replace(/(?<=^0x.*)(.{4})(?=.)/g, '$1 ')}`
