import { clsx } from 'clsx'
import { lazy, type ReactNode, Suspense, useLayoutEffect, useRef, useState } from 'react'
import { columns, columnsAt, type LayoutItem, layoutFor, removeWidget } from './layout.ts'
import { Widget } from './Widget.tsx'
import { WidgetBody } from './WidgetBody.tsx'
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
