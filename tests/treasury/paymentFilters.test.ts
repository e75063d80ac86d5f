import { expect, test } from 'vitest'
import { filterNames } from '#domain/paymentNotes.ts'
import { createMemoryTreasury } from '../support/memoryTreasury.ts'

test.each(filterNames)('lists of payments find %s by an index', (name) => {
  const { store, close } = createMemoryTreasury(1n, 1n)
  const [plan] = store.all<{ detail: string }>(
    `EXPLAIN QUERY PLAN SELECT * FROM payment WHERE agent_id = 'agt' AND ${name} = 'x'`,
  )
  close()
  expect(plan!.detail).toContain(`(${name}=? AND agent_id=?)`)
})
