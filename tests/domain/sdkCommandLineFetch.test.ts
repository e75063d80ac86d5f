/** `bursar fetch` with a seller and purchases of /v1 in memory: output and exit codes. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { run } from '../../sdk/src/cli/run.ts'
import { pause } from '../../sdk/src/pause.ts'
import { bursarUrl, problem, purchaseApi, unsigned } from '../support/purchaseApi.ts'
import { memoryFacilitator, x402Shop } from '../support/x402Shop.ts'

const network = 'eip155:8453'
const payTo = '0x2222222222222222222222222222222222222222'
const token = { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', name: 'USD Coin', version: '2' }
const shop = () =>
  x402Shop(memoryFacilitator(network).facilitator, {
    network,
    payTo,
    token,
    prices: { '/data': 10_000, 'POST /report': 20_000 },
  })
const url = 'https://shop.example/data'

type Sells = (request: Request) => Response | Promise<Response>

/** Runs a command. Returns its exit code and what it printed where. */
async function fetched(args: string[], { api = purchaseApi(), sells = shop().fetch as Sells, isTerminal = true } = {}) {
  vi.stubGlobal('fetch', api.fetchWith(sells))
  const printed = { out: '', err: '', body: '' }
  const code = await run(['fetch', ...args], {
    environment: { BURSAR_API_KEY: 'bk_test', BURSAR_URL: bursarUrl },
    isTerminal,
    out: (text) => {
      printed.out += text
    },
    err: (text) => {
      printed.err += text
    },
    write: (bytes) => {
      printed.body += new TextDecoder().decode(bytes)
    },
    signal: new AbortController().signal,
    clock: { now: Date.now, pause },
  })
  return { code, ...printed, api }
}
afterEach(() => vi.unstubAllGlobals())

test('0: the body goes to standard output as it is, and what was paid to standard error @x402-161', async () => {
  const bought = await fetched([url, '--max-amount', '0.05', '--memo', 'Weather', '--key', 'weather-1'])
  expect(bought).toMatchObject({ code: 0, out: '', body: 'paid /data', err: 'Paid 0.01 USDC to shop.example (pay_1).' })
  expect(bought.api.asked).toMatchObject([{ key: 'weather-1', max_amount: '0.05', memo: 'Weather', method: 'GET' }])
  const piped = await fetched([url], { isTerminal: false })
  expect(piped.body).toBe('paid /data')
  const { payment, status, idempotency_key } = JSON.parse(piped.err)
  expect([payment.id, payment.amount, payment.x402, status]).toEqual(['pay_1', '0.01', undefined, 200])
  expect(idempotency_key).toMatch(/^[0-9a-f-]{36}$/)
  const free = await fetched(['https://shop.example/free'], { sells: () => new Response('free') })
  expect(free).toMatchObject({ code: 0, body: 'free', err: '' })
})

test('0: method, headers and body are sent, the body also from a file @x402-162', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bursar-fetch-'))
  try {
    await writeFile(join(folder, 'order.txt'), 'from a file')
    const report = 'https://shop.example/report'
    expect(await fetched([report, '-d', 'about Rome'])).toMatchObject({ code: 0, body: 'paid /report: about Rome' })
    const seen: Request[] = []
    const sells: Sells = (request) => {
      seen.push(request.clone())
      return shop().fetch(request)
    }
    const args = [report, '--data', `@${join(folder, 'order.txt')}`, '-H', 'accept: text/plain', '--header', 'x-own:1']
    expect(await fetched(args, { sells })).toMatchObject({ code: 0, body: 'paid /report: from a file' })
    expect([seen[1]!.headers.get('accept'), seen[1]!.headers.get('x-own')]).toEqual(['text/plain', '1'])
    const none = await fetched([report, '--data', `@${join(folder, 'none')}`])
    expect(none).toMatchObject({ code: 2, err: expect.stringMatching(/^--data: ENOENT/) })
  } finally {
    await rm(folder, { recursive: true })
  }
})

test.each<[string, string[]]>([
  ['an address that is none', ['shop.example/data']],
  ['a header without a colon', [url, '-H', 'accept']],
  ['a body with GET', [url, '-X', 'GET', '-d', 'x']],
  ['a wait that is none', [url, '--wait', 'sent']],
  ['a timeout that is none', [url, '--timeout', 'soon']],
])('2: %s is reported before anything is sent @x402-163', async (_, args) => {
  const sells = vi.fn<Sells>()
  expect(await fetched(args, { sells })).toMatchObject({ code: 2, body: '' })
  expect(sells).not.toHaveBeenCalled()
})

test('3: a refusal, an error of the seller, and no reply: nothing was paid @x402-164', async () => {
  const figures = { rule: 'group.hosts', next: 'Ask the owner to allow this host.' }
  const refused = await fetched([url], { api: purchaseApi(() => problem(403, 'host_not_allowed', figures)) })
  expect(refused).toMatchObject({ code: 3, body: '' })
  expect(refused.err).toBe('Because of host_not_allowed.\nRule: group.hosts\nAsk the owner to allow this host.')
  const missing = await fetched([url], { sells: () => new Response('none', { status: 404 }) })
  expect(missing).toMatchObject({
    code: 3,
    body: 'none',
    err: 'shop.example replied with status 404. Nothing was paid.',
  })
  const down = () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }))
  const silent = await fetched([url], { sells: down })
  expect(silent).toMatchObject({ code: 3, err: `No reply from ${url}: ECONNREFUSED. Nothing was paid.` })
  const piped = await fetched([url], { sells: down, isTerminal: false })
  expect(JSON.parse(piped.err).error).toMatchObject({ code: 'no_reply' })
})

test('4: a purchase that waits for the owner says where to approve it, and the key @x402-165', async () => {
  const approval = { id: 'apr_1', status: 'PENDING', url: `${bursarUrl}/dashboard/approvals/apr_1` } as never
  const api = purchaseApi(() => ({ status: 202, body: unsigned('PENDING_APPROVAL', { approval }) }))
  const { code, err } = await fetched([url, '--key', 'weather-1'], { api })
  expect(code).toBe(4)
  expect(err).toContain(`${bursarUrl}/dashboard/approvals/apr_1`)
  expect(err).toContain('--key weather-1')
})

test('6: a seller that was handed a payment and does not serve, with the key to repeat @x402-166', async () => {
  const sellsUntilPaid =
    (reply: () => Response): Sells =>
    (request) =>
      request.headers.has('payment-signature') ? reply() : shop().fetch(request)
  const again = await fetched([url, '--key', 'k'], { sells: sellsUntilPaid(() => new Response(null, { status: 402 })) })
  expect(again).toMatchObject({ code: 6, body: '' })
  expect(again.err).toMatch(/was handed pay_1 \(0\.01 USDC\) and still replied 402\.\nRepeat the command with --key k:/)
  const broken = await fetched([url, '--key', 'k'], {
    sells: sellsUntilPaid(() => new Response('sorry', { status: 500 })),
  })
  expect(broken).toMatchObject({ code: 6, body: 'sorry' })
  expect(broken.err).toBe(
    'shop.example was handed pay_1 (0.01 USDC) and replied with status 500.\nRepeat the command with --key k: it never pays twice.',
  )
  const cut = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) })
  const half = await fetched([url, '--key', 'k'], { sells: sellsUntilPaid(() => new Response(cut)) })
  expect(half).toMatchObject({ code: 6, err: expect.stringContaining('pay_1 may have paid for it.') })
})
