/** Nodes that stop responding in the middle of a step or lie about blocks, and a Relayer whose storage is full. */
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { RpcUnavailable } from '../../worker/chain/types.ts'
import type { RelayJob } from '../../worker/relayer/api.ts'
import type { Relayer } from '../../worker/relayer/relayer.ts'
import { blockMs, type ModelNode } from '../support/modelNode.ts'
import { blacklisted, merchant, modelSend, pass, startModelNode } from './modelRelayer.ts'
import { attempts, party, relayer, report, rows, setUpRelayers } from './relayerHarness.ts'

setUpRelayers()
afterEach(() => vi.restoreAllMocks())

const wallet = party('lying node').address
const job = (node: ModelNode, sequence: number, to = merchant, over: Partial<RelayJob> = {}) =>
  modelSend('user', wallet, sequence, to, node.now(), over)
const state = async ({ id }: RelayJob) => (await report(id)).state

type Method = 'head' | 'fees' | 'accountNonce' | 'receipt' | 'call' | 'sendRaw'

/** Lets requests for `method` time out after five seconds, from the `from`-th on. Returns a function that undoes it. */
function silence(node: ModelNode, method: Method, from = 0): () => void {
  let count = 0
  const original = node[method]
  const silent = async (...args: unknown[]) => {
    const isSilent = count++ >= from
    const answer = (original as (...args: unknown[]) => Promise<unknown>).apply(node, args)
    if (!isSilent) return answer
    await answer.catch(() => {})
    node.passTo(node.now() + 5_000)
    throw new RpcUnavailable('timeout')
  }
  Object.assign(node, { [method]: silent })
  return () => Object.assign(node, { [method]: original })
}

describe('a node that stops responding', () => {
  test.each<{ method: Method; from: number; when: string }>([
    { method: 'head', from: 0, when: 'at the start of a step' },
    { method: 'fees', from: 0, when: 'about fees' },
    { method: 'accountNonce', from: 0, when: 'about the account nonce' },
    { method: 'call', from: 0, when: 'in the simulation' },
    { method: 'call', from: 1, when: 'while simulating the failing job alone' },
    { method: 'call', from: 2, when: 'in the second simulation' },
    { method: 'sendRaw', from: 0, when: 'after accepting the transaction' },
    { method: 'receipt', from: 1, when: 'about receipts' },
  ])('after a node stopped responding $when, the jobs are delivered once each @relayer-9', async ({ method, from }) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const node = await startModelNode()
    const restoreNode = silence(node, method, from)
    const bad = job(node, 0, blacklisted)
    const good = [job(node, 1), job(node, 2), job(node, 3)]
    await relayer().submit([bad, ...good])
    await pass(node, 12_000)
    expect(log.mock.calls.join('\n')).toContain('timeout')
    restoreNode()
    await pass(node, 3 * blockMs)
    expect(await Promise.all(good.map(state))).toEqual(['mined', 'mined', 'mined'])
    expect(await state(bad)).toBe('parked')
    expect(await attempts()).toHaveLength(1)
    expect((await relayer().health()).stepError).toBeNull()
  })
})

describe('a node that lies about blocks', () => {
  test('with a head from the future, no job is dropped or sent @relayer-10', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const node = await startModelNode()
    await runInDurableObject(relayer(), (instance: Relayer) => {
      instance.maxClockSkew = '900'
    })
    const head = node.head.bind(node)
    node.head = async () => ({ ...(await head()), timestamp: Math.floor(node.now() / 1000) + 902 })
    const waiting = job(node, 0)
    await relayer().submit([waiting])
    await pass(node, 5_000)
    expect(await state(waiting)).toBe('waiting')
    expect(await attempts()).toEqual([])
    expect((await relayer().health()).stepError).toMatch(/^block \d+ is 90[12] s ahead of our clock$/)
    node.head = head
    await pass(node, 3 * blockMs)
    expect(await state(waiting)).toBe('mined')
  })

  test('a block number from the future does not keep a stuck transaction from being replaced @relayer-16', async () => {
    const node = await startModelNode()
    const [head, sendRaw] = [node.head.bind(node), node.sendRaw.bind(node)]
    node.head = async () => ({ ...(await head()), number: 1_000_000 })
    // Accepted, but lost by the pool.
    let isLosing = true
    node.sendRaw = async (raw) => (isLosing ? '0x' : sendRaw(raw))
    const stuck = job(node, 0)
    await relayer().submit([stuck])
    await pass(node, 1_000)
    expect(await state(stuck)).toBe('broadcast')
    node.head = head
    isLosing = false
    await pass(node, 8 * blockMs)
    expect(await state(stuck)).toBe('mined')
  })
})

describe('storage', () => {
  test('a full Relayer accepts only further steps of accepted payments and exits, and logs that @relayer-11', async () => {
    const log = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const node = await startModelNode()
    const known = job(node, 0, blacklisted)
    await relayer().submit([known])
    expect(await relayer().health()).toMatchObject({ isFull: false })
    const limit = (bytes: number) =>
      runInDurableObject(relayer(), (instance: Relayer) => {
        instance.maxDatabaseBytes = bytes
      })
    const { databaseBytes } = await relayer().health()
    await limit(databaseBytes - 1)

    const again = { ...known, id: 'signed again' }
    const { packed: _, guard: __, ...call } = job(node, 1)
    const of = (kind: RelayJob['kind']): RelayJob => ({ ...call, id: kind, kind })
    const taken = [again, of('announce'), of('claim'), of('reclaim'), of('exit')]
    const refused = [job(node, 2), of('deploy'), of('rotate')]
    expect(await relayer().submit([...taken, ...refused])).toEqual({
      accepted: taken.map(({ id }) => id),
      refused: refused.map(({ id }) => ({ id, reason: 'full' })),
    })
    expect(await relayer().health()).toMatchObject({ isFull: true })
    const events = () =>
      log.mock.calls.map(([line]) => JSON.parse(line).event).filter((event) => event.endsWith('full'))
    expect(events()).toEqual(['relayer_full'])

    await limit((await relayer().health()).databaseBytes)
    expect(await relayer().submit(refused)).toMatchObject({ refused: [] })
    expect(events()).toEqual(['relayer_full', 'relayer_no_longer_full'])
    expect(await rows(`SELECT count(*) AS n FROM job WHERE kind = 'deploy'`)).toEqual([{ n: 1 }])
  })
})

test('health counts waiting jobs', async () => {
  const node = await startModelNode()
  silence(node, 'head')
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const submittedAt = node.now()
  await relayer().submit([job(node, 0), job(node, 1)])
  expect(await relayer().health()).toMatchObject({ waiting: 2, ready: 2, oldestAt: submittedAt, inFlight: 0 })
})
