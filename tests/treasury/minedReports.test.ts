import { describe, expect, test } from 'vitest'
import { blockMs } from '#domain/networks.ts'
import { heads } from '../../worker/treasury/core/chainHeads.ts'
import { expectMined, nextMinedAt } from '../../worker/treasury/core/minedReports.ts'
import { usdc } from '../support/build.ts'
import { createMemoryTreasury } from '../support/memoryTreasury.ts'

/** A Treasury whose own newest block is 100, as old as `ageMs`. Returns when it settles, in ms from now. */
function reading(depth: number, ageMs: number) {
  const { context, clock } = createMemoryTreasury(usdc('1'), usdc('1'))
  context.env.CONFIRM_DEPTH = String(depth)
  const scheduled: number[] = []
  context.schedule = (_, at) => scheduled.push(at - clock.now)
  const readHead = (number: number) => {
    const timestamp = Math.floor((clock.now - ageMs) / 1000)
    heads(context).set(8453, { block: { number, timestamp, hash: '0x' }, readAt: clock.now })
  }
  readHead(100)
  const next = () => {
    const at = nextMinedAt(context)
    return at === null ? null : at - clock.now
  }
  const report = (block: number) => {
    expectMined(context, 8453, block)
    return scheduled.at(-1)
  }
  return { clock, readHead, report, next }
}

describe('when the chain is read after a report @settlement-10', () => {
  test('at once if the newest block is deep enough, otherwise when the block at CONFIRM_DEPTH is expected', () => {
    expect(reading(1, 0).report(101)).toBe(0)
    // Block 102 follows block 100 by two blocks, and nodes have it a moment later.
    expect(reading(2, 3_000).report(101)).toBe(2 * blockMs - 3_000 + 300)
    expect(reading(2, 60_000).report(101)).toBe(0)
  })

  test('again after half a second while our node lacks the block, until it has it', () => {
    const { report, next, readHead } = reading(1, 3_000)
    report(101)
    expect(next()).toBe(500)
    readHead(101)
    expect(next()).toBeNull()
  })

  test('a block that never comes delays nothing for longer than a block, and is forgotten after 30 seconds', () => {
    const { clock, report, next } = reading(2, 0)
    expect(report(9_000_000)).toBeLessThanOrEqual(blockMs + 300)
    clock.now += 29_999
    expect(next()).toBeLessThanOrEqual(blockMs + 300)
    // The same report again does not prolong it.
    report(9_000_000)
    clock.now += 1
    expect(next()).toBeNull()
  })
})
