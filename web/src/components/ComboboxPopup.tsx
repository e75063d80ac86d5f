import { Combobox } from '@base-ui/react/combobox'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'

/** The list below a combobox. `children` renders a match as two lines; `empty` is shown when nothing matches. */
export function ComboboxPopup<Item extends { id: string }>(props: {
  empty: string
  children: (item: Item) => { title: ReactNode; below: ReactNode; mono?: boolean }
}) {
  return (
    <Combobox.Portal>
      <Combobox.Positioner sideOffset={4} className="z-50 outline-none">
        <Combobox.Popup className="max-h-[min(18rem,var(--available-height))] w-(--anchor-width) overflow-y-auto overscroll-contain rounded-control border border-hairline bg-card shadow-overlay">
          <Combobox.Empty className="px-3 py-2 text-muted text-small empty:hidden">{props.empty}</Combobox.Empty>
          <Combobox.List className="py-1 outline-none empty:hidden">
            {(item: Item) => {
              const { title, below, mono } = props.children(item)
              return (
                <Combobox.Item
                  key={item.id}
                  value={item}
                  className="cursor-default select-none px-3 py-2 outline-none data-highlighted:bg-sunken data-selected:font-medium"
                >
                  <span className="block truncate">{title}</span>
                  <span translate="no" className={clsx('block truncate text-muted text-small', mono && 'font-mono')}>
                    {below}
                  </span>
                </Combobox.Item>
              )
            }}
          </Combobox.List>
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  )
}
