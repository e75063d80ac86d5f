import { maxWatched, periodMs, walletsPerCall } from '#domain/watch.ts'

/**
 * What a month costs and which part is full first, from measured constants: docs/scale.md. `npm run bench:scale` measures the
 * constants again and writes the tables; tests/domain/scale.test.ts fails if the document says anything else.
 */

/** Of one payment to a new recipient that is made alone. Measured by `npm run bench:scale`. */
export const measured = {
  /** Calls and alarms of objects, from acceptance to finality, without calls that ask for its status. */
  objectCalls: 8,
  objectRows: 123,
  d1Rows: 4,
  treasuryBytes: 2_600,
  /** Kept for a day after the payment is final. */
  relayerBytes: 2_400,
  historyBytes: 4_800,
  /** Of each payment of a run of 100, with its row, its check and its part of the run. */
  runPaymentRows: 91,
}
export type Measured = typeof measured

/** Compute units, measured by tests/worker/nodeCosts.test.ts and tests/treasury/watch.test.ts. */
export const units = {
  /** From acceptance until the payment is confirmed. */
  confirmation: 248,
  /** From acceptance until it is final and its wallet is idle again. */
  payment: 314,
  /** Of an idle wallet's own reading, once a day. */
  idleDay: 312,
  /** Of one sweep of Watch: once, and for each call. */
  sweep: 20,
  sweepCall: 26,
  /** Cron and relayers, for each chain. */
  minute: 180,
}

/** Of one user in a month. d1Bytes: what D1 has of a user, with the messages of 90 days. */
export const user = {
  payments: 30,
  requests: 1_000,
  mails: 6,
  idleReads: 30,
  /** Of one reading, measured by tests/worker/watch.test.ts. */
  idleRows: 12,
  requestCpuMs: 10,
  d1Bytes: 12_000,
}
const daysPerMonth = 30
const secondsPerMonth = daysPerMonth * 86_400
/** Payments in the busiest minutes, compared with the average. */
const peak = 10

/** US dollars, vendors' price lists of 2026. */
const perMillion = { request: 0.3, cpuMs: 0.02, objectCall: 0.15, gbSecond: 12.5, row: 1, computeUnit: 0.45 }
const gbMonth = { object: 0.2, d1: 0.75 }
/** Included in Workers Paid. */
const included = { requests: 10e6, cpuMs: 30e6, objectCalls: 1e6, gbSeconds: 400_000, rows: 50e6, gb: 5 }
const workersPaid = 5
/** 0.3 s of 128 MB. */
const gbSecondsPerCall = 0.3 * 0.125
/** 85,000 gas at 0.01 gwei and $2,500 for one ETH, for a payment that is sent alone. */
const gasPerPayment = 85_000 * 0.01e-9 * 2_500

const limits = {
  d1Bytes: 10e9,
  d1RowsPerSecond: 1_000,
  treasuryBytes: 8e9,
  relayerBytes: 6e9,
  sendsPerSecond: 200,
  /** A common plan. */
  unitsPerSecond: 660,
}

const sizes = [1_000, 10_000, 100_000]

const above = (used: number, free: number) => Math.max(0, used - free)

/** Resend: free, then $20, then by the thousand. */
const mailCost = (mails: number) => (mails <= 3_000 ? 0 : mails <= 50_000 ? 20 : (mails / 1_000) * 0.75)

/** Dollars a month, after one year for what is stored. */
function costs(users: number): Record<string, number> {
  const payments = users * user.payments
  const requests = users * user.requests
  const sweeps = sweepsPerSecond(users).all * secondsPerMonth
  // A reading is an alarm, and tells Watch. A sweep is an alarm, and writes it and what it read.
  const calls = requests + payments * measured.objectCalls + users * user.idleReads * 2 + sweeps
  const rows = payments * measured.objectRows + users * user.idleReads * user.idleRows + sweeps * 2
  const stored = (bytes: number) => (12 * payments * bytes) / 1e9
  const units = unitsPerSecond(users).average * secondsPerMonth
  return {
    'Workers Paid, requests, CPU':
      workersPaid +
      (above(requests, included.requests) * perMillion.request) / 1e6 +
      (above(requests * user.requestCpuMs, included.cpuMs) * perMillion.cpuMs) / 1e6,
    'Durable Objects':
      (above(calls, included.objectCalls) * perMillion.objectCall) / 1e6 +
      (above(calls * gbSecondsPerCall, included.gbSeconds) * perMillion.gbSecond) / 1e6 +
      (above(rows, included.rows) * perMillion.row) / 1e6 +
      above(stored(measured.treasuryBytes + measured.historyBytes), included.gb) * gbMonth.object,
    D1:
      (above(payments * measured.d1Rows, included.rows) * perMillion.row) / 1e6 +
      above((users * user.d1Bytes) / 1e9, included.gb) * gbMonth.d1,
    Email: mailCost(users * user.mails),
    Nodes: (units * perMillion.computeUnit) / 1e6,
    Gas: payments * gasPerPayment,
  }
}

/** Of all shards of Watch. */
function sweepsPerSecond(users: number): { all: number; units: number } {
  const shards = Math.ceil(users / maxWatched)
  const wallets = users / shards
  const all = (shards * 1000) / periodMs(wallets)
  return { all, units: all * (units.sweep + units.sweepCall * Math.ceil(wallets / walletsPerCall)) }
}

function unitsPerSecond(users: number): { average: number; peak: number } {
  const steady = (users * units.idleDay) / 86_400 + sweepsPerSecond(users).units + units.minute / 60
  const payments = (users * user.payments * units.payment) / secondsPerMonth
  return { average: steady + payments, peak: steady + payments * peak }
}

/** A part is used by a share of its limit in the busiest minutes, or is full after some months. */
type Part = { name: string; setting: string; isOfOneUser?: true } & (
  | { used: (users: number) => number; limit: string }
  | { months: (users: number) => number; limit: string }
)

const paymentsPerSecond = (users: number) => (users * user.payments) / secondsPerMonth

const parts: Part[] = [
  {
    name: 'Node, units a second',
    limit: `${limits.unitsPerSecond}, a common plan`,
    used: (users) => unitsPerSecond(users).peak / limits.unitsPerSecond,
    setting: 'a larger plan in `RPC_URLS_8453`',
  },
  {
    name: 'D1, size',
    limit: '10 GB',
    used: (users) => (users * user.d1Bytes) / limits.d1Bytes,
    setting: 'none',
  },
  {
    name: 'D1, rows written a second',
    limit: 'about 1,000',
    used: (users) => (paymentsPerSecond(users) * peak * measured.d1Rows) / limits.d1RowsPerSecond,
    setting: 'none',
  },
  {
    name: 'Relayer, sends a second',
    limit: '200 for each shard',
    used: (users) => (paymentsPerSecond(users) * peak) / limits.sendsPerSecond,
    setting: '`RELAYER_SHARDS`, for new users',
  },
  {
    name: 'Relayer, size',
    limit: '6 GB for each shard',
    used: (users) => (paymentsPerSecond(users) * 2 * 86_400 * measured.relayerBytes) / limits.relayerBytes,
    setting: '`RELAYER_SHARDS`, for new users',
  },
  {
    name: 'Treasury of a user with 3,000 payments a day, size',
    isOfOneUser: true,
    limit: '8 GB',
    months: () => limits.treasuryBytes / (3_000 * daysPerMonth * measured.treasuryBytes),
    setting: 'none; `LIMITS` bounds how fast it grows',
  },
]

/** With one decimal at most. */
const short = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 1 })
const english = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 0 })
/** Two figures that count. */
const rounded = (value: number) => english(value < 10 ? value : Number(value.toPrecision(2)))
const row = (cells: string[]) => `| ${cells.join(' | ')} |`
const table = (head: string[], rows: string[][]) => [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')
const columns = sizes.map((users) => `${english(users)} users`)

function shown(part: Part, users: number): string {
  if ('used' in part) return part.used(users) < 0.01 ? '< 1%' : `${rounded(part.used(users) * 100)}%`
  const months = part.months(users)
  return months > 600
    ? '> 50 years'
    : months > 24
      ? `full after ${short(months / 12)} years`
      : `full after ${short(months)} months`
}

/** To compare parts: the share of the limit that is used within a year. What is over its limit at once comes first. */
function urgency(part: Part, users: number): number {
  if (!('used' in part)) return 12 / part.months(users)
  const used = part.used(users)
  return used > 1 ? Number.POSITIVE_INFINITY : used
}

/** The tables of docs/scale.md, by the name in their markers. */
export function tables(): Record<string, string> {
  const perSize = sizes.map(costs)
  const names = Object.keys(perSize[0]!)
  const total = (cost: Record<string, number>) => Object.values(cost).reduce((sum, dollars) => sum + dollars, 0)
  const ofAll = parts.filter(({ isOfOneUser }) => !isOfOneUser)
  const first = sizes.map((users) => ofAll.toSorted((a, b) => urgency(b, users) - urgency(a, users))[0]!.name)
  return {
    constants: table(
      ['Of one payment', ''],
      [
        ['calls and alarms of objects', english(measured.objectCalls)],
        ['rows that objects write', english(measured.objectRows)],
        ['the same of a payment in a run of 100', english(measured.runPaymentRows)],
        ['rows that D1 writes', english(measured.d1Rows)],
        ['bytes in the Treasury', english(measured.treasuryBytes)],
        ['bytes in the Relayer, for a day', english(measured.relayerBytes)],
        ['bytes in the History', english(measured.historyBytes)],
        ['compute units until it is confirmed', english(units.confirmation)],
        ['compute units until it is final and its wallet idle again', english(units.payment)],
      ],
    ),
    costs: table(
      ['Dollars a month', ...columns],
      [
        ...names.map((name) => [name, ...perSize.map((cost) => rounded(cost[name]!))]),
        ['**Together**', ...perSize.map((cost) => `**${rounded(total(cost))}**`)],
      ],
    ),
    limits: table(
      ['Part', 'Limit', ...columns, 'What moves it'],
      [
        ...parts.map((part) => [part.name, part.limit, ...sizes.map((users) => shown(part, users)), part.setting]),
        ['**Full first**', '', ...first.map((name) => `**${name}**`), ''],
      ],
    ),
  }
}

/** The document with its tables, each between `<!-- name -->` and `<!-- end -->`. */
export const withTables = (text: string): string =>
  Object.entries(tables()).reduce((document, [name, content]) => {
    const place = new RegExp(`(<!-- ${name} -->\\n)[^]*?(<!-- end -->)`)
    return document.replace(place, (_, start: string, end: string) => `${start}${content}\n${end}`)
  }, text)
