/** The TypeScript SDK over real connections, for what the replies of sdk/vectors.json cannot be. Python: sdk/python/tests/test_faults.py. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { Bursar, BursarOutcomeUnknown, BursarRefusal } from '#sdk'
import { readVectors } from '../support/vectors.ts'

const terms = { to: '0x8ba1f109551bD432803012645Ac136ddd64DBA72', amount: '1' }
const { replies } = readVectors()

/** Pauses of the SDK end at once, its timeouts do not. */
function skipPauses() {
  const wait = globalThis.setTimeout
  vi.stubGlobal('setTimeout', (run: () => void, ms = 0) => wait(run, ms < 5_000 ? 0 : ms))
}
afterEach(() => void vi.unstubAllGlobals())

/** Sends each connection the next text, as far as it goes. */
async function serverOf(texts: () => string | undefined) {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(texts() ?? ''))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

test('a reply that is cut in its headers or its body is asked for again @sdk-41', { tags: ['all'] }, async () => {
  skipPauses()
  for (const [name, status] of [
    ['created', 201],
    ['over_budget', 403],
  ] as const) {
    const body = JSON.stringify(replies[name]!.body)
    const length = new TextEncoder().encode(body).length
    const head = `HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n`
    const whole = head + body
    let next: string[] = []
    const { url, server } = await serverOf(() => next.shift())
    const bursar = new Bursar({ url, apiKey: 'bk_test' })
    for (let cut = 0; cut < whole.length; cut += cut < head.length ? 1 : 7) {
      next = [whole.slice(0, cut), whole, whole]
      const outcome = await bursar.pay(terms).catch((error: unknown) => error)
      if (name === 'created') expect(outcome, `cut after ${cut}`).toMatchObject({ id: replies.created!.body.id })
      else expect(outcome, `cut after ${cut}`).toBeInstanceOf(BursarRefusal)
      expect(next.length, `cut after ${cut}`).toBeLessThanOrEqual(1)
    }
    server.close()
  }
})

test('a port where nothing listens is named within three seconds @sdk-42', async () => {
  const { url, server } = await serverOf(() => undefined)
  server.close()
  await once(server, 'close')
  skipPauses()
  const startedAt = performance.now()
  const error = await new Bursar({ url, apiKey: 'bk_test' }).pay(terms).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(BursarOutcomeUnknown)
  expect((error as Error).message).toBe(
    `No connection to ${url}: ECONNREFUSED. Is this the URL of Bursar, and is it running?`,
  )
  expect(performance.now() - startedAt).toBeLessThan(3_000)
})
