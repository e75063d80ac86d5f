import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactNode } from 'react'

/** The tooltip beside `anchor`. The pointer can move onto it; Escape closes it. */
export default function TooltipPopup(props: {
  anchor: HTMLElement
  open: boolean
  onEnter: () => void
  onLeave: () => void
  onEscape: () => void
  children: ReactNode
}) {
  return (
    <Base.Root
      open={props.open}
      onOpenChange={(_, { reason }) => {
        if (reason === 'escape-key') props.onEscape()
      }}
    >
      <Base.Portal>
        <Base.Positioner anchor={props.anchor} sideOffset={6} className="z-50">
          <Base.Popup
            role="tooltip"
            onPointerEnter={props.onEnter}
            onPointerLeave={props.onLeave}
            className="max-w-72 rounded-control bg-ink px-2.5 py-1.5 text-small text-white shadow-overlay transition-opacity duration-120 data-ending-style:opacity-0 data-starting-style:opacity-0"
          >
            {props.children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
