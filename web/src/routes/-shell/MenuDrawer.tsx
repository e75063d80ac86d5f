import { Dialog } from '@base-ui/react/dialog'
import { Pin, X } from 'lucide-react'
import type { RefObject } from 'react'
import type { User } from '#schemas/account.ts'
import { IconButton } from '#web/components/IconButton.tsx'
import { MenuPanel } from './MenuPanel.tsx'

/** The menu over the page. */
export default function MenuDrawer(props: {
  user: User
  open: boolean
  setOpen: (open: boolean) => void
  /** The button that opened it, which gets the focus back. */
  opener: RefObject<HTMLButtonElement | null>
  /** Null where it cannot be pinned. */
  onPin: (() => void) | null
}) {
  return (
    <Dialog.Root open={props.open} onOpenChange={props.setOpen}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-ink/35 transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Dialog.Popup
          finalFocus={props.opener}
          className="fixed inset-y-0 left-0 z-40 flex w-[min(19rem,86vw)] flex-col bg-card shadow-overlay outline-none transition-transform duration-180 ease-calm data-ending-style:-translate-x-full data-starting-style:-translate-x-full"
        >
          <MenuPanel
            user={props.user}
            name={(name) => <Dialog.Title className="truncate font-semibold">{name}</Dialog.Title>}
            onLeave={() => props.setOpen(false)}
          >
            {props.onPin && (
              <IconButton label="Pin menu" onClick={props.onPin}>
                <Pin aria-hidden="true" className="size-5" />
              </IconButton>
            )}
            <Dialog.Close render={<IconButton label="Close menu" className="-mr-2" />}>
              <X aria-hidden="true" className="size-5" />
            </Dialog.Close>
          </MenuPanel>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
