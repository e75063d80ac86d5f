import { describe, expect, test } from 'vitest'
import { hourMs, minuteMs } from '#domain/time.ts'
import {
  afterReply,
  isConfirmed,
  isLate,
  isNews,
  mustWake,
  periodMs,
  renewed,
  type Sweep,
  type Watched,
  wakeReply,
} from '#domain/watch.ts'
import type { WalletState } from '../../worker/chain/types.ts'
import { digestOf } from '../../worker/chain/watchReader.ts'
import { randomFrom } from '../support/random.ts'

const state: WalletState = {
  ...{ blockNumber: 7, timestamp: 1_700_000_000, sessionKey: `0x${'c'.repeat(40)}`, validUntil: 4_000_000_000 },
  ...{ epoch: 1, rotationDisabled: false, sessionRevoked: false, remaining: 5n, top: 6n, seen: 1n },
  ...{ balance: 9n, ownerNonce: 0n, purchaseAllowance: 0 },
}

describe('the digest of a wallet @watch-3', () => {
  test('changes with each of its parts, and not with the block', () => {
    const changes: Partial<WalletState>[] = [
      { sessionKey: `0x${'d'.repeat(40)}` },
      { validUntil: 4_000_000_001 },
      { epoch: 2 },
      { rotationDisabled: true },
      { sessionRevoked: true },
      { remaining: 4n },
      { top: 7n },
      { seen: 3n },
      { balance: 10n },
      { ownerNonce: 1n },
    ]
    const digests = [{}, ...changes].map((change) => digestOf({ ...state, ...change }, change.balance ?? 9n))
    expect(new Set(digests).size).toBe(changes.length + 1)
    expect(digestOf({ ...state, blockNumber: 8, timestamp: 1 }, 9n)).toBe(digests[0])
    expect(digestOf(null, 9n)).not.toBe(digestOf(null, 10n))
  })
})

const at = 1_700_000_000_000
const known: Watched = { digest: 'a', block: 100, addedAt: at, renewedAt: at, wokenAt: 0 }

describe('what a reading says @watch-4', () => {
  test('a wallet that differs at a later block wakes its Treasury, once an hour until it is explained', () => {
    expect(mustWake(known, { digest: 'b', block: 101 }, at)).toBe(true)
    expect(mustWake(known, { digest: 'a', block: 101 }, at), 'the same').toBe(false)
    for (const block of [99, 100]) expect(mustWake(known, { digest: 'b', block }, at), 'not later').toBe(false)
    expect(mustWake({ ...known, digest: null }, { digest: 'b', block: 101 }, at), 'busy').toBe(false)
    const told = afterReply(known, { state: 'reads' }, at)!
    expect(mustWake(told, { digest: 'b', block: 102 }, at + hourMs - 1)).toBe(false)
    expect(mustWake(told, { digest: 'b', block: 102 }, at + hourMs)).toBe(true)
    const unexplained = renewed(told, { digest: 'a', block: 103 }, at + minuteMs)
    expect(mustWake(unexplained, { digest: 'b', block: 104 }, at + hourMs - 1)).toBe(false)
    const explained = renewed(told, { digest: 'b', block: 103 }, at + minuteMs)
    expect(mustWake(explained, { digest: 'c', block: 104 }, at + 2 * minuteMs)).toBe(true)
  })

  test('a sweep of an earlier block says nothing, unless the last one was ahead of every node', () => {
    const last: Sweep = { block: 1_000, startedAt: at, endedAt: at }
    expect(isNews(999, last, 70, at + minuteMs)).toBe(false)
    expect(isNews(1_000, last, 70, at + minuteMs)).toBe(true)
    expect(isNews(999, last, 70, at + 3 * minuteMs + 1)).toBe(true)
    expect(isNews(1, null, 70, at)).toBe(true)
  })

  test('a Treasury reads only what its books do not have', () => {
    const seen = { digest: 'b', block: 101 }
    expect(wakeReply({ digest: 'a', block: 100 }, seen)).toEqual({ state: 'reads' })
    expect(wakeReply(null, seen)).toEqual({ state: 'reads' })
    for (const booked of [
      { digest: 'b', block: 90 },
      { digest: 'c', block: 101 },
    ])
      expect(wakeReply(booked, seen)).toEqual({ state: 'known', ...booked })
    expect(afterReply(known, { state: 'gone' }, at)).toBeNull()
    expect(afterReply(known, { state: 'busy' }, at)).toMatchObject({ digest: null })
    expect(afterReply(known, { state: 'known', digest: 'c', block: 101 }, at)).toMatchObject({
      digest: 'c',
      wokenAt: 0,
    })
  })
})

test('few and many wallets are read every five minutes, others each minute, and three periods are late @watch-5', () => {
  expect([1, 60, 61, 4_999, 5_000, 50_000].map((n) => periodMs(n) / minuteMs)).toEqual([5, 5, 1, 1, 5, 5])
  expect(isLate(at, 70, at + 3 * minuteMs)).toBe(false)
  expect(isLate(at, 70, at + 3 * minuteMs + 1)).toBe(true)
  expect(isLate(at, 70, at - hourMs), 'a clock that was set back').toBe(true)
})

test('a wallet is confirmed once a sweep that began after it was added has read all, and not when sweeps are late', () => {
  const sweep = (startedAt: number): Sweep => ({ block: 1, startedAt, endedAt: startedAt + 1 })
  expect(isConfirmed(known, null, 70, at)).toBe(false)
  expect(isConfirmed(known, sweep(at - 1), 70, at)).toBe(false)
  expect(isConfirmed(known, sweep(at), 70, at + minuteMs)).toBe(true)
  expect(isConfirmed(known, sweep(at), 70, at + 4 * minuteMs)).toBe(false)
})

/** One wallet on one chain; the nodes of Watch and of the Treasury are honest but up to `lag` blocks behind. */
function simulate(seed: number, { lag, changeEvery }: { lag: number; changeEvery: number }) {
  const random = randomFrom(seed)
  const upTo = (n: number) => random.int(0, n)
  const changes = [0]
  const digestAt = (block: number) => `${changes.findLastIndex((change) => change <= block)}`
  let head = 1_000
  let [watched, last] = [renewed(null, { digest: digestAt(head), block: head }, at), null as Sweep | null]
  let booked = { digest: watched.digest!, block: watched.block }
  const woken: { minute: number; isForNothing: boolean }[] = []
  for (let minute = 1; minute <= 600; minute++) {
    const now = at + minute * minuteMs
    head += 30
    if (changeEvery > 0 && minute % changeEvery === 0) changes.push(head - upTo(29))
    const block = head - upTo(lag)
    if (!isNews(block, last, 70, now)) continue
    last = { block, startedAt: now, endedAt: now }
    const seen = { digest: digestAt(block), block }
    if (!mustWake(watched, seen, now)) continue
    expect(seen.block).toBeGreaterThan(watched.block)
    woken.push({ minute, isForNothing: booked.digest === digestAt(head) })
    const reply = wakeReply(booked, seen)
    watched = afterReply(watched, reply, now)!
    if (reply.state !== 'reads') continue
    const read = Math.max(booked.block, head - upTo(lag))
    booked = { digest: digestAt(read), block: read }
    watched = renewed(watched, booked, now)
  }
  return { woken, isFound: booked.digest === digestAt(head), changes: changes.length - 1 }
}

describe('with honest nodes that are up to 20 blocks behind @watch-6', () => {
  const seeds = Array.from({ length: 200 }, (_, i) => i + 1)

  test('no wallet that does not change is ever woken', () => {
    for (const seed of seeds) expect(simulate(seed, { lag: 20, changeEvery: 0 }).woken, `seed ${seed}`).toEqual([])
  })

  test('each change is found, and nobody is woken without one', () => {
    for (const seed of seeds) {
      const { isFound, woken, changes } = simulate(seed, { lag: 20, changeEvery: 130 })
      expect(isFound, `seed ${seed}`).toBe(true)
      expect(woken.filter(({ isForNothing }) => isForNothing)).toEqual([])
      expect(woken.length).toBeGreaterThanOrEqual(changes)
      // A reading by a node that was behind is repeated after an hour.
      expect(woken.length).toBeLessThanOrEqual(3 * changes)
    }
  })

  test('without a lag, each change is found by the next sweep', () => {
    const { woken, isFound } = simulate(1, { lag: 0, changeEvery: 7 })
    expect(isFound).toBe(true)
    expect(woken.map(({ minute }) => minute)).toEqual(Array.from({ length: 85 }, (_, i) => (i + 1) * 7))
  })
})

test('a node that shows another state each time wakes a Treasury that finds nothing at most once an hour @watch-7', () => {
  let watched: Watched = known
  const minutes: number[] = []
  for (let minute = 1; minute <= 300; minute++) {
    const now = at + minute * minuteMs
    const seen = { digest: `lie ${minute}`, block: 100 + minute }
    if (!mustWake(watched, seen, now)) continue
    minutes.push(minute)
    watched = afterReply(watched, { state: 'reads' }, now)!
    watched = renewed(watched, { digest: 'a', block: 100 + minute }, now)
  }
  expect(minutes).toEqual([1, 61, 121, 181, 241])
})
