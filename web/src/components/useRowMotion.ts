import { type RefObject, useEffect, useRef } from 'react'

type Row = { id: string; status: string }

const markMs = 600
const enterMs = 180

/**
 * Marks the rows of a list whose status changed, and lets new ones come in from above. The list has one element per row, in
 * their order: those of its table, or its own children. `isStale`: other rows have been asked for, and those move nothing.
 */
export function useRowMotion<Element extends HTMLElement>(
  rows: readonly Row[] | undefined,
  isStale = false,
): RefObject<Element | null> {
  const list = useRef<Element>(null)
  const before = useRef<Map<string, string> | null>(null)
  useEffect(() => {
    const known = before.current
    before.current = isStale || !rows ? null : new Map(rows.map(({ id, status }) => [id, status]))
    if (!known || !before.current || !rows || isStill()) return
    const elements = (list.current?.querySelector('tbody') ?? list.current)?.children ?? []
    const firstKnown = rows.findIndex(({ id }) => known.has(id))
    rows.forEach(({ id, status }, i) => {
      const element = elements[i]
      if (i < firstKnown) element?.animate(entering, { duration: enterMs, easing: 'cubic-bezier(0.2, 0, 0, 1)' })
      else if (known.has(id) && known.get(id) !== status) element?.animate(marking, { duration: markMs })
    })
  }, [rows, isStale])
  return list
}

const entering = [{ opacity: 0, transform: 'translateY(-8px)' }, {}]
const marking = [{ backgroundColor: 'var(--green-tint)' }, {}]

const isStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches
