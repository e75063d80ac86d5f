/** The card of /mcp in a chat: what it shows of each result, and the way from it to the page where a person decides. */
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Frame, Page } from '@playwright/test'
import { cardPage } from '../../worker/mcp/card/page.ts'
import { mcpRequest } from '../support/mcpRequest.ts'
import { violationsIn } from './audit.ts'
import { budgetRequest, hostile, payment, refusal, run, states } from './cardResults.ts'
import { chatRequests, openChat } from './chatHost.ts'
import { expect, soon, testAsOwner as test } from './fixtures.ts'
import { newAddress } from './people.ts'
import { recipient } from './seededAccount.ts'

test.use({ tolerated: chatRequests, viewport: { width: 600, height: 700 } })

const uri = 'ui://bursar/payment.html'
const review = (frame: Frame) => frame.getByRole('button', { name: 'Review in Bursar' })
const resultOf = (structuredContent: object) => ({ content: [], structuredContent })

/** Addresses that are not pages of the dashboard. */
function notOurs(origin: string): string[] {
  const { host } = new URL(origin)
  return [
    'https://evil.example/dashboard/approvals/apr_1',
    `https://${host}.evil.example/dashboard/approvals/apr_1`,
    `http://${host}@evil.example/dashboard/x`,
    `http://evil@${host}/dashboard/x`,
    `blob:${origin}/dashboard/x`,
    `${origin}/dashboard/../oauth/authorize`,
    `${origin}/claim/x`,
    `${origin}/dashboardx`,
    'javascript:alert(1)//dashboard/',
    '//evil.example/dashboard/',
    '/dashboard/x',
  ]
}

async function picture(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENS_DIR) return
  mkdirSync(process.env.SCREENS_DIR, { recursive: true })
  await page.locator('iframe').screenshot({ path: join(process.env.SCREENS_DIR, `card-${name}.png`) })
}

/** Pixels by which the content is wider than the frame. */
const overflow = (frame: Frame) =>
  frame.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

test('one press leads from the chat to the page that decides, and the card reads the state once on return @card-1', async ({
  page,
  context,
  owner,
  bursar,
}) => {
  test.slow() // the first test that needs these clients installs them
  const scopes = ['address_payments:write', 'payout_runs:prepare']
  const group = await owner.group('Chat', { approveAbove: '5', scopes })
  const { apiKey } = await owner.agent(group, 'Chat bot')
  const mcp = (method: string, params: Record<string, unknown>) => mcpRequest(bursar.url, apiKey!, method, params)
  const call = (name: string, args: object) => mcp('tools/call', { name, arguments: args })
  const { contents } = await mcp('resources/read', { uri })

  const input = { address: recipient, amount: '6', memo: 'Data', idempotency_key: randomUUID() }
  const asked = await call('pay_address', input)
  const chat = await openChat(page, contents[0].text)
  const frame = await chat.show({ result: asked, input })
  await expect(frame.getByRole('heading')).toContainText('6.00 USDC to 0x')
  await expect(frame.getByRole('main')).toContainText(
    /Waits for the owner.*Waits until .+\. Nothing can be approved here/,
  )
  const opening = context.waitForEvent('page')
  await review(frame).click()
  const decision = await opening
  await expect(decision.getByRole('region', { name: 'Chat bot asks to pay' })).toBeVisible(soon)
  expect(decision.url()).toBe(asked.structuredContent.approval.url)
  await decision.getByRole('button', { name: 'Deny', exact: true }).click()
  await expect(decision.getByRole('main')).toContainText('Denied by you', soon)
  await decision.close()

  await chat.reply(await call('get_payment', { payment_id: asked.structuredContent.id }))
  const comeBack = () => frame.evaluate(() => void document.dispatchEvent(new Event('visibilitychange')))
  await comeBack()
  await expect(frame.getByText('Denied', { exact: true })).toBeVisible()
  await comeBack()
  expect(await chat.called()).toEqual([{ name: 'get_payment', arguments: { payment_id: asked.structuredContent.id } }])
  await expect(review(frame)).toHaveCount(0)

  const rows = [
    { to: newAddress(), amount: '1' },
    { to: newAddress(), amount: '1,5' },
  ]
  const made = await call('prepare_payout_run', { title: 'Salaries', rows, idempotency_key: randomUUID() })
  const ofRun = await chat.show({ result: made })
  await expect(ofRun.getByRole('heading')).toHaveText('1.00 USDC for Salaries')
  await expect(ofRun.getByRole('listitem').first()).toContainText('Row 2')
  const openingRun = context.waitForEvent('page')
  await review(ofRun).click()
  const decidesRun = await openingRun
  await expect(decidesRun.getByRole('heading', { level: 1 })).toHaveText('Salaries', soon)
  await decidesRun.close()
  expect(chat.requests()).toEqual([])
})

for (const theme of ['light', 'dark'])
  test(`each state of a payment, a request and a run has its words, and can be read at every width, ${theme} @card-2`, async ({
    page,
    baseURL,
  }) => {
    const chat = await openChat(page, cardPage(baseURL!))
    for (const [name, result, texts, button] of states(baseURL!)) {
      const frame = await chat.show({ ...result, context: { theme } })
      for (const text of texts) await expect(frame.getByRole('main'), name).toContainText(text)
      await expect(frame.getByRole('button'), name).toHaveText(button ? [button] : [])
      for (const width of [300, 420, 800]) {
        await page.setViewportSize({ width, height: 700 })
        expect(await overflow(frame), `${name} at ${width}`).toBeLessThanOrEqual(0)
      }
      await page.setViewportSize({ width: theme === 'dark' ? 300 : 600, height: 700 })
      await picture(page, `${name}-${theme}`)
      expect(await violationsIn(frame), name).toEqual([])
    }
    expect(chat.requests()).toEqual([])
  })

test('names, memos and titles of strangers stay text @card-3', async ({ page, baseURL }) => {
  const chat = await openChat(page, cardPage(baseURL!))
  for (const [i, text] of hostile.entries()) {
    const all = [
      payment(baseURL!, { to: { type: 'contact', name: text, address: recipient }, memo: text, reference: text }),
      run(baseURL!, {
        title: text,
        reason: text,
        verdicts: [{ row: 1, to: text, amount: '1', level: 'error', detail: text }],
      }),
      budgetRequest(baseURL!, { reason: text }),
      { ...refusal, detail: text, next: text, rule: text },
    ]
    for (const [j, content] of all.entries()) {
      const result = { ...resultOf(content), isError: 'code' in content }
      const frame = await chat.show({ result, input: { amount: '6', email: text } })
      await page.setViewportSize({ width: 300, height: 700 })
      expect(await overflow(frame), text).toBeLessThanOrEqual(0)
      const tags = await frame.evaluate(() => [...document.querySelectorAll('main *')].map(({ tagName }) => tagName))
      expect(
        tags.filter((tag) => !/^(HEADER|H1|BDI|SPAN|DL|DT|DD|UL|LI|P|BUTTON)$/.test(tag)),
        text,
      ).toEqual([])
      expect(await frame.locator('main').textContent(), text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/)
      expect(await frame.evaluate(() => 'attacked' in window)).toBe(false)
      await picture(page, `hostile-${i}-${j}`)
    }
  }
  expect(chat.requests()).toEqual([])
  expect(await chat.opened()).toEqual([])
})

test('without links of the host the address is shown, and an address that is not ours is not @card-4', async ({
  page,
  baseURL,
}) => {
  const chat = await openChat(page, cardPage(baseURL!))
  const waiting = payment(baseURL!)
  const { url } = waiting.approval!
  const plain = await chat.show({ result: resultOf(waiting), capabilities: {} })
  await expect(plain.getByText(url, { exact: true })).toBeVisible()
  await expect(review(plain)).toHaveCount(0)
  expect(await overflow(plain)).toBeLessThanOrEqual(0)
  await picture(page, 'no-links')
  await plain.evaluate(() => void document.dispatchEvent(new Event('visibilitychange')))
  expect(await chat.called(), 'the host does not pass calls on').toEqual([])

  await chat.refuseLinks()
  const refused = await chat.show({ result: resultOf(waiting) })
  await review(refused).click()
  await expect(refused.getByText(url, { exact: true })).toBeVisible()
  expect(await chat.opened()).toEqual([url])

  const own = { '--color-background-primary': '#102030', '--color-text-primary': '#e0f0ff' }
  const paperIn = async (variables: object) => {
    const colored = await chat.show({ result: resultOf(waiting), context: { theme: 'dark', styles: { variables } } })
    return colored.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  }
  expect(await paperIn(own)).toBe('rgb(16, 32, 48)')
  await picture(page, 'host-colors')
  expect(await paperIn({ '--color-background-primary': '#102030' }), 'not without their ink').toBe('rgb(27, 29, 26)')

  for (const foreign of notOurs(baseURL!)) {
    const frame = await chat.show({ result: resultOf({ ...waiting, approval: { ...waiting.approval, url: foreign } }) })
    await expect(frame.getByText('The link is left out'), foreign).toBeVisible()
    await expect(review(frame), foreign).toHaveCount(0)
    expect(await frame.locator('main').textContent()).not.toContain('evil')
  }
  expect(chat.requests()).toEqual([])
})
