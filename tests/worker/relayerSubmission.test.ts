import { describe, expect, test } from 'vitest'
import {
  attempts,
  becomes,
  chain,
  recipient,
  relayer,
  report,
  sequence,
  settle,
  setUpRelayers,
  unique,
  wallet,
} from './relayerHarness.ts'

setUpRelayers()

describe('submitting twice', () => {
  test('submitting the same job again changes nothing, in parallel or later', async () => {
    const job = await chain.createSend(await wallet('replay'), { to: recipient('replay') })
    const results = await Promise.all(Array.from({ length: 10 }, () => relayer().submit([job])))
    for (const result of results) expect(result).toEqual({ accepted: [job.id], refused: [] })
    await settle()
    await relayer().submit([job])
    await settle()
    expect(await attempts()).toHaveLength(1)
    expect(await chain.usdcBalance(recipient('replay'))).toBe(2_500_000n)
  })

  test('different content under a known guard is refused permanently @delivery-2', async () => {
    const from = await wallet('guard')
    const job = await chain.createSend(from)
    await relayer().submit([job])
    await settle()
    const other = await chain.createSend(from, { id: `${job.id} other`, amount: 1n })
    expect(await relayer().submit([other])).toEqual({
      accepted: [],
      refused: [{ id: other.id, reason: 'guard: different content is known under this scope' }],
    })
    expect(await relayer().status([other.id])).toEqual([])
  })

  test('a newer signature replaces a waiting one, and waits for one in flight', async () => {
    const from = await wallet('fresh')
    const [first, second, third] = await sequence(3, (i) =>
      chain.createSend(from, { id: unique(`v${i}`), lifeSeconds: 300 + i, to: recipient('fresh') }),
    )
    await chain.fault({ mode: 'down' })
    await relayer().submit([first!])
    await relayer().submit([second!])
    expect(await report(first!.id)).toMatchObject({ state: 'dropped', reason: 'superseded' })
    await chain.fault({ mode: 'none' })
    await becomes(second!.id, 'broadcast')
    await relayer().submit([third!])
    expect((await relayer().wait(third!.id, 700))?.state).toBe('waiting')
    await settle()
    expect((await report(third!.id)).state).toBe('mined')
    expect(await attempts()).toHaveLength(1)
    expect(await chain.usdcBalance(recipient('fresh'))).toBe(2_500_000n)
  })

  test('the newer of two signatures of one intent in the same call supersedes the older', async () => {
    const from = await wallet('twice')
    const [first, second] = await sequence(2, (i) =>
      chain.createSend(from, { id: unique(`w${i}`), lifeSeconds: 300 + i, to: recipient('twice') }),
    )
    await chain.fault({ mode: 'down' })
    await relayer().submit([first!, second!])
    expect(await report(first!.id)).toMatchObject({ state: 'dropped', reason: 'superseded' })
    await chain.fault({ mode: 'none' })
    await settle()
    expect((await report(second!.id)).state).toBe('mined')
    expect(await chain.usdcBalance(recipient('twice'))).toBe(2_500_000n)
  })

  test('malformed jobs are refused', async () => {
    const job = await chain.createSend(await wallet('odd'))
    const odd = { ...job, id: unique('odd'), packed: { ...job.packed!, amount: String(2n ** 64n) } }
    expect((await relayer().submit([odd])).refused).toEqual([{ id: odd.id, reason: 'malformed' }])
  })

  test("a frozen user's jobs are dropped and refused until the user is unfrozen", async () => {
    const from = await wallet('frozen')
    const [waiting, later] = await sequence(2, (i) => chain.createSend(from, { sequence: i, userId: 'frozen' }))
    await chain.fault({ mode: 'down' })
    await relayer().submit([waiting!])
    await relayer().freeze('frozen')
    expect(await report(waiting!.id)).toMatchObject({ state: 'dropped', reason: 'frozen' })
    expect((await relayer().submit([later!])).refused).toEqual([{ id: later!.id, reason: 'frozen' }])
    await relayer().unfreeze('frozen')
    await chain.fault({ mode: 'none' })
    await relayer().submit([waiting!, later!])
    await settle()
    expect((await relayer().status([waiting!.id, later!.id])).map(({ state }) => state)).toEqual(['mined', 'mined'])
  })
})
