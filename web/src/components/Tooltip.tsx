import {
  cloneElement,
  type HTMLAttributes,
  lazy,
  type ReactElement,
  type ReactNode,
  Suspense,
  useRef,
  useState,
} from 'react'

const Popup = lazy(() => import('./TooltipPopup.tsx'))

const showMs = 200
/** Time to get from the words to what is said about them. */
const hideMs = 100

/**
 * More about `children`, on hover and on focus. Lists have one in each row and show none: until it is wanted it is no
 * more than listeners, and its code comes when it is first wanted.
 */
export function Tooltip(props: { content: ReactNode; children: ReactElement<HTMLAttributes<HTMLElement>> }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const [open, setOpen] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const soon = (next: boolean, ms: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setOpen(next), ms)
  }
  return (
    <>
      {cloneElement(props.children, {
        onPointerEnter: ({ currentTarget, pointerType }) => {
          if (pointerType === 'touch') return
          setAnchor(currentTarget)
          soon(true, showMs)
        },
        onPointerLeave: () => soon(false, hideMs),
        onFocus: ({ currentTarget }) => {
          if (!currentTarget.matches(':focus-visible')) return
          setAnchor(currentTarget)
          soon(true, 0)
        },
        onBlur: () => soon(false, 0),
        onKeyDown: (event) => {
          if (!open || event.key !== 'Escape') return
          event.stopPropagation() // a dialog around it stays
          soon(false, 0)
        },
      })}
      {anchor && (
        <Suspense>
          <Popup
            anchor={anchor}
            open={open}
            onEnter={() => soon(true, 0)}
            onLeave={() => soon(false, hideMs)}
            onEscape={() => soon(false, 0)}
          >
            {props.content}
          </Popup>
        </Suspense>
      )}
    </>
  )
}
