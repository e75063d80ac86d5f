import { type LayoutItem as GridItem, moveElement, verticalCompactor } from 'react-grid-layout/core'
import type { WidgetType } from '#domain/widgets.ts'
import type { LayoutItem } from '#schemas/preferences.ts'
import { widgets } from './widgets.ts'

/** Only the layout of the widest grid is stored; narrower ones are derived from it. */
export const columns = 12
export type { LayoutItem }

/** The minimum grid width in px for each number of columns. Widgets of equal width could not stay equal in ten columns. */
const breakpoints = [
  { from: 996, columns: 12 },
  { from: 768, columns: 6 },
  { from: 480, columns: 4 },
  { from: 0, columns: 2 },
]
export const columnsAt = (width: number): number => breakpoints.find(({ from }) => width >= from)?.columns ?? 2

const item = (type: WidgetType, x: number, y: number): LayoutItem => ({
  id: type,
  type,
  x,
  y,
  ...widgets[type].defaultSize,
})

export const defaultLayout: LayoutItem[] = [
  item('total-balance', 0, 0),
  item('active-agents', 3, 0),
  item('transactions-count', 6, 0),
  item('policy-groups', 9, 0),
  item('recent-transactions', 0, 2),
  item('quick-stats', 6, 2),
]

/** For an account with some history: the trends, and the month's spending above the newest payments. */
export const suggestedLayout: LayoutItem[] = [
  item('total-balance', 0, 0),
  item('total-spent', 3, 0),
  item('transactions-count', 6, 0),
  item('active-agents', 9, 0),
  { ...item('recent-activity', 0, 2), w: columns, h: 4 },
  item('recent-transactions', 0, 6),
  item('quick-stats', 6, 6),
]

/** Converts items to the grid library's format: `i` for the id, plus the minimum size. */
export const toGrid = (items: readonly LayoutItem[]): GridItem[] =>
  items.map(({ id, type, x, y, w, h }) => {
    const { minSize } = widgets[type]
    return { i: id, x, y, w, h, minW: minSize.w, minH: minSize.h }
  })

export const fromGrid = (items: readonly LayoutItem[], grid: readonly GridItem[]): LayoutItem[] =>
  items.map((one) => {
    const { x, y, w, h } = grid.find(({ i }) => i === one.id) ?? one
    return { ...one, x, y, w, h }
  })

/** Compacts items upwards, so that nothing overlaps, whatever was stored. */
export const tidy = (items: readonly LayoutItem[]): LayoutItem[] =>
  fromGrid(items, verticalCompactor.compact(toGrid(items), columns))

/** Adds a widget in the first gap that is large enough, or at the bottom. Moves no other widget. */
export function addWidget(items: readonly LayoutItem[], type: WidgetType): LayoutItem[] {
  if (items.some((one) => one.type === type)) return [...items]
  const bottom = Math.max(0, ...items.map(({ y, h }) => y + h))
  for (let y = 0; y < bottom; y++)
    for (let x = 0; x + widgets[type].defaultSize.w <= columns; x++) {
      const added = item(type, x, y)
      if (!items.some((one) => overlaps(one, added))) return tidy([...items, added])
    }
  return tidy([...items, item(type, 0, bottom)])
}

const overlaps = (a: LayoutItem, b: LayoutItem) =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h

export const removeWidget = (items: readonly LayoutItem[], id: string): LayoutItem[] =>
  tidy(items.filter((one) => one.id !== id))

export type Move = 'left' | 'right' | 'up' | 'down'
const steps: Record<Move, { x: number; y: number }> = {
  left: { x: -1, y: 0 },
  right: { x: 1, y: 0 },
  up: { x: 0, y: -1 },
  down: { x: 0, y: 1 },
}

/** Makes the shortest move in a direction that changes the layout; returns the same layout if there is none. */
export function moveWidget(items: readonly LayoutItem[], id: string, move: Move): LayoutItem[] {
  const step = steps[move]
  const bottom = Math.max(0, ...items.map(({ y, h }) => y + h))
  const known = items.find((one) => one.id === id)
  if (!known) return [...items]
  for (let n = 1; n <= Math.max(columns, bottom); n++) {
    const grid = toGrid(items)
    const moved = grid.find(({ i }) => i === id)!
    const [x, y] = [moved.x + step.x * n, moved.y + step.y * n]
    if (x < 0 || x + moved.w > columns || y < 0) break
    const next = fromGrid(
      items,
      verticalCompactor.compact(moveElement(grid, moved, x, y, true, false, 'vertical', columns), columns),
    )
    const now = next.find((one) => one.id === id)!
    if (now.x !== known.x || now.y !== known.y) return next
  }
  return [...items]
}

/** Resizes within the grid, not below the widget's minimum size. */
export function resizeWidget(items: readonly LayoutItem[], id: string, by: { w?: number; h?: number }): LayoutItem[] {
  return tidy(
    items.map((one) => {
      if (one.id !== id) return one
      const { minSize } = widgets[one.type]
      const w = Math.min(columns - one.x, Math.max(minSize.w, one.w + (by.w ?? 0)))
      const h = Math.min(40, Math.max(minSize.h, one.h + (by.h ?? 0)))
      return { ...one, w, h }
    }),
  )
}

/** The layout for a narrower grid: stacked in reading order. */
export function layoutFor(items: readonly LayoutItem[], narrow: number): GridItem[] {
  if (narrow === columns) return toGrid(items)
  const order = [...items].sort((a, b) => a.y - b.y || a.x - b.x)
  let [x, y, rowHeight] = [0, 0, 0]
  return order.map(({ id, w: wide, h }) => {
    const w = narrow === 1 ? 1 : wide <= 3 ? narrow / 2 : wide <= 4 && narrow === 6 ? 3 : narrow
    if (x + w > narrow) {
      x = 0
      y += rowHeight
      rowHeight = 0
    }
    const placed = { i: id, x, y, w, h }
    x += w
    rowHeight = Math.max(rowHeight, h)
    return placed
  })
}
