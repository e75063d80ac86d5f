import { EllipsisVertical, type LucideIcon } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { IconButton } from './Button.tsx'

export type MenuItem = {
  label: string
  icon: LucideIcon
  disabled?: boolean
  /** In red, below a line. */
  danger?: boolean
  onSelect: () => void
}

const Popup = lazy(() => import('./ActionMenuPopup.tsx'))

/**
 * Three dots that open a list of acts; arrow keys, first letters and Escape work. `label` names the subject. Its code
 * comes after the page is painted.
 */
export function ActionMenu(props: { label: string; items: MenuItem[] }) {
  if (props.items.length === 0) return null
  const waiting = (
    <IconButton label={props.label} disabled>
      <EllipsisVertical aria-hidden="true" className="size-5" />
    </IconButton>
  )
  return (
    <Suspense fallback={waiting}>
      <Popup {...props} />
    </Suspense>
  )
}
