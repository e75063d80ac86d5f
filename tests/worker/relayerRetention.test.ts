/** What a Relayer deletes, and when. `npm run test:long relayer-retention` runs the first test in full. */
import { runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { dayMs, hourMs, minuteMs } from '#domain/time.ts'
import type { RelayJob } from '../../worker/relayer/api.ts'
import type { Relayer } from '../../worker/relayer/relayer.ts'
import type { ModelNode } from '../support/modelNode.ts'
import { within } from '../support/patience.ts'
import { blacklisted, merchant, modelSend, nextDueAt, startModelNode } from './modelRelayer.ts'
import { env, party, relayer, report, rows, setUpRelayers } from './relayerHarness.ts'

setUpRelayers()

const sends = Number((env as { RETENTION_SENDS?: string }).RETENTION_SENDS || 500)
const perStep = 250
const wallet = party('retention').address

/** Submits the jobs and runs all due work, including housekeeping, until `ms` of the node's time have passed. */
async function live(node: ModelNode, ms: number, jobs: RelayJob[] = []): Promise<void> {
  const end = node.now() + ms
  await runInDurableObject(relayer(), async (instance: Relayer, { storage }) => {
    await instance.submit(jobs)
    do {
      await instance.alarm()
      const at = Math.max(nextDueAt(storage) ?? end, node.now() + 40)
      node.passTo(Math.min(at, end))
    } while (node.now() < end)
  })
}

const left = async () => {
  const [row] = await rows<Record<'job' | 'calls' | 'guard' | 'attempt' | 'account_tx' | 'batch_job', number>>(
    `SELECT (SELECT count(*) FROM job) AS job, (SELECT count(*) FROM job WHERE data <> '') AS calls,
       (SELECT count(*) FROM guard) AS guard, (SELECT count(*) FROM attempt) AS attempt,
       (SELECT count(*) FROM account_tx) AS account_tx, (SELECT count(*) FROM batch_job) AS batch_job`,
  )
  return row
}
const databaseSize = () => runInDurableObject(relayer(), (_: Relayer, { storage }) => storage.sql.databaseSize)

test('a Relayer keeps no rows of its sends after two days @retention-1', within(1_200_000), async () => {
  const node = await startModelNode()
  const sizes: number[] = []
  for (let sent = 0; sent < sends; sent += perStep) {
    const jobs = Array.from({ length: Math.min(perStep, sends - sent) }, (_, i) =>
      modelSend(`user ${i % 20}`, wallet, sent + i, merchant, node.now()),
    )
    await live(node, 30_000, jobs)
    sizes.push(await databaseSize())
  }
  await live(node, 4 * minuteMs)
  expect(node.minedIn.size).toBe(sends)
  expect(await left()).toMatchObject({ job: sends })
  await live(node, 2 * hourMs)
  const final = await databaseSize()
  expect(await left()).toEqual({ job: sends, calls: 0, guard: 0, attempt: 0, account_tx: 0, batch_job: 0 })
  await live(node, 2 * dayMs)
  expect(await left()).toEqual({ job: 0, calls: 0, guard: 0, attempt: 0, account_tx: 0, batch_job: 0 })
  const after = await databaseSize()
  console.log(
    `${sends} sends: at most ${Math.max(...sizes)} bytes, ${final} once final (${Math.round(final / sends)} a send), ${after} after two days`,
  )
  expect(after).toBeLessThan(sends < 50_000 ? 200_000 : 5_000_000)
})

test('different content under a nonce is refused until finality, and an executed job is not sent again @retention-2', async () => {
  const node = await startModelNode()
  const job = modelSend('user', wallet, 1, merchant, node.now())
  const other = { ...modelSend('user', wallet, 1, party('thief').address, node.now()), id: 'other' }
  const submit = (one: RelayJob) => relayer().submit([one])
  await live(node, 20_000, [job])
  expect((await report(job.id)).state).toBe('mined')
  expect((await submit(other)).refused).toHaveLength(1)
  await live(node, 29 * minuteMs)
  expect((await submit(other)).refused).toHaveLength(1)
  await live(node, hourMs)
  expect(await left()).toMatchObject({ guard: 0, calls: 0, attempt: 0 })

  // The guard is gone, but the wallet refuses the same nonce, and the Relayer still knows the job.
  const late = { ...modelSend('user', wallet, 1, party('thief').address, node.now()), id: 'late' }
  expect((await submit(late)).accepted).toEqual(['late'])
  expect((await submit(job)).accepted).toEqual([job.id])
  await live(node, 10 * minuteMs)
  expect([(await report('late')).state, (await report(job.id)).state]).toEqual(['dropped', 'mined'])
  expect(await rows('SELECT nonce FROM attempt')).toEqual([])
})

test('a guard stays while any signature accepted for it may still be executed @retention-3', async () => {
  const node = await startModelNode()
  const at = (ms: number, id: string) => ({ ...modelSend('user', wallet, 2, blacklisted, node.now() + ms), id })
  // Refused in simulation, signed again with a later deadline, never executed.
  await live(node, 10_000, [at(0, 'first'), at(3 * hourMs, 'again')])
  await live(node, 2 * hourMs)
  expect(await left()).toMatchObject({ guard: 1 })
  expect(await rows(`SELECT state FROM job WHERE id = 'first'`)).toEqual([{ state: 'dropped' }])
  await live(node, 3 * hourMs)
  expect(await left()).toMatchObject({ guard: 0 })
})
