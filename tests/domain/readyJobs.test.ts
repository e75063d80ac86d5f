/** Which jobs of a long queue a batch is chosen from: the Relayer's table and its chooser together. */
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { migrate } from '../../worker/durable/migrations.ts'
import { BatchChooser } from '../../worker/relayer/chooseBatch.ts'
import { relayerMigrations } from '../../worker/relayer/migrations.ts'
import { readyJobs, recordTurns } from '../../worker/relayer/readyJobs.ts'
import { storageOf } from '../support/memoryTreasury.ts'

const chain = { contractSets: { newest: 1, sets: { 1: {} } } } as unknown as Parameters<typeof readyJobs>[1]

function createQueue() {
  const storage = storageOf(new DatabaseSync(':memory:'))
  migrate(storage, relayerMigrations)
  const { sql } = storage
  const chooser = new BatchChooser()
  let at = 1_000_000
  const add = (count: number, userId: string, isNew: boolean) => {
    for (let i = 0; i < count; i++)
      sql.exec(
        `INSERT INTO job (id, user_id, principal, is_new_account, kind, lane, target, data, deadline, queued_at, due_at)
         VALUES (?1 || '-' || ?2, ?1, 'owner', ?3, 'send', 'send', '', '', 0, ?4, ?4)`,
        userId,
        i,
        isNew ? 1 : 0,
        at++,
      )
  }
  /** Sends one batch. Returns the users of its jobs. */
  const send = (): string[] => {
    const ready = readyJobs(sql, chain, at)
    const { batch } = chooser.choose(ready, { all: 0, isolated: 0 }, at)
    const chosen = ready.filter(({ id }) => batch!.jobIds.includes(id))
    recordTurns(sql, chosen, at++)
    for (const { id } of chosen) sql.exec("UPDATE job SET state = 'mined' WHERE id = ?", id)
    return chosen.map(({ userId }) => userId)
  }
  return { add, send }
}

test('a thousand new accounts get the share of one established account @relayer-fair-1', () => {
  const { add, send } = createQueue()
  for (let i = 0; i < 1_000; i++) add(1, `new-${i}`, true)
  for (let i = 0; i < 10; i++) add(50, `old-${i}`, false)
  for (let step = 0; step < 3; step++) {
    const ofNew = send().filter((user) => user.startsWith('new'))
    expect(ofNew.length).toBeGreaterThanOrEqual(3)
    expect(ofNew.length).toBeLessThanOrEqual(6)
  }
})

test('a new account behind 600 others with long queues waits for one round, not for their queues @relayer-fair-2', () => {
  const { add, send } = createQueue()
  for (let i = 0; i < 600; i++) add(5, `new-${i}`, true)
  add(1, 'late', true)
  const served: string[] = []
  while (!served.includes('late')) served.push(...send())
  expect(served.length).toBeLessThanOrEqual(650)
  expect(new Set(served).size).toBe(601)
})
