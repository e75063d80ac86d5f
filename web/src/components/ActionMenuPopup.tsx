import { Menu } from '@base-ui/react/menu'
import { clsx } from 'clsx'
import { EllipsisVertical, type LucideIcon } from 'lucide-react'
import type { Call } from '#domain/roles.ts'
import { IconButton } from './IconButton.tsx'

export type MenuItem = {
  label: string
  icon: LucideIcon
  disabled?: boolean
  /** What choosing it calls: absent for those who may not. Without it, everybody may. */
  call?: Call
  /** Shown in red, below a separator. */
  danger?: boolean
  onSelect: () => void
}

/** The menu of ActionMenu, loaded separately. */
export default function ActionMenuPopup(props: { label: string; items: MenuItem[] }) {
  return (
    <Menu.Root>
      <Menu.Trigger render={<IconButton label={props.label} />}>
        <EllipsisVertical aria-hidden="true" className="size-5" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={4} className="z-30 outline-none">
          <Menu.Popup className="min-w-48 rounded-control border border-hairline bg-card py-1 shadow-overlay outline-none transition-opacity duration-120 data-ending-style:opacity-0 data-starting-style:opacity-0">
            {props.items.map(({ label, icon: Icon, disabled, danger, onSelect }, i) => (
              <Menu.Item
                key={label}
                disabled={disabled ?? false}
                onClick={onSelect}
                className={clsx(
                  'flex h-control cursor-default select-none items-center gap-3 px-3 outline-none data-disabled:text-muted data-highlighted:bg-sunken',
                  danger && 'text-red',
                  danger && i > 0 && 'mt-1 border-hairline border-t pt-1',
                )}
              >
                <Icon aria-hidden="true" className="size-4 shrink-0" />
                {label}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
