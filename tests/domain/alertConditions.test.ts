import { expect, test } from 'vitest'
import { observe } from '../../worker/alerts/conditions.ts'
import type { DeploymentState, RelayerState } from '../../worker/alerts/deploymentState.ts'
import type { RelayerHealth } from '../../worker/relayer/api.ts'

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
const calm: DeploymentState = {
  networks: [{ chainId: 8453, problems: [] }],
  relayers: [relayer()],
  overdue: 0,
  troubles: [],
  channels: [],
  webhooks: { on: 9, failing: 4, disabled: 3, late: 0 },
  lateExport: null,
  restores: [],
  databaseBytes: 1_000,
}
const keys = (state: Partial<DeploymentState>) => observe({ ...calm, ...state }).conditions.map(({ key }) => key)
const halted = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    kind: 'wallet_halted' as const,
    subject: `wal_${i}`,
    userId: 'usr',
    edition: 1,
    since: i,
    detail: 'books differ',
  }))

test('a calm deployment has no conditions, and nothing is unknown', () => {
  expect(observe(calm)).toEqual({ conditions: [], unknown: [] })
})

test('webhooks that fail are their owners’ business until most of them do @webhooks-19', () => {
  expect(keys({ webhooks: { on: 20, failing: 10, disabled: 0, late: 0 } })).toEqual([])
  expect(keys({ webhooks: { on: 20, failing: 11, disabled: 0, late: 0 } })).toEqual(['webhooks_failing'])
})

test('many halted wallets are twenty alerts and one for the rest', () => {
  expect(keys({ troubles: halted(20) })).toHaveLength(20)
  const conditions = observe({ ...calm, troubles: halted(53) }).conditions
  expect(conditions).toHaveLength(21)
  expect(conditions.at(-1)).toEqual({
    key: 'wallet_halted:more',
    text: '33 more of wallet_halted; the log has them',
  })
})

test('an object that needs newer code is one alert, with its name and what it needs @schema-7', () => {
  const detail = 'the database has schema version 3 and needs code of version 3; this code supports versions up to 2'
  const trouble = {
    kind: 'schema_newer' as const,
    subject: 'treasury:usr',
    userId: 'usr',
    edition: 1,
    since: 1,
    detail,
  }
  expect(observe({ ...calm, troubles: [trouble] }).conditions).toEqual([
    { key: 'schema_newer:treasury:usr', text: `treasury:usr does nothing: ${detail}` },
  ])
})

test('a Relayer is stalled after half a minute, for the reason that it knows', () => {
  const stalled = (over: Partial<RelayerHealth>) => ({
    relayers: [relayer({ health: { ...health, ready: 2, ...over } })],
  })
  expect(keys(stalled({ stalledMs: 29_999 }))).toEqual([])
  expect(keys(stalled({ stalledMs: 30_000 }))).toEqual(['relayer_stalled:8453:0'])
  const text = (over: Partial<RelayerHealth>) =>
    observe({ ...calm, ...stalled({ stalledMs: 60_000, ...over }) }).conditions[0]!.text
  expect(text({ holding: 'fees', stepError: 'down' })).toContain('2 jobs could be sent: fees')
  expect(text({ stepError: 'down' })).toContain(': down')
  expect(text({ inFlight: 8 })).toContain(': 8 transactions in flight')
})

test('what did not respond is unknown, so its alerts neither start nor end', () => {
  expect(observe({ ...calm, relayers: [relayer({ account: null, health: null })] })).toEqual({
    conditions: [],
    unknown: ['relayer:8453:0', 'relayer_stalled:8453:0', 'relayer_size:8453:0'],
  })
})
