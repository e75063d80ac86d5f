import { Download, ListFilter, X } from 'lucide-react'
import { useState } from 'react'
import toast from 'react-hot-toast/headless'
import { Button } from '../components/Button.tsx'
import { messageOf } from '../lib/apiError.ts'
import type { ActiveFilter } from './activeFilters.ts'

export function FiltersButton(props: { active: ActiveFilter[]; onOpen: () => void }) {
  const count = props.active.length
  return (
    <Button look="secondary" onClick={props.onOpen}>
      <ListFilter aria-hidden="true" className="size-4" />
      Filters
      {count > 0 && (
        <span className="rounded-full bg-green px-2 text-small text-white">
          {count}
          <span className="sr-only"> active</span>
        </span>
      )}
    </Button>
  )
}

/** Downloads all rows that match the filters. */
export function ExportButton(props: { disabled: boolean; load: () => Promise<Blob>; name: string }) {
  const [busy, setBusy] = useState(false)
  async function save() {
    setBusy(true)
    try {
      const url = URL.createObjectURL(await props.load())
      const link = Object.assign(document.createElement('a'), { href: url, download: props.name })
      link.click()
      setTimeout(() => URL.revokeObjectURL(url), 60_000)
    } catch (error) {
      toast.error(messageOf(error, 'The file could not be created. Please try again.'))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button look="secondary" busy={busy} disabled={props.disabled} onClick={save}>
      <Download aria-hidden="true" className="size-4" />
      Export CSV
    </Button>
  )
}

/** The active filters, each with a button to remove it. */
export function FilterChips(props: { active: ActiveFilter[]; onClear: () => void }) {
  if (props.active.length === 0) return null
  return (
    <ul aria-label="Active filters" className="mb-4 flex flex-wrap items-center gap-2">
      {props.active.map(({ key, text, remove }) => (
        <li
          key={key}
          className="inline-flex min-w-0 items-center gap-0.5 rounded-full border border-hairline bg-card py-0.5 pr-0.5 pl-3 text-small"
        >
          <span className="wrap-anywhere">{text}</span>
          <button
            type="button"
            aria-label={`Remove filter: ${text}`}
            onClick={remove}
            className="inline-flex size-7 shrink-0 items-center justify-center rounded-full text-muted hover:bg-sunken hover:text-ink pointer-coarse:size-10"
          >
            <X aria-hidden="true" className="size-4" />
          </button>
        </li>
      ))}
      <li>
        <button
          type="button"
          onClick={props.onClear}
          className="min-h-8 rounded-sm px-1 font-medium text-green text-small underline underline-offset-3 pointer-coarse:min-h-11"
        >
          Clear all filters
        </button>
      </li>
    </ul>
  )
}
