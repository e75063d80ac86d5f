import { cloneElement, type HTMLAttributes, type ReactElement, type ReactNode, Suspense, useRef, useState } from 'react'
import { optional } from '#web/lib/optional.ts'

/** A tooltip beside an element that does not open it itself. */
export const TooltipAt = (props: { anchor: HTMLElement; onClose: () => void; children: ReactNode }) => (
  <Suspense>
    <Popup anchor={props.anchor} open onEnter={stays} onLeave={stays} onEscape={props.onClose}>
      {props.children}
    </Popup>
  </Suspense>
)
const stays = () => undefined

const Popup = optional(() => import('./TooltipPopup.tsx'))

const showMs = 200
/** Time to move the pointer from the anchor to the tooltip. */
const hideMs = 100
/** Time to read it after a press, since a finger neither hovers nor leaves. */
const pressedMs = 4_000 // 4 seconds

/**
 * A tooltip on hover and focus. Lists have one per row, so until it is opened it consists only of listeners; its code is
 * loaded on first use. Without content there is none. `opensOnPress`: also on a press, which then does nothing else.
 */
export function Tooltip(props: {
  content: ReactNode
  opensOnPress?: boolean
  children: ReactElement<HTMLAttributes<HTMLElement>>
}) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const [open, setOpen] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const setOpenAfter = (next: boolean, ms: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setOpen(next), ms)
  }
  return (
    <>
      {cloneElement(props.children, {
        onPointerEnter: ({ currentTarget, pointerType }) => {
          if (pointerType === 'touch') return
          setAnchor(currentTarget)
          setOpenAfter(true, showMs)
        },
        onPointerLeave: () => setOpenAfter(false, hideMs),
        onFocus: ({ currentTarget }) => {
          if (!currentTarget.matches(':focus-visible')) return
          setAnchor(currentTarget)
          setOpenAfter(true, 0)
        },
        onBlur: () => setOpenAfter(false, 0),
        ...(props.opensOnPress && {
          onClick: (event) => {
            event.preventDefault()
            if (event.detail === 0) return // by a key, whose focus has opened it; or Enter in a field of the form
            setAnchor(event.currentTarget)
            setOpen(true)
            setOpenAfter(false, pressedMs)
          },
        }),
        onKeyDown: (event) => {
          if (!open || event.key !== 'Escape') return
          event.stopPropagation() // keeps a dialog around it open
          setOpenAfter(false, 0)
        },
      })}
      {anchor && (
        <Suspense>
          <Popup
            anchor={anchor}
            open={open && Boolean(props.content)}
            onEnter={() => setOpenAfter(true, 0)}
            onLeave={() => setOpenAfter(false, hideMs)}
            onEscape={() => setOpenAfter(false, 0)}
          >
            {props.content}
          </Popup>
        </Suspense>
      )}
    </>
  )
}
