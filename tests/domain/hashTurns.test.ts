import { expect, test } from 'vitest'
import { HashTurns } from '../../worker/identity/hashTurns.ts'

/** Turns whose clock moves only as long as a hash takes or a call waits. */
function createTurns() {
  const clock = { now: 0 }
  const pass = async (ms: number) => {
    clock.now += ms
  }
  const turns = new HashTurns({ now: () => clock.now, wait: pass })
  /** Returns when the hash began. */
  const hash = (ms: number) =>
    turns.run(async () => {
      const at = clock.now
      await pass(ms)
      return at
    }, 100)
  return { turns, hash }
}

test('after a hash the thread is left to others for twice as long as it took @safety-43', async () => {
  const { hash } = createTurns()
  expect(await hash(300)).toBe(0)
  expect(await hash(10), '600 ms after the first').toBe(900)
  expect(await hash(800), 'at least 100 ms').toBe(1_010)
  expect(await hash(0), 'at most a second').toBe(2_810)
  expect(await hash(0), 'a clock that stands still').toBe(2_910)
})

test('a hash whose request was cancelled keeps others from hashing for two seconds only @safety-44', async () => {
  const { turns, hash } = createTurns()
  void turns.run(() => new Promise(() => {}), 100)
  expect(await hash(0)).toBe(2_000)
})

test('a hash that finds no turn for 15 seconds is refused @safety-45', async () => {
  let now = 0
  const lost = () => void turns.run(() => new Promise(() => {}), 100)
  const turns = new HashTurns({
    now: () => now,
    async wait(ms) {
      now += ms
      // Somebody else is quicker each time.
      if (now % 2_000 === 0) lost()
    },
  })
  lost()
  await expect(turns.run(async () => 'hashed', 100)).rejects.toMatchObject({ code: 'rate_limited' })
  expect(now).toBeGreaterThan(15_000)
  expect(now).toBeLessThan(15_200)
})
