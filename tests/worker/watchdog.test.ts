import { beforeEach, expect, test, vi } from 'vitest'
import { noteBusy, noteIdle } from '../../worker/db/readModel.ts'
import type { Env } from '../../worker/env.ts'
import { everyMinute } from '../../worker/everyMinute.ts'
import { env, seed } from './apiClient.ts'

const minute = 60_000
const start = Date.UTC(2026, 10, 20, 12)

beforeEach(async () => {
  await seed()
  await env.DB.prepare('DELETE FROM busy_treasury').run()
})

/** Objects of which some are beyond help; `poked` has every name in the order it was called. */
function objects(hopeless: (name: string) => 'throws' | 'hangs' | null, changes: Partial<Env> = {}) {
  const poked: string[] = []
  const getByName = (name: string) => ({
    async kick() {
      poked.push(name)
      const trouble = hopeless(name)
      if (trouble === 'throws') throw new Error('cannot start')
      if (trouble === 'hangs') return new Promise<void>(() => {})
      await noteIdle(env.DB, name)
    },
  })
  const namespace = { getByName } as never
  return { poked, env: { ...env, TREASURY: namespace, RELAYER: namespace, ...changes } as Env }
}
const still = async () =>
  (await env.DB.prepare('SELECT user_id FROM busy_treasury ORDER BY user_id').all<{ user_id: string }>()).results

test('sixty Treasuries that cannot be helped keep the watchdog from no other', async () => {
  for (let i = 0; i < 60; i++) await noteBusy(env.DB, `broken${i}`, start - 10 * minute)
  await noteBusy(env.DB, 'healthy', start - 5 * minute)
  const { poked, env: broken } = objects((name) => (name.startsWith('broken') ? 'throws' : null))
  await everyMinute(broken, start)
  await everyMinute(broken, start + minute)
  expect(poked).toContain('healthy')
  expect(await still(), 'the broken ones stay for people to see').toHaveLength(60)
  await everyMinute(broken, start + 2 * minute)
  expect(new Set(poked.filter((name) => name.startsWith('broken'))).size, 'each of them had a turn').toBe(60)
})

test('one that is busy and has said so is left alone', async () => {
  await noteBusy(env.DB, 'working', start - minute)
  const { poked, env: fine } = objects(() => null)
  await everyMinute(fine, start)
  expect(poked).not.toContain('working')
})

test('a Treasury that does not answer, and a database that fails, hold up neither Relayers nor the cron', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    await noteBusy(env.DB, 'silent', start - 5 * minute)
    const hanging = objects((name) => (name === 'silent' ? 'hangs' : null))
    const done = everyMinute(hanging.env, start)
    await vi.waitFor(() => expect(hanging.poked).toContain('silent'), { interval: 1 })
    await vi.advanceTimersByTimeAsync(10_000)
    await done
    expect(hanging.poked).toContain('8453:0')

    const away = new Error('D1 is away')
    const fails = () => {
      throw away
    }
    const noDb = { prepare: fails, batch: fails, withSession: () => noDb, getBookmark: () => null }
    const without = objects(() => null, { DB: noDb as never })
    await everyMinute(without.env, start)
    expect(without.poked).toHaveLength(2 * Number(env.RELAYER_SHARDS))
  } finally {
    vi.useRealTimers()
  }
})
