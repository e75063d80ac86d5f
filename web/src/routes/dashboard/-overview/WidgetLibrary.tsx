import { clsx } from 'clsx'
import { useState } from 'react'
import { widgetTypes } from '#domain/widgets.ts'
import { Chip } from '#web/components/Chip.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { Pills } from '#web/components/Pills.tsx'
import type { LayoutItem } from './layout.ts'
import { categories, widgets } from './widgets.ts'

const tabs = ['all', ...categories] as const

/** Lists all widgets. Choosing one adds it to the dashboard. */
export default function WidgetLibrary(props: {
  items: LayoutItem[]
  onAdd: (type: LayoutItem['type']) => void
  onClose: () => void
}) {
  const [tab, setTab] = useState<(typeof tabs)[number]>('all')
  return (
    <Dialog
      title="Widget Library"
      description="Add custom widgets to your dashboard"
      wide
      isViewOnly
      onClose={props.onClose}
    >
      <Pills
        legend="Category"
        value={tab}
        options={tabs.map((one) => [one, one])}
        onChange={setTab}
        className="mb-4 capitalize"
      />
      <ul className="grid gap-3 sm:grid-cols-2">
        {widgetTypes
          .filter((type) => tab === 'all' || widgets[type].category === tab)
          .map((type) => {
            const { name, description, icon: Icon, category, defaultSize } = widgets[type]
            const isAdded = props.items.some((item) => item.type === type)
            return (
              <li key={type}>
                <button
                  type="button"
                  disabled={isAdded}
                  onClick={() => props.onAdd(type)}
                  className={clsx(
                    'flex h-full w-full items-start gap-3 rounded-card border border-hairline p-4 text-left',
                    isAdded ? 'bg-sunken' : 'hover:border-control hover:bg-paper',
                  )}
                >
                  <Icon aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-muted" />
                  <span className="min-w-0 flex-1">
                    <span className={clsx('block font-medium', isAdded && 'text-muted')}>{name}</span>
                    <span className="block text-muted text-small">{description}</span>
                    <span className="mt-1 block text-muted text-small">
                      {category} · {defaultSize.w}x{defaultSize.h}
                    </span>
                  </span>
                  {isAdded && (
                    <Chip tone="neutral" plain>
                      Added
                    </Chip>
                  )}
                </button>
              </li>
            )
          })}
      </ul>
    </Dialog>
  )
}
