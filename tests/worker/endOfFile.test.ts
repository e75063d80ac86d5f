import { beforeAll, expect, test } from 'vitest'
import { deleteEverything } from '../support/endOfFile.ts'
import { accepted, createPayer, manualChain, prepare, until } from '../support/payer.ts'
import { inTreasury, rowsOf } from '../support/treasuries.ts'
import { env } from '../support/workerChain.ts'

beforeAll(prepare)

test('work that a test file leaves behind ends with the file', async () => {
  const payer = await createPayer({ on: manualChain })
  const { id } = await accepted(payer)
  const pool = () => manualChain.node<{ pending: string; queued: string }>('txpool_status')
  await until('the pool has the transaction', async () => (await pool()).pending === '0x1')
  const alarm = () => inTreasury(payer, (_, { storage }) => storage.getAlarm())
  const jobs = () => env.RELAYER.getByName('84532:0').status([`${id}:1`])
  expect(await alarm()).not.toBeNull()
  expect(await jobs()).toHaveLength(1)

  await deleteEverything()
  expect(await pool()).toEqual({ pending: '0x0', queued: '0x0' })
  const tables = env.DB.prepare("SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf_*'")
  expect((await tables.all()).results).toEqual([])
  // These are new objects under the old names.
  expect([await rowsOf(payer, 'SELECT * FROM payment'), await alarm(), await jobs()]).toEqual([[], null, []])
})
