import 'react-grid-layout/css/styles.css'
import type { ReactNode } from 'react'
import { GridLayout } from 'react-grid-layout'
import { columns, fromGrid, type LayoutItem, toGrid } from './layout.ts'

/** The twelve-column grid, which can be rearranged with a mouse. */
export default function DraggableGrid(props: {
  items: LayoutItem[]
  width: number
  widgetOf: (item: LayoutItem) => ReactNode
  onChange: (items: LayoutItem[], id: string) => void
}) {
  const { items } = props
  return (
    <>
      {/* Unless this element exists, react-draggable creates it with innerHTML, which Trusted Types forbid. */}
      <span id="react-draggable-style-el" hidden />
      <GridLayout
        width={props.width}
        layout={toGrid(items)}
        gridConfig={{ cols: columns, rowHeight: 80, margin: [16, 16], containerPadding: [0, 0] }}
        dragConfig={{ enabled: true, handle: '.drag' }}
        resizeConfig={{ enabled: true }}
        onDragStop={(grid, _, item) => item && props.onChange(fromGrid(items, grid), item.i)}
        onResizeStop={(grid, _, item) => item && props.onChange(fromGrid(items, grid), item.i)}
      >
        {items.map((item) => (
          <div key={item.id}>{props.widgetOf(item)}</div>
        ))}
      </GridLayout>
    </>
  )
}
