import {
  dayEndsAt,
  type GasLevel,
  type GasUse,
  gasLeft,
  levelAt,
  paymentGas,
  stepGas,
  utcDay,
} from '../gasAllowance.ts'
import { messagesPerAgent } from '../limitList.ts'
import type { Limits } from '../limits.ts'
import { type MicroUsdc, microUsdc } from '../money.ts'
import { dayMs, hourMs, minuteMs } from '../time.ts'
import { plural } from '../words.ts'
import { dayText } from './dayText.ts'

/**
 * How many rows a run pays per day under the account's limits, and when it is done. A run may use as much of the account's gas and
 * messages as an agent. Rows are paid in their order; those whose messages are used up don't hold up the others, one that lacks gas
 * does. The forecast assumes that later days are the run's alone, and that no payment fails.
 */

export type RowKind = 'send' | 'email' | 'sms'

/** Rows that wait, in the order of the file. `total`: their sum. */
export type WaitingRows = { rows: readonly RowKind[]; total: MicroUsdc }

/** What is used already today, by the run and by everybody in the account with it. */
type UsedMessages = { byRun: number; byAll: number }

/**
 * `level`: of the account's gas, at any earlier time. `gasUse`: today's, where the run's own is that of the agent `principal`.
 */
export type RunAllowance = {
  limits: Limits
  level: GasLevel | null
  gasUse: GasUse
  principal: string
  messages: { email: UsedMessages; sms: UsedMessages }
}

/** `perDay`: rows on each UTC day, beginning with today. `doneAt` (ms): null if the limits never let it end. */
export type Forecast = { perDay: number[]; doneAt: number | null }

/**
 * Gas units of a row: what has to be left for it, and what it takes in the end. A recipient without USDC is assumed, who claims a
 * payout on another day.
 */
export const rowGas = {
  send: { needed: paymentGas(false), taken: 63_000 },
  payout: { needed: paymentGas(true), taken: 63_000 + stepGas.announce + stepGas.claim },
} as const

/** The gas of a row of each kind, and which of the day's messages it uses up. */
const takes = {
  send: { gas: rowGas.send, channel: null },
  email: { gas: rowGas.payout, channel: 'email' },
  sms: { gas: rowGas.payout, channel: 'sms' },
} as const satisfies Record<RowKind, { gas: { needed: number; taken: number }; channel: 'email' | 'sms' | null }>

/** Of 1,000 payments, the last is confirmed within four minutes (docs/scale.md). */
export const rowsPerMinute = 240
const durationMs = (rows: number) => Math.ceil((rows * minuteMs) / rowsPerMinute)

/** What one day allows. */
type Day = { gas: number; email: number; sms: number; rows: number }

export function forecastRun({ rows, total }: WaitingRows, allowance: RunAllowance, now: number): Forecast {
  const { limits } = allowance
  const perDay: number[] = []
  let waiting = rows
  let level = levelAt(allowance.level, limits, now)
  let today = firstDay(allowance, level, now)
  for (let startAt = now; ; startAt = dayEndsAt(startAt)) {
    if (perDay.length > 0) today = laterDay(allowance, level)
    const left = leftAfter(today, waiting)
    const count = waiting.length - left.length
    if (rows.length > 0) perDay.push(count)
    waiting = left
    if (left.length === 0) return { perDay, doneAt: startAt + durationMs(count) }
    if (count === 0 && perDay.length > 1) return { perDay: perDay.slice(0, -1), doneAt: null }
    const moved = (total * BigInt(count)) / BigInt(rows.length)
    level = levelAt({ ...level, confirmed: microUsdc(level.confirmed + moved) }, limits, dayEndsAt(startAt))
  }
}

function firstDay({ limits, gasUse, principal, messages }: RunAllowance, level: GasLevel, now: number): Day {
  const left = (channel: 'email' | 'sms', perDay: number) => {
    const { byRun, byAll } = messages[channel]
    return Math.max(0, Math.min(perDay - byAll, messagesPerAgent[channel](limits) - byRun))
  }
  return {
    gas: gasLeft(level, gasUse, limits, principal),
    email: left('email', limits.emailsPerDay),
    sms: left('sms', limits.smsPerDay),
    rows: Math.floor(((dayEndsAt(now) - now) * rowsPerMinute) / minuteMs),
  }
}

const laterDay = ({ limits, principal }: RunAllowance, level: GasLevel): Day => ({
  gas: gasLeft(level, { owner: 0, agents: {} }, limits, principal),
  email: messagesPerAgent.email(limits),
  sms: messagesPerAgent.sms(limits),
  rows: (dayMs / minuteMs) * rowsPerMinute,
})

/** The rows that wait after this day. */
function leftAfter(day: Day, waiting: readonly RowKind[]): RowKind[] {
  const left = { ...day }
  return waiting.filter((kind) => {
    const { gas, channel } = takes[kind]
    if (left.rows < 1 || (channel && left[channel] < 1)) return true
    if (left.gas < gas.needed) {
      left.rows = 0
      return true
    }
    left.gas -= gas.taken
    left.rows -= 1
    if (channel) left[channel] -= 1
    return false
  })
}

/** 'done in about a minute', or '80 today, 160 tomorrow; done about Thursday'. Empty if no row waits. */
export function forecastText({ perDay, doneAt }: Forecast, now: number): string {
  const [today = 0, tomorrow = 0] = perDay
  if (perDay.length === 0) return ''
  if (doneAt === null) {
    const paid = perDay.reduce((sum, rows) => sum + rows, 0)
    return paid === 0
      ? 'the account’s limits allow none of these payments'
      : `the account’s limits allow only ${paid} of these payments`
  }
  if (perDay.length === 1) return `done in about ${durationText(doneAt - now)}`
  const parts = `${today === 0 ? 'none' : today} today, ${tomorrow} tomorrow`
  return perDay.length === 2 ? parts : `${parts}; done about ${laterText(doneAt, now)}`
}

function durationText(ms: number): string {
  const minutes = Math.ceil(ms / minuteMs)
  if (minutes <= 1) return 'a minute'
  return ms < hourMs ? plural(minutes, 'minute') : plural(Math.ceil(ms / hourMs), 'hour')
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const laterText = (at: number, now: number): string =>
  utcDay(at) - utcDay(now) < 7 ? weekdays[new Date(at).getUTCDay()]! : dayText(at, now)
