import { EllipsisVertical } from 'lucide-react'
import { lazy, Suspense } from 'react'
import type { MenuItem } from './ActionMenuPopup.tsx'
import { IconButton } from './Button.tsx'

const Popup = lazy(() => import('./ActionMenuPopup.tsx'))

/**
 * Three dots that open a menu; arrow keys, first letters and Escape work. `label` names the subject. The menu's code is
 * loaded after the page is painted.
 */
export function ActionMenu(props: { label: string; items: MenuItem[] }) {
  if (props.items.length === 0) return null
  const loading = (
    <IconButton label={props.label} disabled>
      <EllipsisVertical aria-hidden="true" className="size-5" />
    </IconButton>
  )
  return (
    <Suspense fallback={loading}>
      <Popup {...props} />
    </Suspense>
  )
}
