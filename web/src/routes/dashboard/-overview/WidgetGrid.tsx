import { clsx } from 'clsx'
import {
  ChevronDown,
  ChevronLeft,
  ChevronRight,
  ChevronUp,
  GripVertical,
  type LucideIcon,
  MoveHorizontal,
  MoveVertical,
  X,
} from 'lucide-react'
import { lazy, type ReactNode, Suspense, useLayoutEffect, useRef, useState } from 'react'
import { ActionMenu } from '#web/components/ActionMenu.tsx'
import type { MenuItem } from '#web/components/ActionMenuPopup.tsx'
import { Card } from '#web/components/Card.tsx'
import { IconButton } from '#web/components/IconButton.tsx'
import {
  columns,
  columnsAt,
  type LayoutItem,
  layoutFor,
  type Move,
  moveWidget,
  removeWidget,
  resizeWidget,
} from './layout.ts'
import { WidgetBody } from './WidgetBody.tsx'
import { WidgetTitle } from './WidgetParts.tsx'
import { widgets } from './widgets.ts'

/** Loaded when the layout is unlocked. */
const DraggableGrid = lazy(() => import('./DraggableGrid.tsx'))

/** The widgets in the user's layout. They can be dragged only on the widest grid, because only its layout is stored. */
export function WidgetGrid(props: { items: LayoutItem[]; unlocked: boolean; onChange: (items: LayoutItem[]) => void }) {
  const { unlocked } = props
  const container = useRef<HTMLDivElement>(null)
  const width = useWidth(container)
  const [announced, setAnnounced] = useState('')
  // Sorted in reading order, which Tab follows.
  const items = [...props.items].sort((a, b) => a.y - b.y || a.x - b.x)
  const shownColumns = columnsAt(width)
  const draggable = unlocked && shownColumns === columns

  function change(next: LayoutItem[], id: string) {
    props.onChange(next)
    const item = next.find((one) => one.id === id)
    if (item)
      setAnnounced(
        `${widgets[item.type].name}, column ${item.x + 1}, row ${item.y + 1}, ${item.w} wide, ${item.h} tall`,
      )
  }

  const widgetIn = (draggable: boolean) => (item: LayoutItem) => (
    <Widget
      item={item}
      items={items}
      unlocked={unlocked}
      draggable={draggable}
      onChange={(next) => change(next, item.id)}
      onRemove={() => {
        props.onChange(removeWidget(items, item.id))
        setAnnounced(`${widgets[item.type].name} removed`)
      }}
    >
      <WidgetBody type={item.type} />
    </Widget>
  )
  const staticGrid = (
    <StaticGrid
      items={items}
      // On a phone, half a row is too narrow for a name beside the buttons.
      columns={unlocked && shownColumns === 2 ? 1 : shownColumns}
      widgetOf={widgetIn(false)}
    />
  )
  return (
    <div ref={container}>
      <p aria-live="polite" className="sr-only">
        {announced}
      </p>
      {unlocked && width > 0 && !draggable && (
        <p className="mb-3 text-muted text-small">
          Widgets can be dragged in a wider window. Here, each has a menu that moves and resizes it.
        </p>
      )}
      {width > 0 &&
        (draggable ? (
          <Suspense fallback={staticGrid}>
            <DraggableGrid items={items} width={width} widgetOf={widgetIn(true)} onChange={change} />
          </Suspense>
        ) : (
          staticGrid
        ))}
    </div>
  )
}

function StaticGrid(props: { items: LayoutItem[]; columns: number; widgetOf: (item: LayoutItem) => ReactNode }) {
  const places = new Map(layoutFor(props.items, props.columns).map((place) => [place.i, place]))
  const isPhone = props.columns <= 2
  return (
    <div
      className={clsx('grid gap-4', !isPhone && 'auto-rows-[80px]')}
      style={{ gridTemplateColumns: `repeat(${props.columns}, minmax(0, 1fr))` }}
    >
      {props.items.map((item) => {
        const { x, y, w, h } = places.get(item.id) ?? item
        const height = h * 96 - 16 // rows of 80 px, 16 between them
        const place = isPhone
          ? {
              gridColumn: `span ${w}`,
              // When stacked, a list need not be taller than its rows.
              ...(widgets[item.type].category === 'data' ? { maxHeight: height } : { height }),
            }
          : { gridColumn: `${x + 1} / span ${w}`, gridRow: `${y + 1} / span ${h}` }
        return (
          <div key={item.id} style={place} className="flex flex-col">
            {props.widgetOf(item)}
          </div>
        )
      })}
    </div>
  )
}

/** The element's width in px; 0 until it is measured. */
function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const box = element.current
    if (!box) return
    setWidth(box.clientWidth)
    const observer = new ResizeObserver(() => setWidth(box.clientWidth))
    observer.observe(box)
    return () => observer.disconnect()
  }, [element])
  return width
}

const moves: [Move, LucideIcon][] = [
  ['left', ChevronLeft],
  ['right', ChevronRight],
  ['up', ChevronUp],
  ['down', ChevronDown],
]

/** A widget's frame. When unlocked, it has a drag handle, a menu to move and resize by keyboard, and a remove button. */
function Widget(props: {
  item: LayoutItem
  items: LayoutItem[]
  unlocked: boolean
  draggable: boolean
  onChange: (items: LayoutItem[]) => void
  onRemove: () => void
  children: ReactNode
}) {
  const { item, items } = props
  const { name } = widgets[item.type]
  const [title, setTitle] = useState<string | null>(null)
  const act = (label: string, icon: LucideIcon, next: LayoutItem[]): MenuItem => ({
    label,
    icon,
    disabled: next.every((one, i) => same(one, items[i]!)),
    onSelect: () => props.onChange(next),
  })
  return (
    <Card
      aria-label={name}
      accent={item.type === 'total-balance'}
      className="@container flex h-full min-h-0 flex-1 flex-col overflow-hidden"
    >
      <div className="flex min-h-8 items-center gap-1 px-4 pt-3 [&>button]:-my-2">
        {props.draggable && (
          <span className="drag -ml-2 flex size-8 shrink-0 cursor-grab touch-none items-center justify-center text-muted active:cursor-grabbing">
            <GripVertical aria-hidden="true" className="size-4" />
          </span>
        )}
        <h2 className="line-clamp-2 min-w-0 flex-1 font-medium text-muted text-small">{title ?? name}</h2>
        {props.unlocked && (
          <>
            <ActionMenu
              label={`Move or resize ${name}`}
              items={[
                ...moves.map(([move, icon]) => act(`Move ${move}`, icon, moveWidget(items, item.id, move))),
                act('Wider', MoveHorizontal, resizeWidget(items, item.id, { w: 1 })),
                act('Narrower', MoveHorizontal, resizeWidget(items, item.id, { w: -1 })),
                act('Taller', MoveVertical, resizeWidget(items, item.id, { h: 1 })),
                act('Shorter', MoveVertical, resizeWidget(items, item.id, { h: -1 })),
              ]}
            />
            <IconButton label={`Remove ${name}`} className="-mr-2" onClick={props.onRemove}>
              <X aria-hidden="true" className="size-4" />
            </IconButton>
          </>
        )}
      </div>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto px-4 pb-3">
        <WidgetTitle value={setTitle}>{props.children}</WidgetTitle>
      </div>
    </Card>
  )
}

const same = (a: LayoutItem, b: LayoutItem) => a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h
