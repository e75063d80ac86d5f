import { beforeEach, expect, test } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { markBusy, markIdle } from '../../worker/db/watchdog.ts'
import type { Env } from '../../worker/env.ts'
import { runScheduled } from '../../worker/scheduled.ts'
import { env, seed } from './apiClient.ts'

const start = Date.UTC(2026, 10, 20, 12)

beforeEach(async () => {
  await seed()
  await env.DB.prepare('DELETE FROM busy_treasury').run()
})

/** Stand-ins for objects, some of which fail. `woken` has their names in the order of calls. */
function objects(failing: (name: string) => 'throws' | 'hangs' | null, changes: Partial<Env> = {}) {
  const woken: string[] = []
  const getByName = (name: string) => ({
    async wakeUp() {
      woken.push(name)
      const trouble = failing(name)
      if (trouble === 'throws') throw new Error('cannot start')
      if (trouble === 'hangs') return new Promise<void>(() => {})
      await markIdle(primaryDb(env.DB), name)
    },
  })
  const namespace = { getByName } as never
  return { woken, env: { ...env, TREASURY: namespace, RELAYER: namespace, ...changes } as Env }
}
/** The busy Treasuries, which may include those of other tests. */
const stillBusy = async () => {
  const { results } = await env.DB.prepare('SELECT user_id FROM busy_treasury').all<{ user_id: string }>()
  return results.map(({ user_id }) => user_id)
}

test('sixty Treasuries that cannot start do not keep the watchdog from waking another one', async () => {
  for (let i = 0; i < 60; i++) await markBusy(primaryDb(env.DB), `broken${i}`, start - 10 * minuteMs)
  await markBusy(primaryDb(env.DB), 'healthy', start - 5 * minuteMs)
  const { woken, env: withBroken } = objects((name) => (name.startsWith('broken') ? 'throws' : null))
  await runScheduled(withBroken, start)
  await runScheduled(withBroken, start + minuteMs)
  expect(woken).toContain('healthy')
  const broken = (await stillBusy()).filter((id) => id.startsWith('broken'))
  expect(broken, 'they stay visible to operators').toHaveLength(60)
  await runScheduled(withBroken, start + 2 * minuteMs)
  expect(new Set(woken.filter((name) => name.startsWith('broken'))).size, 'each of them was woken').toBe(60)
})

test('a busy Treasury that reported recently is not woken', async () => {
  await markBusy(primaryDb(env.DB), 'working', start - minuteMs)
  const { woken, env: fine } = objects(() => null)
  await runScheduled(fine, start)
  expect(woken).not.toContain('working')
})

test('a hung Treasury or a failing database does not delay Relayers or the cron', async () => {
  await markBusy(primaryDb(env.DB), 'silent', start - 5 * minuteMs)
  const hanging = objects((name) => (name === 'silent' ? 'hangs' : null))
  // No fake timers: they would also drive objects that other tests have left running.
  await runScheduled(hanging.env, start, 500)
  expect(hanging.woken).toEqual(expect.arrayContaining(['silent', '8453:0']))

  const away = new Error('D1 is away')
  const fails = () => {
    throw away
  }
  const noDb = { prepare: fails, batch: fails, withSession: () => noDb, getBookmark: () => null }
  const without = objects(() => null, { DB: noDb as never })
  await runScheduled(without.env, start)
  expect(without.woken).toHaveLength(2 * Number(env.RELAYER_SHARDS))
})
