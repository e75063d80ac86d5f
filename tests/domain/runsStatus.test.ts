import { describe, expect, test } from 'vitest'
import { failsRow, type RowRefusalCode, rowOutcomes } from '#domain/runs/rowRefusal.ts'
import { blocksRepeat, nextRun, type RunEvent, runStatuses, runWaitsMs } from '#domain/runs/runStatus.ts'
import { dayMs } from '#domain/time.ts'
import { type ErrorCode, statusOf } from '../../worker/errors.ts'

const events: RunEvent[] = ['submit', 'approve', 'deny', 'expire', 'cancel', 'finish', 'stop']

test('a run changes only in these ways @runs-12', () => {
  const changes = runStatuses.flatMap((status) =>
    events.flatMap((event) => {
      const next = nextRun(status, event)
      return next ? [`${status} ${event} ${next}`] : []
    }),
  )
  expect(changes).toEqual([
    'DRAFT submit WAITING',
    'DRAFT cancel CANCELLED',
    'WAITING approve RUNNING',
    'WAITING deny DENIED',
    'WAITING expire EXPIRED',
    'WAITING cancel CANCELLED',
    'RUNNING finish DONE',
    'RUNNING stop STOPPED',
  ])
  expect(runStatuses.filter((status) => !blocksRepeat(status))).toEqual(['DENIED', 'CANCELLED'])
  expect(runWaitsMs).toBe(7 * dayMs)
})

describe('a refusal', () => {
  /** Both fail to compile if a code is missing on either side. */
  const every: Record<ErrorCode, unknown> = rowOutcomes
  const known: Record<RowRefusalCode, unknown> = statusOf

  test('is about a row or not, whatever its code @runs-13', () => {
    expect(Object.keys(every).sort()).toEqual(Object.keys(known).sort())
    const codes = Object.keys(rowOutcomes) as RowRefusalCode[]
    expect(codes.filter((code) => failsRow({ code })).sort()).toEqual([
      'contact_changed',
      'recipient_blocked',
      'recipient_not_allowed',
      'recipient_screened',
    ])
    for (const field of ['toAddress', 'amount']) expect(failsRow({ code: 'invalid_input', field })).toBe(true)
    expect(failsRow({ code: 'unprocessable', field: 'recipientPhone' })).toBe(true)
    for (const field of [undefined, 'walletId', 'hash'])
      for (const code of ['invalid_input', 'unprocessable'] as const) expect(failsRow({ code, field })).toBe(false)
  })

  test('of a limit, and of anything else that passes, waits', () => {
    const codes = Object.keys(statusOf) as ErrorCode[]
    const passing = codes.filter((code) => statusOf[code] >= 500 || statusOf[code] === 429)
    expect(passing.filter((code) => failsRow({ code, field: 'amount' }))).toEqual([])
  })
})
