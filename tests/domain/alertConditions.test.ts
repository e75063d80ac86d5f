import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commands } from '../../scripts/ops/commands.ts'
import { conditionNames, observe } from '../../worker/alerts/conditions.ts'
import type { DeploymentState, RelayerState } from '../../worker/alerts/deploymentState.ts'
import type { WatchState } from '../../worker/readiness/watches.ts'
import type { RelayerHealth } from '../../worker/relayer/api.ts'
import type { WatchHealth } from '../../worker/watch/api.ts'

const account = { address: '0xab', balance: 10n ** 18n, nextNonce: 1, inFlight: 0, runwayHours: null } as const
const health: RelayerHealth = {
  holding: null,
  stepError: null,
  waiting: 0,
  oldestAt: null,
  ready: 0,
  readyMs: 0,
  stalledMs: 0,
  inFlight: 0,
  databaseBytes: 1_000,
  maxDatabaseBytes: 6_000_000_000,
  isFull: false,
}
const relayer = (over: Partial<RelayerState> = {}): RelayerState => ({
  chainId: 8453,
  shard: 0,
  account,
  health,
  ...over,
})
const watch = (over: Partial<WatchHealth> | null = {}): WatchState => ({
  chainId: 8453,
  shard: 0,
  name: '8453:0',
  health: over && {
    ...{ wallets: 70, busy: 1, isFull: false, periodMs: 60_000, lateSince: null, problem: null },
    lastSweep: { block: 9, endedAt: 0, ms: 5, woken: 0 },
    ...over,
  },
})
const healthy: DeploymentState = {
  networks: [{ chainId: 8453, problems: [] }],
  relayers: [relayer()],
  watches: [watch()],
  overdue: 0,
  troubles: [],
  channels: [],
  webhooks: { on: 9, failing: 4, disabled: 3, late: 0, accounts: { on: 9, failing: 4 } },
  lateExport: null,
  restores: [],
  database: { bytes: 1_000, ms: 5 },
}
const keys = (state: Partial<DeploymentState>) => observe({ ...healthy, ...state }).conditions.map(({ key }) => key)
const halted = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    kind: 'wallet_halted' as const,
    subject: `wal_${i}`,
    userId: 'usr',
    edition: 1,
    since: i,
    detail: 'books differ',
  }))

test('a healthy deployment has no alert conditions, known or unknown', () => {
  expect(observe(healthy)).toEqual({ conditions: [], unknown: [] })
})

test('operators are alerted to failing webhooks only if those of more than half of the accounts fail @webhooks-19', () => {
  const webhooks = { on: 40, failing: 30, disabled: 0, late: 0 }
  expect(keys({ webhooks: { ...webhooks, accounts: { on: 20, failing: 10 } } })).toEqual([])
  expect(keys({ webhooks: { ...webhooks, accounts: { on: 20, failing: 11 } } })).toEqual(['webhooks_failing'])
  expect(keys({ webhooks: { ...webhooks, accounts: { on: 4, failing: 4 } } }), 'too few accounts').toEqual([])
})

test('operators are alerted when D1 is large or slow @alerts-12', () => {
  expect(keys({ database: { bytes: 7_000_000_000, ms: 1_000 } })).toEqual([])
  expect(keys({ database: { bytes: 7_000_000_001, ms: 1_001 } })).toEqual(['database_size', 'database_slow'])
})

test('halted wallets raise at most twenty alerts, plus one that counts the rest', () => {
  expect(keys({ troubles: halted(20) })).toHaveLength(20)
  const conditions = observe({ ...healthy, troubles: halted(53) }).conditions
  expect(conditions).toHaveLength(21)
  expect(conditions.at(-1)).toEqual({
    key: 'wallet_halted:more',
    text: '33 more of wallet_halted; see the log',
  })
})

test('an object that needs newer code raises one alert with its name and the version it needs @schema-7', () => {
  const detail = 'the database has schema version 3 and needs code of version 3; this code supports versions up to 2'
  const trouble = {
    kind: 'schema_newer' as const,
    subject: 'treasury:usr',
    userId: 'usr',
    edition: 1,
    since: 1,
    detail,
  }
  expect(observe({ ...healthy, troubles: [trouble] }).conditions).toEqual([
    { key: 'schema_newer:treasury:usr', text: `treasury:usr does nothing: ${detail}` },
  ])
})

test('a Relayer counts as stalled after 30 seconds, and the alert gives the reason', () => {
  const stalled = (over: Partial<RelayerHealth>) => ({
    relayers: [relayer({ health: { ...health, ready: 2, ...over } })],
  })
  expect(keys(stalled({ stalledMs: 29_999 }))).toEqual([])
  expect(keys(stalled({ stalledMs: 30_000 }))).toEqual(['relayer_stalled:8453:0'])
  const text = (over: Partial<RelayerHealth>) =>
    observe({ ...healthy, ...stalled({ stalledMs: 60_000, ...over }) }).conditions[0]!.text
  expect(text({ holding: 'fees', stepError: 'down' })).toContain('2 jobs could be sent: fees')
  expect(text({ stepError: 'down' })).toContain(': down')
  expect(text({ inFlight: 8 })).toContain(': 8 transactions in flight')
})

test('operators are alerted when a Watch is late or does not respond, with the reason @watch-2', () => {
  const text = (over: Partial<WatchHealth> | null) => {
    const [found] = observe({ ...healthy, watches: [watch(over)] }).conditions
    expect(found?.key).toBe('watch_late:8453:0')
    return found!.text
  }
  const since = 'Watch 8453:0 has not read its 70 wallets since 1970-01-01T00:00:01.000Z'
  expect(text({ lateSince: 1_000, problem: 'no response' })).toBe(`${since}: no response`)
  expect(text({ lateSince: 1_000 })).toBe(`${since}: its alarm has not run`)
  expect(text(null)).toBe('Watch 8453:0 does not respond')
})

test('conditions of a Relayer that did not respond are unknown, so its alerts neither start nor end', () => {
  expect(observe({ ...healthy, relayers: [relayer({ account: null, health: null })] })).toEqual({
    conditions: [],
    unknown: ['relayer:8453:0', 'relayer_stalled:8453:0', 'relayer_size:8453:0'],
  })
})

test('the runbook has a section for each condition, which says what it means, where to look, what to do and what users see', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')
  const alerts = page.split(/^## /m).find((part) => part.startsWith('Alerts\n'))!
  const sections = alerts.split(/^### /m).slice(1)
  expect(sections.map((section) => /^`(\w+)`\n/.exec(section)?.[1]).sort()).toEqual([...conditionNames].sort())
  for (const section of sections)
    expect(
      [...section.matchAll(/^- \*\*(.+?):\*\*/gm)].map((match) => match[1]),
      section,
    ).toEqual(['What it means', 'Look at', 'Do', 'Users see'])
})

test('the runbooks name every command of operators, and operations.md stays readable', () => {
  const [operations, recovering] = ['operations', 'recovering'].map((name) =>
    readFileSync(join(import.meta.dirname, `../../docs/${name}.md`), 'utf8'),
  ) as [string, string]
  expect(operations.split('\n').length).toBeLessThanOrEqual(601)
  const reference = operations.split(/^### /m).find((part) => part.startsWith('Commands\n'))!
  const named = new Set([...reference.matchAll(/`([a-z0-9-]+)[ `]/g)].map((match) => match[1]))
  expect([...Object.keys(commands), 'rotate'].filter((name) => !named.has(name))).toEqual([])
  const run = [...`${operations}${recovering}`.matchAll(/npm run ops -- ([a-z0-9-]+)/g)].map((match) => match[1]!)
  expect(run.filter((name) => !['help', 'rotate', ...Object.keys(commands)].includes(name))).toEqual([])
})
