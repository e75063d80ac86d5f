import { expect, test } from 'vitest'
import { type AlertRow, planAlerts } from '#domain/alerts.ts'

const dry = { key: 'relayer:8453:0', text: 'the relayer has run dry' }
const row = (over: Partial<AlertRow> = {}): AlertRow => ({ ...dry, since: 60, announcedAt: null, ...over })
const seeing = (...conditions: (typeof dry)[]) => ({ conditions, unknown: [] })
const nothing = { seen: [], start: [], end: [], forget: [] }

test('a condition is stored when first seen and announced if it persists', () => {
  expect(planAlerts([], seeing(dry), 60)).toEqual({ ...nothing, seen: [row()] })
  expect(planAlerts([row()], seeing(dry), 120)).toEqual({ ...nothing, start: [row()] })
  expect(planAlerts([row({ announcedAt: 120 })], seeing(dry), 180)).toEqual(nothing)
})
test('an alert is announced with the most recent text of its condition', () => {
  const text = 'the relayer has run dry again'
  expect(planAlerts([row()], seeing({ ...dry, text }), 120).start).toEqual([row({ text })])
})
test('the end of an alert is announced only if its start was', () => {
  expect(planAlerts([row({ announcedAt: 120 })], seeing(), 180)).toEqual({
    ...nothing,
    end: [row({ announcedAt: 120 })],
  })
  expect(planAlerts([row()], seeing(), 120)).toEqual({ ...nothing, forget: [row()] })
})
test('an alert stays unchanged while its condition is unknown', () => {
  const observed = { conditions: [], unknown: [dry.key] }
  for (const known of [row(), row({ announcedAt: 120 })]) expect(planAlerts([known], observed, 180)).toEqual(nothing)
})
test('a condition that is reported twice is stored once', () => {
  expect(planAlerts([], seeing(dry, dry), 60).seen).toHaveLength(1)
})
