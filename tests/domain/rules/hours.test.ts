import { describe, expect, test } from 'vitest'
import { nextForOwner } from '#domain/refusal.ts'
import { hours } from '#domain/rules/hours.ts'
import { isTimeZone } from '#domain/rules/timeZone.ts'
import { ruleFields } from '#schemas/rules.ts'

const working = {
  zone: 'Europe/Berlin',
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  from: '09:00',
  to: '17:00',
  whenExceeded: 'refuse' as const,
}
const judge = (over: Partial<typeof working>, at: string) =>
  hours.judge!(
    { ...working, ...over },
    { at: Date.parse(at), isPayout: false, amount: null, unclaimed: 0n as never, recipient: null },
    undefined,
  )
const opens = (over: Partial<typeof working>, at: string) => {
  const verdict = judge(over, at)
  return verdict && (verdict.resetsAt == null ? verdict.resetsAt : new Date(verdict.resetsAt).toISOString())
}

describe('hours', () => {
  test('are those on the clock of the zone, the end excluded @rules-10', () => {
    expect(judge({}, '2026-11-20T08:00:00Z'), 'Friday, 9:00').toBe(null)
    expect(opens({}, '2026-11-20T07:59:59.999Z')).toBe('2026-11-20T08:00:00.000Z')
    expect(judge({}, '2026-11-20T15:59:59.999Z')).toBe(null)
    expect(opens({}, '2026-11-20T16:00:00Z'), 'after the weekend').toBe('2026-11-23T08:00:00.000Z')
    expect(judge({}, '2026-11-21T10:00:00Z')).toMatchObject({
      above: null,
      outcome: 'refuse',
      rule: 'group.hours',
      message: 'The policy group pays only Mon, Tue, Wed, Thu, Fri from 09:00 to 17:00 (Europe/Berlin).',
      next: { agent: 'Wait until 2026-11-23T08:00:00.000Z, or ask the owner to change the hours.' },
    })
    expect(nextForOwner(judge({}, '2026-11-21T10:00:00Z')!.next)).toBe(
      'Wait until November 23, 2026 at 8:00 AM UTC, or change the hours.',
    )
  })

  test('that cross midnight belong to the day on which they begin @rules-11', () => {
    const night = { days: ['fri'], from: '22:00', to: '02:00', zone: 'UTC' }
    expect(judge(night, '2026-11-20T22:00:00Z')).toBe(null)
    expect(judge(night, '2026-11-21T01:59:00Z'), 'Saturday').toBe(null)
    expect(opens(night, '2026-11-21T02:00:00Z')).toBe('2026-11-27T22:00:00.000Z')
    expect(opens(night, '2026-11-20T01:00:00Z'), 'Thursday’s night').toBe('2026-11-20T22:00:00.000Z')
  })

  test('in the hour that clocks skip begin when it is over, and in the one that they repeat count both times @rules-12', () => {
    const everyDay = { days: ['sun'], from: '02:15', to: '02:45' }
    // Berlin, 29 March 2026: 2:00 becomes 3:00. The skipped half hour does not occur.
    expect(opens(everyDay, '2026-03-29T00:00:00Z')).toBe('2026-04-05T00:15:00.000Z')
    const long = { days: ['sun'], from: '02:30', to: '05:00' }
    expect(opens(long, '2026-03-29T00:59:00Z'), 'from 3:00').toBe('2026-03-29T01:00:00.000Z')
    expect(judge(long, '2026-03-29T01:00:00Z')).toBe(null)
    // 25 October 2026: 3:00 becomes 2:00.
    expect(judge(everyDay, '2026-10-25T00:30:00Z'), '2:30 in summer').toBe(null)
    expect(judge(everyDay, '2026-10-25T01:30:00Z'), '2:30 in winter').toBe(null)
    expect(opens(everyDay, '2026-10-25T00:45:00Z')).toBe('2026-10-25T01:15:00.000Z')
    // A zone whose clocks change by half an hour.
    expect(opens({ ...everyDay, zone: 'Australia/Lord_Howe' }, '2026-10-03T15:00:00Z')).toBe('2026-10-03T15:30:00.000Z')
  })

  test('need a zone that exists, at least one day, and an end @rules-13', () => {
    const problem = (over: object) => {
      const parsed = ruleFields.hours.safeParse({ ...working, ...over })
      return parsed.success ? null : parsed.error.issues[0]!.path.join('.')
    }
    expect(problem({})).toBe(null)
    for (const zone of ['Europe/Atlantis', '+02:00', '', 'Europe/Berlin ', '../etc', 5])
      expect(problem({ zone }), `${zone}`).toBe('zone')
    expect(problem({ days: [] })).toBe('days')
    expect(problem({ days: ['Monday'] })).toBe('days.0')
    expect(problem({ from: '9:00' })).toBe('from')
    expect(problem({ to: '24:00' })).toBe('to')
    expect(problem({ to: '09:00' })).toBe('to')
    expect(isTimeZone('UTC')).toBe(true)
  })
})
