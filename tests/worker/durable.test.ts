import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import { Alarms, earliest } from '../../worker/durable/alarms.ts'
import { contract, expand, migrate, newSchema, runJobStep } from '../../worker/durable/migrations.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { env } from '../support/testEnv.ts'

type Kind = 'pay' | 'tidy'
type Bench = {
  storage: DurableObjectStorage
  clock: { now: number }
  /** Kinds in the order they ran. */
  ran: Kind[]
  failed: Kind[]
  work: Record<Kind, () => Promise<number | null>>
  /** Returns alarms as after a restart: the same storage, nothing in memory. */
  fresh: () => Alarms<Kind>
  /** Minutes until the object's real alarm, rounded; null if there is none. */
  alarmInMinutes: () => Promise<number | null>
  /** Resolves when the object's real alarm fires. */
  alarmFires: Promise<void>
}

const minutes = (count: number) => count * minuteMs
const retryMs = minutes(20)

/** Calls `use` with the storage of an object that only this test uses. The object's real alarm runs nothing. */
async function onStorage(use: (bench: Bench) => Promise<void>): Promise<void> {
  const object = env.TREASURY.getByName(`alarms ${crypto.randomUUID()}`)
  await runInDurableObject(object, async (instance: Treasury, { storage }) => {
    const { promise: alarmFires, resolve: fire } = Promise.withResolvers<void>()
    instance.alarm = async () => fire()
    const clock = { now: 1_000_000 }
    const bench: Bench = {
      storage,
      clock,
      ran: [],
      failed: [],
      work: { pay: async () => null, tidy: async () => null },
      fresh: () =>
        new Alarms<Kind>(storage, {
          now: () => clock.now,
          run: (kind) => {
            bench.ran.push(kind)
            return bench.work[kind]()
          },
          onError: (kind) => bench.failed.push(kind),
          retryMs,
          maxRunsInARow: 3,
        }),
      alarmInMinutes: async () => {
        const at = await storage.getAlarm()
        return at === null ? null : Math.round((at - Date.now()) / minuteMs)
      },
      alarmFires,
    }
    await use(bench)
    await storage.deleteAlarm()
  })
}

describe('Alarms', () => {
  test('the alarm is set to the earliest due time, and deleted when nothing is due', () =>
    onStorage(async ({ fresh, clock, ran, alarmInMinutes }) => {
      const alarms = fresh()
      alarms.schedule('pay', clock.now + minutes(30))
      alarms.schedule('tidy', clock.now + minutes(10))
      expect(await alarmInMinutes()).toBe(10)
      clock.now += minutes(10)
      await alarms.handleAlarm()
      expect(ran).toEqual(['tidy'])
      expect(await alarmInMinutes()).toBe(20)
      clock.now += minutes(20)
      await alarms.handleAlarm()
      expect(ran).toEqual(['tidy', 'pay'])
      expect(await alarmInMinutes()).toBeNull()
    }))

  test('schedule keeps the earlier time: a later one changes nothing', () =>
    onStorage(async ({ fresh, clock, alarmInMinutes }) => {
      const alarms = fresh()
      alarms.schedule('pay', clock.now + minutes(10))
      alarms.schedule('pay', clock.now + minutes(30))
      expect(alarms.nextAt()).toBe(clock.now + minutes(10))
      alarms.schedule('pay', clock.now + minutes(5))
      expect(alarms.nextAt()).toBe(clock.now + minutes(5))
      expect(await alarmInMinutes()).toBe(5)
    }))

  test('after a restart, a later request does not override the earlier alarm', () =>
    onStorage(async ({ fresh, clock, alarmInMinutes }) => {
      fresh().schedule('pay', clock.now + minutes(10))
      fresh().schedule('tidy', clock.now + minutes(30))
      expect(await alarmInMinutes()).toBe(10)
      fresh().schedule('pay', clock.now + minutes(30))
      expect(await alarmInMinutes()).toBe(10)
    }))

  test('a request made during an alarm does not override the earlier alarm', () =>
    onStorage(async ({ fresh, clock, work, alarmInMinutes }) => {
      const alarms = fresh()
      alarms.schedule('tidy', clock.now + minutes(10))
      alarms.schedule('pay', clock.now)
      work.pay = async () => {
        alarms.schedule('pay', clock.now + minutes(40))
        return null
      }
      await alarms.handleAlarm()
      expect(await alarmInMinutes()).toBe(10)
    }))

  test('after a rollback, the same request is written again', () =>
    onStorage(async ({ fresh, storage, clock, alarmInMinutes }) => {
      const alarms = fresh()
      alarms.schedule('tidy', clock.now + minutes(30))
      const rollBack = () =>
        storage.transactionSync(() => {
          alarms.schedule('pay', clock.now + minutes(10))
          throw new Error('rolled back')
        })
      expect(rollBack).toThrow('rolled back')
      alarms.afterRollback()
      expect(alarms.nextAt()).toBe(clock.now + minutes(30))
      alarms.schedule('pay', clock.now + minutes(10))
      expect(alarms.nextAt()).toBe(clock.now + minutes(10))
      expect(await alarmInMinutes()).toBe(10)
    }))

  test('work that a crash interrupts is repeated', () =>
    onStorage(async ({ fresh, clock, ran, work, alarmInMinutes }) => {
      const crashing = fresh()
      crashing.schedule('pay', clock.now)
      work.pay = () => new Promise(() => {})
      void crashing.handleAlarm()
      expect(ran).toEqual(['pay'])

      const restarted = fresh()
      expect(restarted.nextAt()).toBe(clock.now + retryMs)
      expect(await alarmInMinutes()).toBe(20)
      clock.now += retryMs
      work.pay = async () => null
      await restarted.handleAlarm()
      expect(ran).toEqual(['pay', 'pay'])
      expect(restarted.nextAt()).toBeNull()
    }))

  test('a request that arrives during the work is kept', () =>
    onStorage(async ({ fresh, clock, work }) => {
      const alarms = fresh()
      alarms.schedule('pay', clock.now)
      work.pay = async () => {
        alarms.schedule('pay', clock.now + minutes(10))
        return null
      }
      await alarms.handleAlarm()
      expect(alarms.nextAt()).toBe(clock.now + minutes(10))
      clock.now += minutes(10)
      work.pay = async () => {
        alarms.schedule('pay', clock.now + minutes(5))
        return clock.now + minutes(30)
      }
      await alarms.handleAlarm()
      expect(alarms.nextAt()).toBe(clock.now + minutes(5))
    }))

  test('failures back off, doubling to 15 s, and a success starts over', () =>
    onStorage(async ({ fresh, clock, failed, work }) => {
      const alarms = fresh()
      alarms.schedule('pay', clock.now)
      work.pay = async () => {
        throw new Error('down')
      }
      const delays: number[] = []
      for (let i = 0; i < 8; i++) {
        await alarms.handleAlarm()
        delays.push(alarms.nextAt()! - clock.now)
        clock.now = alarms.nextAt()!
      }
      expect(delays).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000])
      expect(failed).toHaveLength(8)
      work.pay = async () => null
      await alarms.handleAlarm()
      work.pay = async () => {
        throw new Error('down again')
      }
      await alarms.runNow('pay')
      expect(alarms.nextAt()).toBe(clock.now + 250)
    }))

  test('runNow waits for the end of a back-off, unless the watchdog resets it', () =>
    onStorage(async ({ fresh, clock, ran, work }) => {
      const alarms = fresh()
      work.pay = async () => {
        throw new Error('down')
      }
      await alarms.runNow('pay')
      await alarms.runNow('pay')
      expect(ran).toEqual(['pay'])
      expect(alarms.nextAt()).toBe(clock.now + 250)
      alarms.reset()
      await alarms.runNow('pay')
      expect(ran).toEqual(['pay', 'pay'])
      expect(alarms.nextAt()).toBe(clock.now + 500)
    }))

  test('runNow during a run that fails waits for the end of the back-off', () =>
    onStorage(async ({ fresh, clock, ran, work }) => {
      const alarms = fresh()
      const end = Promise.withResolvers<null>()
      work.pay = () => end.promise
      const calls = [alarms.runNow('pay'), alarms.runNow('pay')]
      end.reject(new Error('down'))
      await Promise.all(calls)
      expect(ran).toEqual(['pay'])
      expect(alarms.nextAt()).toBe(clock.now + 250)
    }))

  test('runNow during a run starts one more run afterwards; two never run at the same time', () =>
    onStorage(async ({ fresh, ran, work }) => {
      const alarms = fresh()
      let atOnce = 0
      const first = Promise.withResolvers<void>()
      work.pay = async () => {
        atOnce += 1
        expect(atOnce).toBe(1)
        if (ran.length === 1) await first.promise
        atOnce -= 1
        return null
      }
      const calls = [alarms.runNow('pay'), alarms.runNow('pay'), alarms.runNow('pay')]
      expect(ran).toEqual(['pay'])
      first.resolve()
      await Promise.all(calls)
      expect(ran).toEqual(['pay', 'pay'])
      expect(alarms.nextAt()).toBeNull()
    }))

  test('an alarm during a run neither repeats the run nor fires endlessly', () =>
    onStorage(async ({ fresh, clock, ran, work, alarmInMinutes }) => {
      const alarms = fresh()
      const end = Promise.withResolvers<null>()
      work.pay = () => end.promise
      const run = alarms.runNow('pay')
      void alarms.runNow('pay')
      clock.now += retryMs
      await alarms.handleAlarm()
      expect(ran).toEqual(['pay'])
      expect(await alarmInMinutes()).toBe(20)
      end.resolve(null)
      await run
      expect(ran).toEqual(['pay', 'pay'])
      expect(alarms.nextAt()).toBeNull()
    }))

  test('a kind that stays due does not starve the others', () =>
    onStorage(async ({ fresh, clock, ran, work, alarmFires }) => {
      const alarms = fresh()
      work.pay = async () => clock.now
      alarms.schedule('pay', clock.now - 1)
      alarms.schedule('tidy', clock.now)
      await alarms.handleAlarm()
      expect(ran).toEqual(['pay', 'pay', 'pay', 'tidy'])
      expect(alarms.nextAt()).toBe(clock.now)
      await alarmFires
    }))

  test('afterRuns is called once after consecutive runs, and can schedule other work', () =>
    onStorage(async ({ storage, clock }) => {
      const calls: string[] = []
      const alarms = new Alarms<Kind>(storage, {
        now: () => clock.now,
        run: async (kind) => {
          calls.push(kind)
          return calls.length < 3 ? clock.now : null
        },
        onError: () => {},
        afterRuns: (kind) => {
          calls.push(`after ${kind}`)
          if (kind === 'pay') alarms.schedule('tidy', clock.now + minutes(10))
        },
        retryMs,
        maxRunsInARow: 5,
      })
      await alarms.runNow('pay')
      expect(calls).toEqual(['pay', 'pay', 'pay', 'after pay'])
      expect(alarms.nextAt()).toBe(clock.now + minutes(10))
    }))

  test('the next alarm is set even when handling one throws', () =>
    onStorage(async ({ storage, clock, alarmInMinutes }) => {
      const alarms = new Alarms<Kind>(storage, {
        now: () => clock.now,
        run: async () => {
          throw new Error('down')
        },
        onError: () => {
          throw new Error('bug')
        },
        retryMs,
        maxRunsInARow: 1,
      })
      alarms.schedule('pay', clock.now)
      await expect(alarms.handleAlarm()).rejects.toThrow('bug')
      expect(await alarmInMinutes()).toBe(20)
    }))

  test('the watchdog restores a lost alarm from the table', () =>
    onStorage(async ({ fresh, storage, clock, alarmInMinutes }) => {
      const alarms = fresh()
      alarms.schedule('pay', clock.now + minutes(10))
      await storage.deleteAlarm()
      alarms.reset()
      expect(await alarmInMinutes()).toBe(10)
    }))
})

test('earliest returns the earliest time that is set, or null', () => {
  expect(earliest(3, null, 1, 2)).toBe(1)
  expect(earliest(null)).toBeNull()
  expect(earliest()).toBeNull()
})

describe('migrate', () => {
  const first = newSchema("CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('first')")
  const second = contract("INSERT INTO note VALUES ('second')", { oldestCode: 2 })

  /** Calls `use` with an object's database, without its migration tables. */
  async function onDatabase(use: (storage: DurableObjectStorage, notes: () => unknown[]) => void): Promise<void> {
    const object = env.CLAIM_DESK.getByName(`migrations ${crypto.randomUUID()}`)
    await runInDurableObject(object, async (_, { storage }) => {
      for (const table of ['migration', 'migration_rule', 'migration_job'])
        storage.sql.exec(`DROP TABLE IF EXISTS ${table}`)
      use(storage, () =>
        storage.sql
          .exec('SELECT text FROM note ORDER BY rowid')
          .toArray()
          .map((row) => row.text),
      )
    })
  }

  test('each migration runs once, in order', () =>
    onDatabase((storage, notes) => {
      migrate(storage, [first])
      migrate(storage, [first, second])
      migrate(storage, [first, second])
      expect(notes()).toEqual(['first', 'second'])
    }))

  test('upTo stops at an older version, and a later call continues from there', () =>
    onDatabase((storage, notes) => {
      migrate(storage, [first, second], 1)
      expect(notes()).toEqual(['first'])
      migrate(storage, [first, second])
      expect(notes()).toEqual(['first', 'second'])
    }))

  test('a failing migration is rolled back, and the ones before it stay', () =>
    onDatabase((storage, notes) => {
      const broken = expand("INSERT INTO note VALUES ('half'); INSERT INTO missing VALUES (1)")
      expect(() => migrate(storage, [first, broken])).toThrow('missing')
      expect(notes()).toEqual(['first'])
      migrate(storage, [first, second])
      expect(notes()).toEqual(['first', 'second'])
    }))

  test('a database that is newer than the code is refused', () =>
    onDatabase((storage, notes) => {
      migrate(storage, [first, second])
      expect(() => migrate(storage, [first])).toThrow(
        'the database has schema version 2 and needs code of version 2; this code supports versions up to 1',
      )
      expect(notes()).toEqual(['first', 'second'])
    }))

  const more = expand("INSERT INTO note VALUES ('more')", 'count')
  const rest = contract("DELETE FROM note WHERE text = 'first'", { oldestCode: 3, after: 'count' })
  const jobs = { count: () => null }

  test('a migration declares which older code may continue; one that waits for a job runs after the job @schema-6', () =>
    onDatabase((storage, notes) => {
      migrate(storage, [first, second])
      expect(migrate(storage, [first, second, more, rest])).toBe(3)
      expect(migrate(storage, [first, second]), 'older code may use it').toBe(3)
      expect(runJobStep(storage, jobs)).toBe(false)
      expect(notes()).toEqual(['first', 'second', 'more'])

      migrate(storage, [first, second])
      expect(migrate(storage, [first, second, more, rest]), 'older code has written: the job runs again').toBe(3)
      runJobStep(storage, jobs)
      expect(migrate(storage, [first, second, more, rest])).toBe(4)
      expect(notes()).toEqual(['second', 'more'])
      expect(migrate(storage, [first, second, more]), 'this code knows the remaining schema').toBe(4)
      expect(() => migrate(storage, [first, second])).toThrow('needs code of version 3')
    }))

  test('a new database skips jobs, and an unknown job throws', () =>
    onDatabase((storage) => {
      expect(migrate(storage, [first, second, more, rest])).toBe(4)
      expect(() => migrate(storage, [first, second, more, rest, { ...rest, after: 'nothing' }])).toThrow(
        'no migration before starts the job nothing',
      )
      storage.sql.exec('UPDATE migration_job SET ended = 0')
      expect(() => runJobStep(storage, {})).toThrow('the schema has no job count')
    }))
})
