import { EllipsisVertical } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useAllowed } from '../queries/people.ts'
import type { MenuItem } from './ActionMenuPopup.tsx'
import { IconButton } from './IconButton.tsx'

const Popup = lazy(() => import('./ActionMenuPopup.tsx'))

/**
 * A three-dot button that opens a menu with arrow-key, type-ahead and Escape support. `label` names the subject. The
 * menu's code is loaded after the page is painted.
 */
export function ActionMenu(props: { label: string; items: MenuItem[] }) {
  const isAllowed = useAllowed()
  const items = props.items.filter(({ call }) => call === undefined || isAllowed(call))
  if (items.length === 0) return null
  const loading = (
    <IconButton label={props.label} disabled>
      <EllipsisVertical aria-hidden="true" className="size-5" />
    </IconButton>
  )
  return (
    <Suspense fallback={loading}>
      <Popup label={props.label} items={items} />
    </Suspense>
  )
}
