import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { Page } from '#schemas/common.ts'
import { buttonClass } from './Button.tsx'
import { IconButton } from './IconButton.tsx'

/**
 * 'Showing a-b of n payouts', with previous, next and the page numbers around the current one. The next and previous pages
 * are found by cursor, if the list has cursors; page 1 always starts with the newest rows.
 */
export function Pager(props: { page: Page; noun: string; onPage: (page: number, cursor?: string) => void }) {
  const { number, size, total, next, previous } = props.page
  if (total === 0) return null
  const last = Math.max(1, Math.ceil(total / size))
  const from = (number - 1) * size + 1
  const go = (to: number) => {
    const cursor = to === 1 ? undefined : to === number + 1 ? next : to === number - 1 ? previous : undefined
    props.onPage(to, cursor)
  }
  const numbers = [...new Set([1, number - 1, number, number + 1, last])].filter((n) => n >= 1 && n <= last)
  return (
    <nav
      aria-label="Pages"
      className="flex flex-wrap items-center justify-between gap-3 border-hairline border-t px-5 py-3 text-small"
    >
      <p className="text-muted">
        Showing {from}-{Math.min(number * size, total)} of {total} {props.noun}
      </p>
      {last > 1 && (
        <div className="flex items-center gap-1">
          <IconButton label="Previous page" disabled={number <= 1} onClick={() => go(number - 1)}>
            <ChevronLeft aria-hidden="true" className="size-4" />
          </IconButton>
          {numbers.map((n, i) => (
            <span key={n} className="flex items-center gap-1">
              {i > 0 && n - numbers[i - 1]! > 1 && <span aria-hidden="true">…</span>}
              <button
                type="button"
                aria-label={`Page ${n}`}
                aria-current={n === number ? 'page' : undefined}
                onClick={() => go(n)}
                className={buttonClass(
                  'quiet',
                  'h-8! min-w-8 px-2! pointer-coarse:h-11! pointer-coarse:min-w-11 aria-[current]:bg-green-tint aria-[current]:text-green',
                )}
              >
                {n}
              </button>
            </span>
          ))}
          <IconButton label="Next page" disabled={number >= last} onClick={() => go(number + 1)}>
            <ChevronRight aria-hidden="true" className="size-4" />
          </IconButton>
        </div>
      )}
    </nav>
  )
}
