/** The two ways to use a screen: by mouse, or by keyboard alone. */
import { expect, type Locator, type Page } from '@playwright/test'
import { audit } from './audit.ts'
import { thorough } from './thorough.ts'

export type Input = {
  name: string
  /** Presses a button, follows a link, checks a box, chooses a radio button. */
  press(target: Locator): Promise<void>
  /** Replaces the text of a field. */
  fill(field: Locator, text: string): Promise<void>
  /** Chooses from a closed list. */
  choose(list: Locator, label: string): Promise<void>
}

export const mouse = (page: Page): Input => ({
  name: 'mouse',
  async press(target) {
    // A visually hidden radio button, whose label is shown instead.
    if (await target.evaluate((element) => element.matches('.sr-only')))
      await target.locator('xpath=ancestor::label').click()
    else await target.click()
  },
  async fill(field, text) {
    await field.click({ clickCount: 3 })
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.press('Delete')
    await page.keyboard.insertText(text)
  },
  async choose(list, label) {
    await list.selectOption({ label })
  },
})

export const keyboard = (page: Page): Input => ({
  name: 'keyboard',
  async press(target) {
    const radio = await target.evaluate((element) => element instanceof HTMLInputElement && element.type === 'radio')
    if (radio) return chooseRadio(page, target)
    await tabTo(page, target)
    const box = await target.evaluate((element) => element instanceof HTMLInputElement)
    await page.keyboard.press(box ? 'Space' : 'Enter')
  },
  async fill(field, text) {
    await tabTo(page, field)
    await page.keyboard.press('ControlOrMeta+a')
    if (text) await page.keyboard.insertText(text)
    else await page.keyboard.press('Delete')
  },
  async choose(list, label) {
    await tabTo(page, list)
    const steps = await list.evaluate((element, wanted) => {
      const { options, selectedIndex } = element as HTMLSelectElement
      const index = [...options].findIndex((option) => option.label === wanted)
      if (index < 0) throw new Error(`no ${wanted} in the list`)
      return index - selectedIndex
    }, label)
    for (let i = 0; i < Math.abs(steps); i++) await page.keyboard.press(steps > 0 ? 'ArrowDown' : 'ArrowUp')
  },
})

/** Audits a state and restores the viewport. Once per state is enough, so tests by mouse use `notAudited`. */
async function audited(page: Page, name: string): Promise<void> {
  const viewport = page.viewportSize()!
  await audit(page, name)
  await page.setViewportSize(viewport)
}
const notAudited: typeof audited = async () => {}

type InputMode = {
  by: string
  viewport: { width: number; height: number }
  inputOf: (page: Page) => Input
  look: typeof audited
}

/** `npm test` uses the keyboard, since most other tests use the mouse; `npm run test:long screens` uses both. */
const modes = (mouseAt: InputMode['viewport'], keyboardAt: InputMode['viewport']): InputMode[] => [
  ...(thorough ? [{ by: 'mouse', viewport: mouseAt, inputOf: mouse, look: notAudited }] : []),
  { by: 'keyboard', viewport: keyboardAt, inputOf: keyboard, look: audited },
]

/** One test by mouse in a wide window, one by keyboard in a window as narrow as a phone. */
export const inputModes = modes({ width: 1400, height: 900 }, { width: 390, height: 844 })

/** The same at other widths, so that mouse and keyboard are each used at more than one width. */
export const inputModesSwapped = modes({ width: 390, height: 844 }, { width: 820, height: 900 })

/** Presses Tab until `target` has the focus, at most once around the page. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  await expect(target, 'Tab skips disabled controls').toBeEnabled()
  await tabInto(page, target)
  await expect(target).toBeFocused()
}

/** Tab reaches the group's checked button; arrow keys move on from there. */
async function chooseRadio(page: Page, target: Locator): Promise<void> {
  await tabInto(page, target)
  for (let i = 0; i < 10 && !(await target.isChecked()); i++) await page.keyboard.press('ArrowRight')
  await expect(target).toBeChecked()
}

/** Tabs to `target` itself, or to another radio button of its group. */
async function tabInto(page: Page, target: Locator): Promise<void> {
  // Resolved once: a search by role at each stop would be most of the cost.
  let element = (await target.elementHandle())!
  for (let presses = 0; ; presses++) {
    const { gone, here, stops } = await element.evaluate((each) => {
      const at = document.activeElement
      const radio = (one: Element | null) => one instanceof HTMLInputElement && one.type === 'radio' && one.name
      return {
        gone: !each.isConnected,
        here: at === each || (radio(each) && radio(at) === radio(each)),
        // Counted at each stop: links that wait for a reply appear late.
        stops: document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]').length,
      }
    })
    if (here || presses > stops + 16) return
    if (gone) element = (await target.elementHandle())!
    else await page.keyboard.press('Tab')
  }
}
