import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type GasLevel, gasLeft, levelAt, utcDay } from '#domain/gasAllowance.ts'
import { withLimits } from '#domain/limits.ts'
import { microUsdc } from '#domain/money.ts'
import {
  type Forecast,
  forecastRun,
  forecastText,
  type RowKind,
  type RunAllowance,
  rowGas,
  rowsPerMinute,
  type WaitingRows,
} from '#domain/runs/forecast.ts'
import { runSentence } from '#domain/runs/sentence.ts'
import { dayMs, minuteMs } from '#domain/time.ts'

/** A Tuesday. */
const noon = Date.parse('2026-11-24T12:00:00Z')
const usdc = (amount: number) => microUsdc(BigInt(Math.round(amount * 1_000_000)))

const allowanceOf = (more: Partial<RunAllowance> = {}): RunAllowance => ({
  limits: withLimits(),
  level: null,
  gasUse: { owner: 0, agents: {} },
  principal: 'run',
  messages: { email: { byRun: 0, byAll: 0 }, sms: { byRun: 0, byAll: 0 } },
  ...more,
})
type Size = { emails?: number; sms?: number; sends?: number; total?: WaitingRows['total'] }
/** Payouts come first. */
const rowsOf = ({ emails = 0, sms = 0, sends = 0, total = usdc(1_000) }: Size): WaitingRows => {
  const these = (kind: RowKind, count: number) => Array.from({ length: count }, () => kind)
  return { rows: [...these('email', emails), ...these('sms', sms), ...these('send', sends)], total }
}
const of = (size: Size, allowance: Partial<RunAllowance> = {}, now = noon) => {
  const forecast = forecastRun(rowsOf(size), allowanceOf(allowance), now)
  return [forecast.perDay, forecastText(forecast, now)]
}
const grown: GasLevel = { allowance: 200_000_000, day: utcDay(noon), confirmed: usdc(0), failed: false }

describe('the forecast', () => {
  test('says minutes for what fits into today', () => {
    expect(of({ sends: 80 })).toEqual([[80], 'done in about a minute'])
    expect(of({ sends: 1_000 }, { level: grown })).toEqual([[1_000], 'done in about 5 minutes'])
    expect(of({})).toEqual([[], ''])
  })

  test('says how much is paid today and tomorrow, and the day on which it is done @runs-14', () => {
    // 40 % of 20 M units of gas; they double after each day on which something was paid.
    expect(of({ sends: 200 })).toEqual([[126, 74], '126 today, 74 tomorrow'])
    expect(of({ emails: 150 })).toEqual([[34, 70, 46], '34 today, 70 tomorrow; done about Thursday'])
    expect(of({ sends: 120, emails: 60 })[0]).toEqual([34, 146])
    const sendsFirst = { ...rowsOf({}), rows: rowsOf({ sends: 120, emails: 60 }).rows.toReversed() }
    expect(forecastRun(sendsFirst, allowanceOf(), noon).perDay, 'in the order of the file').toEqual([121, 59])
    expect(of({ emails: 1_000 }, { level: grown })).toEqual([
      Array.from({ length: 10 }, () => 100),
      '100 today, 100 tomorrow; done about December 3',
    ])
    expect(of({ sms: 300 }, { level: grown }, Date.parse('2026-12-20T12:00:00Z'))[1]).toBe(
      '10 today, 10 tomorrow; done about January 18, 2027',
    )
  })

  test('does not grow after a day on which a payment failed, or only dust was paid', () => {
    expect(of({ emails: 60 }, { level: { ...grown, allowance: 20_000_000, failed: true } })[0]).toEqual([34, 26])
    expect(of({ sends: 300, total: usdc(0.3) })[0]).toEqual([126, 126, 48])
  })

  test('counts what is used today, and the time until midnight', () => {
    const used = { email: { byRun: 0, byAll: 150 }, sms: { byRun: 10, byAll: 10 } }
    expect(of({ emails: 60 }, { level: grown, messages: used })[0]).toEqual([50, 10])
    expect(of({ sms: 1 }, { level: grown, messages: used })).toEqual([[0, 1], 'none today, 1 tomorrow'])
    expect(of({ sends: 10 }, { gasUse: { owner: 0, agents: { run: 7_900_000 } } })[0]).toEqual([1, 9])
    expect(of({ sends: 10 }, {}, Date.parse('2026-11-24T23:59:59Z'))).toEqual([[4, 6], '4 today, 6 tomorrow'])
  })

  test('says so if the limits never let it end @runs-16', () => {
    const none = withLimits({ smsPerDay: 0 })
    expect(of({ sends: 3, sms: 2 }, { limits: none })).toEqual([
      [3],
      'the account’s limits allow only 3 of these payments',
    ])
    expect(of({ sms: 2 }, { limits: none })[1]).toBe('the account’s limits allow none of these payments')
  })

  /** Pays row by row with a clock, as the Treasury does, and asks the rules of gas before each. */
  function simulated({ rows: all, total }: WaitingRows, allowance: RunAllowance, now: number): Forecast {
    const { limits, principal } = allowance
    const waiting = [...all]
    const rows = waiting.length
    const perRowMs = minuteMs / rowsPerMinute
    let level = levelAt(allowance.level, limits, now)
    let use = allowance.gasUse
    let sent = structuredClone(allowance.messages)
    let clock = now
    const perDay: number[] = []
    while (waiting.length > 0) {
      const day = utcDay(clock)
      let count = 0
      for (let at = 0; at < waiting.length; ) {
        const kind = waiting[at]!
        if (clock + perRowMs > (day + 1) * dayMs) break
        const gas = kind === 'send' ? rowGas.send : rowGas.payout
        if (kind !== 'send') {
          const [most, { byRun, byAll }] = [kind === 'email' ? limits.emailsPerDay : limits.smsPerDay, sent[kind]]
          if (byAll + 1 > most || byRun + 1 > Math.floor((most * limits.agentMessagePercent) / 100)) {
            at += 1
            continue
          }
        }
        if (gasLeft(level, use, limits, principal) < gas.needed) break
        if (kind !== 'send') sent[kind] = { byRun: sent[kind].byRun + 1, byAll: sent[kind].byAll + 1 }
        use = { ...use, agents: { ...use.agents, [principal]: (use.agents[principal] ?? 0) + gas.taken } }
        waiting.splice(at, 1)
        count += 1
        clock += perRowMs
      }
      if (count === 0 && perDay.length > 0) return { perDay, doneAt: null }
      perDay.push(count)
      if (waiting.length === 0) break
      level = { ...level, confirmed: microUsdc(level.confirmed + (total * BigInt(count)) / BigInt(rows)) }
      clock = (day + 1) * dayMs
      level = levelAt(level, limits, clock)
      use = { owner: 0, agents: {} }
      sent = { email: { byRun: 0, byAll: 0 }, sms: { byRun: 0, byAll: 0 } }
    }
    return { perDay, doneAt: Math.ceil(clock) }
  }

  const used = fc
    .record({ byRun: fc.nat(30), others: fc.nat(120) })
    .map(({ byRun, others }) => ({ byRun, byAll: byRun + others }))
  const allowance = fc
    .record({
      limits: fc.record({
        gasPerDay: fc.integer({ min: 0, max: 40_000_000 }),
        maxGasPerDay: fc.integer({ min: 0, max: 100_000_000 }),
        agentGasPercent: fc.integer({ min: 0, max: 100 }),
        ownerGasPercent: fc.integer({ min: 0, max: 100 }),
        emailsPerDay: fc.nat(200),
        smsPerDay: fc.nat(40),
        agentMessagePercent: fc.nat(100),
      }),
      confirmed: fc.bigInt({ min: 0n, max: 2_000_000n }),
      failed: fc.boolean(),
      gas: fc.record({ owner: fc.nat(10_000_000), run: fc.nat(5_000_000), agent: fc.nat(5_000_000) }),
      email: used,
      sms: used,
      ago: fc.nat(2),
    })
    .map(({ limits, confirmed, failed, gas, email, sms, ago }) =>
      allowanceOf({
        limits: withLimits(limits),
        level: { allowance: limits.gasPerDay, day: utcDay(noon) - ago, confirmed: microUsdc(confirmed), failed },
        gasUse: { owner: gas.owner, agents: { run: gas.run, agent: gas.agent } },
        messages: { email, sms },
      }),
    )
  const rows = fc.record({
    rows: fc.array(fc.constantFrom('send' as const, 'send' as const, 'email' as const, 'sms' as const), {
      maxLength: 260,
    }),
    total: fc.bigInt({ min: 0n, max: 100_000_000n }).map(microUsdc),
  })
  test('equals a simulation that pays row by row @runs-15', () => {
    fc.assert(
      fc.property(rows, allowance, fc.integer({ min: 0, max: dayMs - 1 }), (waiting, allowed, ofDay) => {
        const now = utcDay(noon) * dayMs + (ofDay % 7 === 0 ? dayMs - 20_000 : ofDay)
        expect(forecastRun(waiting, allowed, now)).toEqual(simulated(waiting, allowed, now))
      }),
      { numRuns: 300 },
    )
  })
})

test('one sentence says what a run will do @runs-17', () => {
  const sentence = (payments: number, recipients: number, leftOut: number, size: Size) =>
    runSentence(
      { payments, total: usdc(410), recipients, leftOut },
      forecastRun(rowsOf(size), allowanceOf(), noon),
      noon,
    )
  expect(sentence(80, 78, 2, { sends: 80 })).toBe(
    '80 payments, 410.00 USDC, to 78 people; 2 rows are left out; done in about a minute',
  )
  expect(sentence(1, 1, 1, { emails: 1 })).toBe(
    '1 payment, 410.00 USDC, to 1 person; 1 row is left out; done in about a minute',
  )
  expect(sentence(150, 150, 0, { emails: 150 })).toBe(
    '150 payments, 410.00 USDC, to 150 people; 34 today, 70 tomorrow; done about Thursday',
  )
  expect(sentence(0, 0, 3, {})).toBe('No payments; 3 rows are left out')
})
