import { expect, test } from 'vitest'
import { claimPage } from '../../web/functions/claimPage.ts'

const html = '<!doctype html><head></head><body><div id="root"></div></body></html>'
const files = {
  fetch: () => new Response(html, { headers: { 'content-type': 'text/html', etag: '"1"', 'cache-control': 'public' } }),
}
const link = 'https://bursar.example/claim/pay_1.mac.secret'
const open = (reply: Response | Promise<Response>, request = new Request(link)) =>
  claimPage(request, files, { fetch: () => reply })

/** The served reply in `page`; null if there is none. */
function replyIn(page: string): unknown {
  const [script, json] = /<script type="application\/json" id="reply">(.*?)<\/script>/s.exec(page) ?? ['', 'null']
  expect(page.replace(script!, '')).toBe(html)
  return JSON.parse(json!)
}

test('a claim page contains the reply to its first call, and is not cached @screens-65', async () => {
  const body = { success: true, data: { amount: '5' } }
  const page = await open(Response.json(body))
  expect(replyIn(await page.text())).toEqual({ status: 200, body })
  expect(Object.fromEntries(page.headers)).toEqual({ 'content-type': 'text/html', 'cache-control': 'no-store' })
  const gone = { success: false, error: 'This payout link is invalid or has expired.', code: 'gone' }
  expect(replyIn(await (await open(Response.json(gone, { status: 410 }))).text())).toEqual({ status: 410, body: gone })
})

test.each(['</script><script>alert(1)</script>', '<!--<script>', '\u2028$&$1'])(
  'the text %j of a sender ends up in the page as it is, and as data @screens-66',
  async (memo) => {
    const page = await (await open(Response.json({ data: { memo } }))).text()
    expect(page.match(/<script|<!--/g)).toEqual(['<script'])
    expect(replyIn(page)).toEqual({ status: 200, body: { data: { memo } } })
  },
)

test('the first part of the page does not wait for the reply @screens-67', async () => {
  const reply = Promise.withResolvers<Response>()
  const reader = (await open(reply.promise)).body!.getReader()
  const first = new TextDecoder().decode((await reader.read()).value)
  expect(html.startsWith(first)).toBe(true)
  expect(first).toContain('<div id="root">')
  reply.resolve(Response.json({ success: true }))
  expect(new TextDecoder().decode((await reader.read()).value)).toContain('id="reply">{"status":200')
})

test('a page without a usable reply is the plain page, which asks by itself @screens-68', async () => {
  const never = (call: Request) =>
    new Promise<Response>((_, reject) => call.signal.addEventListener('abort', () => reject(call.signal.reason)))
  const pages = [
    open(Response.json({}, { status: 429 })),
    open(Response.json({}, { status: 500 })),
    open(new Response('<p>not JSON</p>')),
    open(Promise.reject(new Error('no Worker'))),
    claimPage(new Request(link), files, { fetch: never }, 1),
    open(Response.json({}), new Request('https://bursar.example/claim/a/b')),
    open(Response.json({}), new Request(link, { method: 'POST' })),
  ]
  for (const page of pages) expect(replyIn(await (await page).text())).toBeNull()
})
