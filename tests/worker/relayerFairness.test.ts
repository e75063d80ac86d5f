import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import type { RelayJob } from '../../worker/relayer/api.ts'
import type { Relayer } from '../../worker/relayer/relayer.ts'
import type { ModelNode } from '../support/modelNode.ts'
import { blacklisted, merchant, modelSend, pass, startModelNode } from './modelRelayer.ts'
import { party, relayer, report, rows, setUpRelayers } from './relayerHarness.ts'

setUpRelayers()

const wallet = party('fairness').address
/** A job with a new id each time, as after signing again. `sequence` tells intents apart. */
const job = (node: ModelNode, sequence: number, to = merchant, over: Partial<RelayJob> = {}) =>
  modelSend('user', wallet, sequence, to, node.now(), over)

const submit = (...jobs: RelayJob[]) => relayer().submit(jobs)
const state = async ({ id }: RelayJob) => (await report(id)).state

describe('a principal whose jobs fail in simulation', () => {
  test('a principal whose jobs fail waits 2 s, doubling to 60 s, however many new jobs it creates @relayer-3', async () => {
    const node = await startModelNode()
    const tries: number[] = []
    const call = node.call.bind(node)
    node.call = (request) => {
      tries.push(node.now())
      return call(request)
    }
    // Submits a newer signature of the same intent every two seconds; each starts without failures.
    for (let second = 0; second < 200; second += 2) {
      await submit(job(node, 0, blacklisted))
      await pass(node, 2_000)
    }
    const gaps = tries.slice(1).map((at, i) => Math.round((at - tries[i]!) / 1_000))
    expect(gaps.slice(0, 5)).toEqual([2, 4, 8, 16, 32])
    expect(new Set(gaps.slice(5))).toEqual(new Set([60]))
  })

  test('a principal whose jobs fail delays neither other principals of its user nor exits', async () => {
    const node = await startModelNode()
    await submit(job(node, 0, blacklisted, { principal: 'agent a' }))
    await pass(node, 500)
    const ofSame = job(node, 1, merchant, { principal: 'agent a' })
    const ofOther = job(node, 2, merchant, { principal: 'agent b' })
    const ofOwner = job(node, 3)
    const exit = job(node, 4, merchant, { kind: 'exit', principal: 'agent a' })
    await submit(ofSame, ofOther, ofOwner, exit)
    await pass(node, 500)
    expect(await state(ofSame)).toBe('waiting')
    for (const sent of [ofOther, ofOwner, exit]) expect(await state(sent)).toBe('broadcast')
    await pass(node, 2_000)
    expect(await state(ofSame)).not.toBe('waiting')
  })

  test('an exit that fails is retried separately and delays nothing else', async () => {
    const node = await startModelNode()
    const exit = job(node, 0, blacklisted, { kind: 'exit' })
    await submit(exit)
    await pass(node, 500)
    const send = job(node, 1)
    await submit(send)
    await pass(node, 500)
    expect([await state(exit), await state(send)]).toEqual(['parked', 'broadcast'])
    node.blacklist.clear()
    await pass(node, 4_000)
    expect(await state(exit)).toBe('mined')
  })

  test('a principal is no longer delayed once its jobs are mined', async () => {
    const node = await startModelNode()
    const batch = [job(node, 0, blacklisted), job(node, 1), job(node, 2)]
    await submit(...batch)
    await pass(node, 500)
    expect(await Promise.all(batch.map(state))).toEqual(['parked', 'broadcast', 'broadcast'])
    node.blacklist.clear()
    await pass(node, node.nextBlockAt() - node.now() + 1_100)
    expect(await rows('SELECT * FROM failing_principal')).toEqual([])
  })
})

test('if one job of a batch fails, the rest is sent in the same step, after one more simulation @relayer-4', async () => {
  const node = await startModelNode()
  const jobs = Array.from({ length: 10 }, (_, i) => job(node, i, i === 4 ? blacklisted : merchant))
  await submit(...jobs)
  const before = node.roundTrips
  await pass(node, 200)
  const states = await Promise.all(jobs.map(state))
  expect(states.filter((each) => each === 'broadcast')).toHaveLength(9)
  // Round trips: chain and simulation, the failing job alone, the rest again, sending; then one poll.
  expect(node.roundTrips - before).toBeLessThanOrEqual(5)
  expect(await rows('SELECT count(*) AS n FROM account_tx')).toEqual([{ n: 1 }])
})

test('jobs of a user with too many failures on chain are parked, except exits', async () => {
  const node = await startModelNode()
  await runInDurableObject(relayer(), (_: Relayer, { storage }) => {
    for (let i = 0; i < 10; i++) storage.sql.exec(`INSERT INTO failure VALUES ('user', ?)`, node.now())
  })
  const [send, exit] = [job(node, 0), job(node, 1, merchant, { kind: 'exit' })]
  await submit(send, exit)
  await pass(node, 200)
  expect([await state(send), await state(exit)]).toEqual(['parked', 'broadcast'])
})

describe('reports', () => {
  test('a revert is reported once, marked as a revert, with its reason @relayer-5', async () => {
    const node = await startModelNode()
    const bad = job(node, 0, blacklisted)
    await submit(bad)
    await pass(node, 10_000)
    expect(await report(bad.id)).toMatchObject({
      state: 'parked',
      reverts: true,
      reason: expect.stringMatching(/^Black/),
    })
    expect(await rows('SELECT simulation_failures > 1 AS again, report_version FROM job')).toEqual([
      { again: 1, report_version: 1 },
    ])
    node.blacklist.clear()
    await pass(node, 10_000)
    expect(await report(bad.id)).not.toHaveProperty('reverts')
  })

  test('a job that reverted until it expired is reported as reverting', async () => {
    const node = await startModelNode()
    const bad = job(node, 0, blacklisted)
    await submit(bad)
    await pass(node, 10_000)
    node.passTo(node.now() + 240_000)
    await pass(node, 100)
    expect(await report(bad.id)).toMatchObject({ state: 'dropped', reverts: true })
  })

  test('gas is divided among the jobs of a transaction, and bounded by the limit that was signed @relayer-6', async () => {
    const node = await startModelNode()
    const jobs = [job(node, 0), job(node, 1), job(node, 2)]
    await submit(...jobs)
    await pass(node, 3_000)
    for (const { id } of jobs) expect((await report(id)).gasUsed).toBe(50_000)

    node.gasPerSend = 10n ** 12n // a node that lies
    const next = job(node, 3)
    await submit(next)
    await pass(node, 3_000)
    const [{ gas }] = (await rows<{ gas: number }>('SELECT max(gas) AS gas FROM account_tx WHERE nonce = 1')) as [
      { gas: number },
    ]
    expect((await report(next.id)).gasUsed).toBe(gas)
  })
})
