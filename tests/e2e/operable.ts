/** Whether everything on a screen can be used: nothing is covered where a mouse presses, nothing is missed by Tab. */
import { expect, type Page } from '@playwright/test'
import { audit, settled } from './audit.ts'

const widths = [390, 820, 1400]

/** As `audit`, and every control of the page, or of the dialog above it, answers mouse and keyboard at each width. */
export async function auditWhole(page: Page, name: string): Promise<void> {
  await audit(page, name)
  for (const width of widths) {
    await page.setViewportSize({ width, height: width < 600 ? 844 : 900 })
    await settled(page) // a sheet that becomes a dialog moves there
    expect.soft(await covered(page), `${name} at ${width}: controls that a mouse can't reach`).toEqual([])
    const { expected, reached } = await walk(page)
    expect.soft(reached, `${name} at ${width}: controls that Tab reaches`).toEqual(expected)
  }
}

/** Controls at whose middle something else is. Whoever had the focus has it again. */
const covered = (page: Page) =>
  page.evaluate(() => {
    const dialogs = document.querySelectorAll('[role=dialog], [role=alertdialog]')
    const scope = dialogs[dialogs.length - 1] ?? document
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
      return hit && (shown.contains(hit) || hit.contains(shown)) ? [] : [shown.outerHTML.slice(0, 120)]
    })
  })

/** A focus guard hands the focus on a moment later. */
const guarded = (page: Page) =>
  page
    .waitForFunction(() => !document.activeElement?.hasAttribute('data-base-ui-focus-guard'), null, { timeout: 1_000 })
    .catch(() => undefined)

/** Presses Tab once around from the first control, and names each that got the focus and can be seen to have it. */
async function walk(page: Page): Promise<{ expected: string[]; reached: string[] }> {
  const expected = await page.evaluate(() => {
    const before = document.activeElement
    const dialogs = document.querySelectorAll('[role=dialog], [role=alertdialog]')
    const scope = dialogs[dialogs.length - 1] ?? document
    const controls = [...scope.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary')]
    const radios = new Set<string>()
    const names = controls
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
      .map((control, i) => {
        control.dataset.walk = String(i)
        return `${i} ${control.tagName.toLowerCase()}`
      })
    ;(window as { walkFrom?: Element | null }).walkFrom = before
    return names
  })
  const reached = new Set<string>()
  for (let i = 0; i < 2 * expected.length + 6 && reached.size < expected.length; i++) {
    await page.keyboard.press('Tab')
    await guarded(page)
    const at = await page.evaluate(() => {
      const active = document.activeElement as HTMLElement | null
      if (!active?.dataset.walk) return null
      const ring = active.closest('label') ?? active
      const outlined = [active, ring].some((each) => getComputedStyle(each).outlineStyle !== 'none')
      return `${active.dataset.walk} ${active.tagName.toLowerCase()}${outlined ? '' : ' without a visible focus'}`
    })
    if (at) reached.add(at)
  }
  await page.evaluate(() => {
    for (const control of document.querySelectorAll<HTMLElement>('[data-walk]')) delete control.dataset.walk
    const from = (window as { walkFrom?: Element | null }).walkFrom
    if (from instanceof HTMLElement) from.focus()
  })
  return { expected, reached: [...reached].sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)) }
}
