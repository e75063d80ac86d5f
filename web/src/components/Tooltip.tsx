import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactElement, ReactNode } from 'react'

/** More about `children`, on hover and on focus. */
export function Tooltip(props: { content: ReactNode; children: ReactElement }) {
  return (
    <Base.Root>
      <Base.Trigger delay={200} closeOnClick={false} render={props.children} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} className="z-50">
          <Base.Popup
            role="tooltip"
            className="max-w-72 rounded-control bg-ink px-2.5 py-1.5 text-small text-white shadow-overlay transition-opacity duration-120 data-ending-style:opacity-0 data-starting-style:opacity-0"
          >
            {props.content}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
