import fc from 'fast-check'
import { expect, test } from 'vitest'
import { widgetTypes } from '#domain/widgets.ts'
import { LayoutItem as Stored } from '#schemas/preferences.ts'
import {
  addWidget,
  columns,
  columnsAt,
  defaultLayout,
  type LayoutItem,
  layoutFor,
  moveWidget,
  removeWidget,
  resizeWidget,
  suggestedLayout,
  tidy,
} from '#web/routes/dashboard/-overview/layout.ts'
import { widgets } from '#web/routes/dashboard/-overview/widgets.ts'
import { cases } from '../support/cases.ts'

type Box = { x: number; y: number; w: number; h: number }
const overlap = (a: Box, b: Box) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
const expectValid = (boxes: readonly Box[], wide: number) => {
  for (const [i, box] of boxes.entries()) {
    expect(box.x).toBeGreaterThanOrEqual(0)
    expect(box.x + box.w).toBeLessThanOrEqual(wide)
    for (const other of boxes.slice(i + 1)) expect(overlap(box, other), JSON.stringify([box, other])).toBe(false)
  }
}

const type = fc.constantFrom(...widgetTypes)
const act = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), type }),
  fc.record({ kind: fc.constant('remove' as const), type }),
  fc.record({ kind: fc.constant('move' as const), type, way: fc.constantFrom('left', 'right', 'up', 'down') }),
  fc.record({ kind: fc.constant('resize' as const), type, w: fc.constantFrom(-1, 0, 1), h: fc.constantFrom(-1, 0, 1) }),
)

const apply = (items: LayoutItem[], one: typeof act extends fc.Arbitrary<infer One> ? One : never): LayoutItem[] => {
  switch (one.kind) {
    case 'add':
      return addWidget(items, one.type)
    case 'remove':
      return removeWidget(items, one.type)
    case 'move':
      return moveWidget(items, one.type, one.way as 'left')
    case 'resize':
      return resizeWidget(items, one.type, { w: one.w, h: one.h })
  }
}

test('adding, removing, moving and resizing widgets never cause overlaps or an invalid layout, at any width @overview-8', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
      let items = defaultLayout
      for (const one of acts) {
        const before = items
        items = apply(items, one)
        if (one.kind === 'move' || one.kind === 'resize')
          expect(items.map(({ id }) => id).sort()).toEqual(before.map(({ id }) => id).sort())
      }
      expectValid(items, columns)
      for (const item of items) {
        expect(Stored.safeParse(item).success, JSON.stringify(item)).toBe(true)
        expect(item.w).toBeGreaterThanOrEqual(widgets[item.type].minSize.w)
        expect(item.h).toBeGreaterThanOrEqual(widgets[item.type].minSize.h)
      }
      for (const narrow of [6, 4, 2, 1]) {
        const derived = layoutFor(items, narrow)
        expect(derived.map(({ i }) => i).sort()).toEqual(items.map(({ id }) => id).sort())
        expectValid(derived, narrow)
      }
    }),
    { numRuns: cases(100) },
  )
})

test('a stored layout with overlaps is repaired @overview-9', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(
        fc.record({
          type,
          x: fc.nat(9),
          y: fc.nat(20),
          w: fc.integer({ min: 1, max: 3 }),
          h: fc.integer({ min: 1, max: 5 }),
        }),
        {
          selector: (item) => item.type,
        },
      ),
      (stored) => {
        const items = tidy(stored.map((item) => ({ ...item, id: item.type })))
        expect(items).toHaveLength(stored.length)
        expectValid(items, columns)
      },
    ),
  )
})

test('the default layout and the widget sizes match the specification @overview-10', () => {
  expect(defaultLayout.map(({ type, x, y, w, h }) => [type, x, y, w, h])).toEqual([
    ['total-balance', 0, 0, 3, 2],
    ['active-agents', 3, 0, 3, 2],
    ['transactions-count', 6, 0, 3, 2],
    ['policy-groups', 9, 0, 3, 2],
    ['recent-transactions', 0, 2, 6, 4],
    ['quick-stats', 6, 2, 6, 4],
  ])
  expect([1400, 996, 995, 768, 767, 480, 479, 100].map(columnsAt)).toEqual([12, 12, 6, 6, 4, 4, 2, 2])
  expect(Object.keys(widgets)).toHaveLength(19)
})

test('a keyboard move shifts the widget in that direction, or changes nothing at the edge @overview-11', () => {
  const down = moveWidget(defaultLayout, 'recent-transactions', 'up')
  expect(down.find(({ id }) => id === 'recent-transactions')).toMatchObject({ x: 0, y: 0 })
  const right = moveWidget(defaultLayout, 'total-balance', 'right')
  expect(right.find(({ id }) => id === 'total-balance')!.x).toBe(1)
  expect(moveWidget(defaultLayout, 'total-balance', 'left')).toEqual(defaultLayout)
  const lower = moveWidget(defaultLayout, 'total-balance', 'down')
  expect(lower.find(({ id }) => id === 'total-balance')!.y).toBeGreaterThan(0)
})

test('an added widget fills the first gap that is large enough and moves no other widget @overview-12', () => {
  const wallets = addWidget(defaultLayout, 'top-wallets')
  const agents = addWidget(wallets, 'active-agents-list')
  const added = agents.find(({ type }) => type === 'active-agents-list')
  expect(added).toMatchObject({ x: 6, y: 6, w: 6, h: 4 })
  expect(agents.slice(0, wallets.length)).toEqual(wallets)
  const gap = addWidget(removeWidget(agents, 'policy-groups'), 'total-spent')
  expect(gap.find(({ type }) => type === 'total-spent')).toMatchObject({ x: 9, y: 0 })
})

test('the suggested layout has no gap, no overlap, and the balance where the first figures show it @overview-34', () => {
  expectValid(suggestedLayout, columns)
  expect(tidy(suggestedLayout)).toEqual(suggestedLayout)
  expect(suggestedLayout.map((one) => Stored.parse(one))).toEqual(suggestedLayout)
  expect(suggestedLayout[0]).toMatchObject({ type: 'total-balance', x: 0, y: 0, w: 3, h: 2 })
  const area = suggestedLayout.reduce((sum, { w, h }) => sum + w * h, 0)
  expect(area).toBe(columns * Math.max(...suggestedLayout.map(({ y, h }) => y + h)))
})
