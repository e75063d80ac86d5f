/**
 * Test id: @lists-20
 *
 * Measures how quickly lists respond for people with a large account: `npm run bench:lists`. Runs on its own stack with
 * 10,000 transactions (tests/support/largeAccount.ts), in Chromium slowed down four times. Measures two times for each
 * action: from the input to the next paint (Event Timing, what people perceive as a response), and until the requested
 * content is painted, for rows including the server's part. The second is only printed.
 *
 * Three out of four inputs of each action must be handled within 100 ms, as measured by INP. No input may take longer than
 * 100 ms plus what the machine adds. To measure that, the first action presses a button of the bench that does the same
 * work each time: the difference between its slowest press and its median comes from the machine. If that exceeds 100 ms,
 * the machine is too busy to decide, and the bench fails. Layout shift is at most 0.05 per page.
 *
 * Presses are raw input where the pointer already rests: Playwright's own clicks run scripts in the page that check for
 * obstructing elements, and those would be counted.
 */
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from '@playwright/test'
import { demo } from '../../local/stack/seed.ts'
import { findBrowser } from '../../local/tools/browser.ts'
import { enlarge, size } from '../support/largeAccount.ts'
import { createFundedWallet, createTestStack, signIn, type TestStack } from '../support/testStack.ts'

const slowDown = 4
const limits = { inputMs: 100, shift: 0.05 }
const rounds = 5

/** `moved`: each layout shift with the elements it moved. */
type Seen = { inputs: number[]; shift: number; moved: string[] }
type Shift = { value: number; hadRecentInput: boolean; sources: { node: Node | null }[] }
declare global {
  interface Window {
    seen: Seen
  }
}

async function openPage(browser: Browser, stack: TestStack): Promise<{ page: Page; context: BrowserContext }> {
  const context = await browser.newContext({ baseURL: stack.url, viewport: { width: 1400, height: 900 } })
  const page = await context.newPage()
  await page.goto('/login')
  await page.getByLabel('Email').fill(demo.email)
  await page.getByLabel('Password', { exact: true }).fill(demo.password)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/dashboard/overview')
  await page.addInitScript(() => {
    const seen: Seen = { inputs: [], shift: 0, moved: [] }
    window.seen = seen
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as PerformanceEventTiming[])
        if ((entry as unknown as { interactionId: number }).interactionId > 0) seen.inputs.push(entry.duration)
    }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit)
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries() as unknown as Shift[]) {
        if (hadRecentInput) continue
        seen.shift += value
        const texts = sources.map(({ node }) => `${node?.nodeName} "${node?.textContent?.slice(0, 40)}"`)
        seen.moved.push(`${value.toFixed(3)} ${texts.join(', ')}`)
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
  await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: slowDown })
  return { page, context }
}

/** Moves the pointer to the target, waits for the effects of hovering, as people do, and presses. */
async function press(page: Page, target: Locator): Promise<void> {
  await target.scrollIntoViewIfNeeded()
  const box = await target.boundingBox()
  if (!box) throw new Error(`nothing to press: ${target}`)
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await frames(page)
  await page.mouse.down()
  await page.mouse.up()
}

const frames = (page: Page) =>
  page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))),
  )

/** Element whose text shows that something is painted: it is present and differs from before. Rows may not be old ones. */
type Sign = 'main tbody tr' | 'main nav p' | '[role=dialog] h2' | 'main h2'

/** Time from the input until `sign` has another text and is painted. */
async function paintedMs(page: Page, act: () => Promise<void>, sign: Sign): Promise<number> {
  const painted = page.evaluate((selector) => {
    const text = () => document.querySelector(selector)?.textContent ?? ''
    const before = text()
    let startedAt = 0
    const begin = (event: Event) => {
      startedAt ||= event.timeStamp
    }
    for (const type of ['pointerdown', 'keydown']) addEventListener(type, begin, { capture: true, once: true })
    return new Promise<number>((resolve) => {
      const check = () => {
        const isOld = document.querySelector('main [aria-busy=true] table') !== null
        if (startedAt > 0 && !isOld && text() !== '' && text() !== before)
          requestAnimationFrame(() => resolve(performance.now() - startedAt))
        else requestAnimationFrame(check)
      }
      check()
    })
  }, sign)
  await act()
  return painted
}

type Row = { act: string; inputs: number[]; painted: number[] }
async function measure(page: Page, act: string, steps: (() => Promise<unknown>)[]): Promise<Row> {
  await page.evaluate(() => {
    window.seen.inputs = []
  })
  const painted: number[] = []
  for (const step of steps) {
    const ms = await step()
    if (typeof ms === 'number') painted.push(ms)
  }
  // Entries come after the frame they describe.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100))))
  return { act, inputs: await page.evaluate(() => window.seen.inputs), painted }
}

const times = <T>(count: number, one: (i: number) => T) => Array.from({ length: count }, (_, i) => one(i))

/** Measures a press that does the same work each time, about that of a dialog. Its variation comes from the machine. */
async function baseline(page: Page): Promise<Row> {
  await page.goto('/dashboard/settings')
  await page.waitForLoadState('networkidle')
  await page.evaluate(() => {
    const button = Object.assign(document.createElement('button'), { textContent: 'bench', id: 'bench' })
    const box = document.createElement('div')
    Object.assign(button.style, { position: 'fixed', inset: '0 auto auto 0', zIndex: 99 })
    Object.assign(box.style, { position: 'fixed', inset: '100px', background: 'white', overflow: 'hidden', zIndex: 98 })
    document.body.append(button, box)
    let presses = 0
    button.onclick = () => {
      presses++
      box.replaceChildren(
        ...Array.from({ length: 500 }, (_, i) =>
          Object.assign(document.createElement('p'), { textContent: `${presses} ${i}` }),
        ),
      )
    }
  })
  const button = page.locator('#bench')
  return measure(
    page,
    'the same work each time',
    times(20, () => () => press(page, button)),
  )
}

async function listRows(page: Page, path: string, dialogName: string, total: number): Promise<Row[]> {
  await page.goto(path)
  await page.getByText(`of ${total} `).waitFor()
  const next = page.getByRole('button', { name: /next/i })
  const filters = page.getByRole('button', { name: /^Filters/ })
  const dialog = page.getByRole('dialog', { name: dialogName })
  const choice = dialog.getByLabel(dialogName.includes('Payouts') ? 'Withdrawn' : 'Failed', { exact: true })
  return [
    await measure(
      page,
      `${path}: next page`,
      times(rounds, () => () => paintedMs(page, () => press(page, next), 'main tbody tr')),
    ),
    await measure(
      page,
      `${path}: open the filter, draft`,
      times(rounds, () => async () => {
        const ms = await paintedMs(page, () => press(page, filters), '[role=dialog] h2')
        await press(page, choice)
        await dialog.getByLabel('Minimum amount').pressSequentially('12')
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'hidden' })
        return ms
      }),
    ),
    await measure(
      page,
      `${path}: apply, and clear`,
      times(rounds, () => async () => {
        await press(page, filters)
        await press(page, choice)
        const apply = dialog.getByRole('button', { name: 'Apply Filters' })
        const ms = await paintedMs(page, () => press(page, apply), 'main nav p')
        const clear = page.getByRole('button', { name: 'Clear all filters' })
        await paintedMs(page, () => press(page, clear), 'main nav p')
        return ms
      }),
    ),
  ]
}

async function contacts(page: Page): Promise<Row[]> {
  await page.goto('/dashboard/contacts')
  const field = page.getByRole('searchbox')
  await field.waitFor()
  return [
    await measure(
      page,
      '/dashboard/contacts: type into the search',
      times(rounds, () => async () => {
        await field.pressSequentially('grace 1')
        await field.fill('')
      }),
    ),
    await measure(
      page,
      '/dashboard/contacts: next page',
      times(
        rounds,
        () => () => paintedMs(page, () => press(page, page.getByRole('button', { name: /next/i })), 'main tbody tr'),
      ),
    ),
  ]
}

async function agents(page: Page): Promise<Row> {
  await page.goto('/dashboard/agents')
  const groups = page.getByRole('navigation', { name: 'Policy groups' }).getByRole('link')
  await groups.nth(size.groups - 1).waitFor()
  return measure(
    page,
    '/dashboard/agents: choose a group',
    times(rounds, (i) => () => paintedMs(page, () => press(page, groups.nth(i * 7 + 3)), 'main h2')),
  )
}

async function palette(page: Page): Promise<Row> {
  await page.goto('/dashboard/settings')
  await page.getByRole('button', { name: 'Change Password' }).waitFor()
  const field = page.getByRole('combobox')
  const once = async () => {
    await page.keyboard.press('Control+k')
    await field.waitFor()
    await field.pressSequentially('grace 1')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'hidden' })
  }
  await once() // loads its code and what it searches
  return measure(
    page,
    'command palette: open, type',
    times(rounds, () => once),
  )
}

const stack = await createTestStack()
let browser: Browser | undefined
try {
  const token = await signIn(stack.bursar)
  await enlarge(stack, { userId: demo.userId, token, wallet: await createFundedWallet(stack.bursar, token) })
  browser = await chromium.launch({
    executablePath: await findBrowser(console.log),
    args: ['--no-sandbox', '--disable-gpu'],
  })
  const { page } = await openPage(browser, stack)
  /** The smallest value that at least this share of the values does not exceed. */
  const quantile = (values: number[], part: number) =>
    Math.round(values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * part) - 1)] ?? 0)

  console.log(
    `CPU ${slowDown} times slower; ${size.transactions} transactions, ${size.payouts} payouts, ${size.contacts} contacts, ${size.agents} agents`,
  )
  console.log(`${'ms'.padEnd(46)}${'75%'.padStart(8)}${'worst'.padStart(8)}${'painted, median'.padStart(18)}`)
  const line = ({ act, inputs, painted }: Row, tooSlow: boolean) => {
    const rest = painted.length > 0 ? String(quantile(painted, 0.5)) : ''
    const figures = [quantile(inputs, 0.75), quantile(inputs, 1)].map((ms) =>
      (ms < 16 ? '< 16' : String(ms)).padStart(8),
    )
    console.log(`${act.padEnd(46)}${figures.join('')}${rest.padStart(18)}${tooSlow ? '  TOO SLOW' : ''}`)
  }
  const same = await baseline(page)
  line(same, false)
  const machineMs = quantile(same.inputs, 1) - quantile(same.inputs, 0.5)
  const tooBusy = machineMs > limits.inputMs
  console.log(
    `limit: 75% ${limits.inputMs}, worst ${limits.inputMs} plus ${machineMs} of the machine${tooBusy ? ', which is TOO BUSY to decide' : ''}`,
  )

  let failed = tooBusy
  const shifts: [name: string, shift: number, moved: string[]][] = []
  const add = async (name: string, rows: Row[]) => {
    for (const row of rows) {
      const { inputs } = row
      const tooSlow = quantile(inputs, 0.75) > limits.inputMs || quantile(inputs, 1) > limits.inputMs + machineMs
      line(row, tooSlow)
      failed ||= tooSlow || inputs.length === 0
    }
    const { shift, moved } = await page.evaluate(() => window.seen)
    shifts.push([name, shift, moved])
  }
  await add('transactions', await listRows(page, '/dashboard/transactions', 'Filter Transactions', size.transactions))
  await add('payouts', await listRows(page, '/dashboard/payouts', 'Filter Payouts', size.payouts))
  await add('contacts', await contacts(page))
  await add('agents', [await agents(page)])
  await add('palette', [await palette(page)])
  for (const name of ['overview', 'usage']) {
    await page.goto(`/dashboard/${name}`)
    await page.waitForLoadState('networkidle')
    await add(name, [])
  }
  console.log('\nlayout shift (limit 0.05)')
  for (const [name, shift, moved] of shifts) {
    const tooMuch = shift > limits.shift
    failed ||= tooMuch
    console.log(
      `${name.padEnd(46)}${shift.toFixed(3).padStart(8)}${tooMuch ? `  TOO MUCH\n  ${moved.join('\n  ')}` : ''}`,
    )
  }
  if (failed) process.exitCode = 1
} finally {
  await browser?.close()
  await stack.stop()
}
