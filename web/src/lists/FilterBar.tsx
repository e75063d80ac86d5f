import { Download, ListFilter, X } from 'lucide-react'
import { lazy, type ReactNode, Suspense, startTransition, useState } from 'react'
import toast from 'react-hot-toast/headless'
import { Button } from '../components/Button.tsx'
import { GatedButton } from '../components/GatedButton.tsx'
import { saveFile } from '../lib/saveFile.ts'
import { useAction } from '../lib/useAction.ts'
import type { ActiveFilter, FilteredPage } from './useListPage.ts'

const FilterDialog = lazy(() => import('./FilterDialog.tsx'))

/**
 * The buttons of a list: export what matches the filters, and change the filters. `words` hides their words where there is no
 * room: by default on a phone.
 */
export function ListButtons({ page, words = 'max-sm:sr-only' }: { page: FilteredPage; words?: string }) {
  const [isOpen, setIsOpen] = useState(false)
  const { noun, filters, values, active } = page
  return (
    <>
      <SaveButton
        name={`bursar-${noun}.csv`}
        load={page.exportRows}
        disabled={page.total === undefined}
        missing={page.total === 0 ? 'There is nothing to export.' : null}
      >
        <span className={words}>Export CSV</span>
      </SaveButton>
      <Button
        look="secondary"
        className="relative"
        data-small=""
        onClick={() => startTransition(() => setIsOpen(true))}
      >
        <ListFilter aria-hidden="true" className="size-4" />
        <span className={words}>Filters</span>
        {active.length > 0 && (
          <span className="rounded-full bg-green px-2 text-small text-white">
            {active.length}
            <span className="sr-only"> active</span>
          </span>
        )}
      </Button>
      <Suspense>
        {isOpen && (
          <FilterDialog
            name={page.name}
            filters={filters}
            hasAmounts={page.hasAmounts}
            value={values}
            onApply={(next) => {
              setIsOpen(false)
              page.apply(next)
            }}
            onClose={() => setIsOpen(false)}
          />
        )}
      </Suspense>
    </>
  )
}

/** Saves a file that a call returns. */
export function SaveButton(props: {
  name: string
  load: () => Promise<Blob>
  disabled?: boolean
  missing?: string | null
  children: ReactNode
}) {
  const save = useAction(props.load, {
    fallback: 'The file could not be created. Please try again.',
    onDone: (file) => saveFile(file, props.name),
    onFailed: (_, message) => void toast.error(message),
  })
  return (
    <GatedButton
      look="secondary"
      className="relative"
      data-small=""
      busy={save.busy}
      disabled={props.disabled}
      missing={props.missing}
      onClick={() => save.start()}
    >
      <Download aria-hidden="true" className="size-4" />
      {props.children}
    </GatedButton>
  )
}

/** The active filters, each with a button to remove it. */
export function FilterChips({ page }: { page: Pick<FilteredPage, 'active' | 'remove' | 'clear'> }) {
  if (page.active.length === 0) return null
  return (
    <ul aria-label="Active filters" className="mb-4 flex flex-wrap items-center gap-2">
      {page.active.map((filter) => (
        <FilterChip key={filter.names[0]} filter={filter} onRemove={() => page.remove(filter.names)} />
      ))}
      <li>
        <button
          type="button"
          onClick={page.clear}
          className="min-h-8 rounded-sm px-1 font-medium text-green text-small underline underline-offset-3 pointer-coarse:min-h-11"
        >
          Clear all filters
        </button>
      </li>
    </ul>
  )
}

function FilterChip(props: { filter: ActiveFilter; onRemove: () => void }) {
  const { useText, value } = props.filter
  const text = useText(value)
  return (
    <li className="inline-flex min-w-0 items-center gap-0.5 rounded-full border border-hairline bg-card py-0.5 pr-0.5 pl-3 text-small">
      <span className="wrap-anywhere">{text}</span>
      <button
        type="button"
        aria-label={`Remove filter: ${text}`}
        onClick={props.onRemove}
        className="inline-flex size-7 shrink-0 items-center justify-center rounded-full text-muted hover:bg-sunken hover:text-ink pointer-coarse:size-10"
      >
        <X aria-hidden="true" className="size-4" />
      </button>
    </li>
  )
}
