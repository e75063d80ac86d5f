import { beforeEach, expect, test } from 'vitest'
import { markBusy, markIdle } from '../../worker/db/busyTreasuries.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import type { Env } from '../../worker/env.ts'
import { runScheduled } from '../../worker/scheduled.ts'
import { env, seed } from './apiClient.ts'

const minute = 60_000
const start = Date.UTC(2026, 10, 20, 12)

beforeEach(async () => {
  await seed()
  await env.DB.prepare('DELETE FROM busy_treasury').run()
})

/** Objects, some of which fail; `poked` has every name in the order it was called. */
function objects(failing: (name: string) => 'throws' | 'hangs' | null, changes: Partial<Env> = {}) {
  const poked: string[] = []
  const getByName = (name: string) => ({
    async wakeUp() {
      poked.push(name)
      const trouble = failing(name)
      if (trouble === 'throws') throw new Error('cannot start')
      if (trouble === 'hangs') return new Promise<void>(() => {})
      await markIdle(primaryDb(env.DB), name)
    },
  })
  const namespace = { getByName } as never
  return { poked, env: { ...env, TREASURY: namespace, RELAYER: namespace, ...changes } as Env }
}
/** Other tests' Treasuries that are still at work may be among them. */
const stillBusy = async () => {
  const { results } = await env.DB.prepare('SELECT user_id FROM busy_treasury').all<{ user_id: string }>()
  return results.map(({ user_id }) => user_id)
}

test('sixty Treasuries that cannot start do not keep the watchdog from another one', async () => {
  for (let i = 0; i < 60; i++) await markBusy(primaryDb(env.DB), `broken${i}`, start - 10 * minute)
  await markBusy(primaryDb(env.DB), 'healthy', start - 5 * minute)
  const { poked, env: withBroken } = objects((name) => (name.startsWith('broken') ? 'throws' : null))
  await runScheduled(withBroken, start)
  await runScheduled(withBroken, start + minute)
  expect(poked).toContain('healthy')
  const broken = (await stillBusy()).filter((id) => id.startsWith('broken'))
  expect(broken, 'they stay for people to see').toHaveLength(60)
  await runScheduled(withBroken, start + 2 * minute)
  expect(new Set(poked.filter((name) => name.startsWith('broken'))).size, 'each of them had a turn').toBe(60)
})

test('a busy Treasury that was heard from recently is left alone', async () => {
  await markBusy(primaryDb(env.DB), 'working', start - minute)
  const { poked, env: fine } = objects(() => null)
  await runScheduled(fine, start)
  expect(poked).not.toContain('working')
})

test('a Treasury that hangs and a database that fails delay neither Relayers nor the cron', async () => {
  await markBusy(primaryDb(env.DB), 'silent', start - 5 * minute)
  const hanging = objects((name) => (name === 'silent' ? 'hangs' : null))
  // No fake timers: they would also drive objects that other tests have left running.
  await runScheduled(hanging.env, start, 500)
  expect(hanging.poked).toEqual(expect.arrayContaining(['silent', '8453:0']))

  const away = new Error('D1 is away')
  const fails = () => {
    throw away
  }
  const noDb = { prepare: fails, batch: fails, withSession: () => noDb, getBookmark: () => null }
  const without = objects(() => null, { DB: noDb as never })
  await runScheduled(without.env, start)
  expect(without.poked).toHaveLength(2 * Number(env.RELAYER_SHARDS))
})
