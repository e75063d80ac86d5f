import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import {
  BatchChooser,
  batchWindowMs,
  type InFlight,
  maxBatchSize,
  maxInFlight,
  maxIsolatedWhileOthersWait,
  minBatchSize,
  type WaitingJob,
} from '../../worker/relayer/chooseBatch.ts'
import { FairShare, quantum } from '../../worker/relayer/fairShare.ts'

const now = 1_000_000
const gas = quantum / 2
const none: InFlight = { all: 0, isolated: 0 }
const one: InFlight = { all: 1, isolated: 0 }

function waitingJob(over: Partial<WaitingJob> & { id: string }): WaitingJob {
  const job = { userId: over.id, principal: '', isNewAccount: false, gas, lane: 'send', isolated: false } as const
  return { ...job, contractSet: 1, isFailing: false, dueAt: now, ...over }
}

const several = (count: number, over: (i: number) => Partial<WaitingJob> = () => ({})): WaitingJob[] =>
  Array.from({ length: count }, (_, i) => waitingJob({ id: `i${i}`, ...over(i) }))

const choose = (waiting: WaitingJob[], inFlight: InFlight, at = now) => new BatchChooser().choose(waiting, inFlight, at)

describe('choosing a batch', () => {
  test('a single job is sent directly, without waiting, while nothing is in flight', () => {
    expect(choose(several(1), none)).toEqual({ batch: { kind: 'direct', jobIds: ['i0'] }, nextAt: null })
  })

  test('one or two jobs wait 300 ms for others while a transaction is in flight', () => {
    for (const count of [1, 2]) {
      expect(choose(several(count), one)).toEqual({ batch: null, nextAt: now + batchWindowMs })
      expect(choose(several(count), one, now + batchWindowMs - 1).batch).toBeNull()
      expect(choose(several(count), one, now + batchWindowMs).batch).not.toBeNull()
    }
  })

  test('after the wait, one job is sent directly and two jobs share a transaction', () => {
    expect(choose(several(1), one, now + batchWindowMs).batch?.kind).toBe('direct')
    expect(choose(several(2), one, now + batchWindowMs).batch).toEqual({ kind: 'sends', jobIds: ['i0', 'i1'] })
  })

  test('three jobs share a transaction without waiting', () => {
    expect(choose(several(minBatchSize), one).batch).toEqual({ kind: 'sends', jobIds: ['i0', 'i1', 'i2'] })
  })

  test('sends and calls never share a transaction, and one lane does not delay the other', () => {
    const call = waitingJob({ id: 'call', lane: 'call' })
    expect(choose([call, ...several(3)], one).batch).toEqual({ kind: 'sends', jobIds: ['i0', 'i1', 'i2'] })
    const calls = several(3, () => ({ lane: 'call' }))
    expect(choose(calls, one).batch?.kind).toBe('calls')
  })

  test('lanes alternate even if the sends are older', () => {
    const chooser = new BatchChooser()
    const waiting = [...several(200, () => ({ dueAt: now - 1_000 })), waitingJob({ id: 'call', lane: 'call' })]
    expect(chooser.choose(waiting, none, now).batch?.kind).toBe('sends')
    expect(chooser.choose(waiting, none, now).batch).toEqual({ kind: 'direct', jobIds: ['call'] })
  })

  test('contract sets take turns: a long queue for one does not delay the other @sets-13', () => {
    const chooser = new BatchChooser()
    const old = several(500, () => ({ dueAt: now - 1_000 }))
    const fresh = several(4, (i) => ({ id: `new ${i}`, contractSet: 2 }))
    const sent = (waiting: WaitingJob[]) => chooser.choose(waiting, none, now).batch!.jobIds
    expect(sent([...old, ...fresh]).every((id) => id.startsWith('i'))).toBe(true)
    expect(sent([...old.slice(50), ...fresh])).toEqual(fresh.map(({ id }) => id))
    expect(sent(old.slice(50))).toHaveLength(maxBatchSize.send)
  })

  test('nothing is sent while the relayer account has the maximum number of transactions in flight', () => {
    expect(choose(several(60), { all: maxInFlight, isolated: 0 })).toEqual({ batch: null, nextAt: null })
  })

  test('unused batch slots go to the user with the longest queue', () => {
    const ofOne = several(60, () => ({ userId: 'a' }))
    const jobIds = choose([...ofOne, waitingJob({ id: 'b' })], none).batch?.jobIds
    expect(jobIds).toHaveLength(maxBatchSize.send)
    expect(jobIds).toContain('b')
  })
})

describe('retries @relayer-12', () => {
  const isolated = (count: number) =>
    several(count, (i) => ({ id: `isolated ${i}`, isolated: true, dueAt: now - minuteMs }))
  const failing = (count: number) =>
    several(count, (i) => ({ id: `failing ${i}`, userId: 'f', isFailing: true, dueAt: now - minuteMs }))

  test('an isolated job gets its own transaction', () => {
    expect(choose(isolated(1), none).batch).toEqual({ kind: 'direct', jobIds: ['isolated 0'] })
  })

  test.each([
    { name: 'isolated jobs', retries: isolated(40) },
    { name: 'jobs of a failing principal', retries: failing(40) },
  ])('$name get one step in four while other jobs wait, however old they are', ({ retries }) => {
    const chooser = new BatchChooser()
    const waiting = [...retries, ...several(5)]
    const isRetry = () => !chooser.choose(waiting, none, now).batch!.jobIds.includes('i0')
    expect(Array.from({ length: 8 }, isRetry)).toEqual([false, false, false, true, false, false, false, true])
  })

  test('isolated jobs use at most two of eight transactions while other jobs wait, and always leave two free', () => {
    /** Isolated jobs sent in the first four steps. */
    const sent = (waiting: WaitingJob[], inFlight: InFlight) => {
      const chooser = new BatchChooser()
      const steps = Array.from({ length: 4 }, () => chooser.choose(waiting, inFlight, now).batch?.jobIds ?? [])
      return steps.find((ids) => ids[0]?.startsWith('isolated'))?.length ?? 0
    }
    expect(sent([...isolated(40), ...several(5)], none)).toBe(maxIsolatedWhileOthersWait)
    expect(sent([...isolated(40), ...several(5)], { all: 2, isolated: 2 })).toBe(0)
    expect(sent(isolated(40), none)).toBe(maxInFlight - 2)
    expect(sent(isolated(40), { all: 6, isolated: 6 })).toBe(0)
  })
})

describe('fair share @relayer-13', () => {
  const idsOf = (picked: WaitingJob[]) => picked.map(({ id }) => id)

  test('users share by gas: a user whose jobs cost twice as much sends half as many', () => {
    const share = new FairShare()
    const cheap = several(40, (i) => ({ id: `cheap ${i}`, userId: 'cheap', gas: quantum / 2 }))
    const dear = several(40, (i) => ({ id: `dear ${i}`, userId: 'dear', gas: quantum }))
    const picked = share.pick([...cheap, ...dear], 30)
    expect(picked.filter(({ userId }) => userId === 'cheap')).toHaveLength(20)
  })

  test('all new accounts together get the share of one user', () => {
    const share = new FairShare()
    const fresh = several(300, (i) => ({ id: `new ${i}`, userId: `new ${i % 30}`, isNewAccount: true, dueAt: now - 1 }))
    const old = several(40, (i) => ({ id: `old ${i}`, userId: `old ${i % 4}` }))
    const picked = share.pick([...fresh, ...old], 50)
    expect(picked.filter(({ isNewAccount }) => isNewAccount)).toHaveLength(10)
  })

  test('a user with one job waits at most one turn of a new account with hundreds, even if the job arrives later', () => {
    const share = new FairShare()
    const fresh = several(300, (i) => ({ id: `new ${i}`, userId: 'busy', isNewAccount: true, dueAt: now - 1 }))
    share.pick(fresh, 50)
    const late = waitingJob({ id: 'late', isNewAccount: true })
    expect(idsOf(share.pick([...fresh.slice(50), late], 2))).toContain('late')
  })

  test('with more users than places in a batch, every user gets a turn even if one user has the oldest jobs', () => {
    const share = new FairShare()
    let waiting = [
      ...several(200, (i) => ({ id: `busy ${i}`, userId: 'busy', dueAt: now - 1 })),
      ...several(120, (i) => ({ id: `u${i}`, userId: `u${i}` })),
    ]
    for (let step = 0; step < 3; step++) {
      const picked = new Set(idsOf(share.pick(waiting, 50)))
      waiting = waiting.filter(({ id }) => !picked.has(id))
    }
    expect(waiting.filter(({ userId }) => userId !== 'busy')).toHaveLength(0)
  })

  test('the jobs of one user alternate between the owner and each agent', () => {
    const agents = several(60, (i) => ({ id: `agent ${i}`, userId: 'u', principal: `agent ${i % 2}`, dueAt: now - 1 }))
    expect(idsOf(new FairShare().pick([...agents, waitingJob({ id: 'owner', userId: 'u' })], 3))).toContain('owner')
  })
})

const waitingJobs = fc
  .array(
    fc.record({
      userId: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      principal: fc.constantFrom('', 'agent'),
      isNewAccount: fc.boolean(),
      gas: fc.constantFrom(40_000, 70_000, 140_000),
      lane: fc.constantFrom('send' as const, 'call' as const),
      contractSet: fc.constantFrom(1, 2),
      isolated: fc.boolean(),
      isFailing: fc.boolean(),
      dueAt: fc.integer({ min: now - 1_000, max: now }),
    }),
    { maxLength: 200 },
  )
  .map((jobs) => jobs.map((job, i) => ({ ...job, id: `i${i}` })).sort((a, b) => a.dueAt - b.dueAt))

describe('for any queue', () => {
  test('a batch stays within its maximum size and never mixes lanes, contract sets, or retries with other jobs @sets-1', () => {
    fc.assert(
      fc.property(waitingJobs, fc.integer({ min: 0, max: maxInFlight }), (waiting, all) => {
        const { batch } = choose(waiting, { all, isolated: 0 })
        if (!batch) return
        const jobs = batch.jobIds.map((id) => waiting.find((job) => job.id === id)!)
        expect(new Set(batch.jobIds).size).toBe(batch.jobIds.length)
        expect(batch.jobIds.length).toBeGreaterThan(0)
        if (batch.kind === 'direct') {
          expect(batch.jobIds.length).toBeLessThanOrEqual(maxInFlight - all)
          return
        }
        const lane = batch.kind === 'sends' ? 'send' : 'call'
        expect(jobs.every((job) => job.lane === lane && !job.isolated)).toBe(true)
        expect(new Set(jobs.map((job) => job.isFailing)).size).toBe(1)
        expect(new Set(jobs.map((job) => job.contractSet)).size).toBe(1)
        expect(jobs.length).toBeLessThanOrEqual(maxBatchSize[lane])
      }),
      { numRuns: 2_000 },
    )
  })

  test('sending each chosen batch in turn sends every job', () => {
    fc.assert(
      fc.property(waitingJobs, (all) => {
        const chooser = new BatchChooser()
        let waiting = all
        for (let turn = 0; waiting.length > 0; turn++) {
          expect(turn).toBeLessThanOrEqual(all.length)
          const { batch } = chooser.choose(waiting, none, now)
          expect(batch).not.toBeNull()
          waiting = waiting.filter(({ id }) => !batch!.jobIds.includes(id))
        }
      }),
      { numRuns: 500 },
    )
  })

  test('established users with waiting jobs get equal gas, to within two turns', () => {
    fc.assert(
      fc.property(waitingJobs, fc.array(fc.integer({ min: 1, max: 20 })), (all, sizes) => {
        const share = new FairShare()
        let waiting: WaitingJob[] = all.map((job) => ({ ...job, isNewAccount: false }))
        const served = new Map<string, number>()
        const users = new Set(waiting.map(({ userId }) => userId))
        for (const size of sizes) {
          const picked = new Set(share.pick(waiting, size))
          for (const job of picked) served.set(job.userId, (served.get(job.userId) ?? 0) + job.gas)
          waiting = waiting.filter((job) => !picked.has(job))
          // Shares are comparable only while every user has waiting jobs.
          if (new Set(waiting.map(({ userId }) => userId)).size < users.size) return
          const gasOf = [...users].map((user) => served.get(user) ?? 0)
          if (gasOf.length > 0) expect(Math.max(...gasOf) - Math.min(...gasOf)).toBeLessThanOrEqual(2 * quantum)
        }
      }),
    )
  })
})
