import { Dialog as Base } from '@base-ui/react/dialog'
import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { type ReactNode, type SubmitEvent, useEffect, useRef, useState } from 'react'
import { Button } from './Button.tsx'
import { IconButton } from './IconButton.tsx'

const firstField = '[data-first], input:not([hidden]):not(:disabled), select:not(:disabled), textarea:not(:disabled)'

const dialogAround = (element: Element | null) =>
  element?.closest<HTMLElement>('[role=dialog], [role=alertdialog]') ?? null

const control = 'a[href], button, input, select, textarea, summary, [tabindex]'

/** Makes what is higher than its room a stop of Tab if it has no control: arrow keys scroll what has the focus. */
function keepScrollable(body: HTMLElement | null) {
  if (!body) return
  const observer = new ResizeObserver(() => {
    body.tabIndex = body.scrollHeight > body.clientHeight && !body.querySelector(control) ? 0 : -1
  })
  observer.observe(body)
  return () => observer.disconnect()
}

/**
 * A dialog on wide screens, a bottom sheet on narrow ones. Title and buttons stay in view while the content scrolls; in a
 * short window, such as above a phone's keyboard, only the buttons do. While `locked` (a call is in progress), nothing
 * closes it.
 */
export function Dialog(props: {
  title: string
  description?: ReactNode
  onClose: () => void
  locked?: boolean
  /** Set when a call takes too long: the dialog then offers to stop waiting for it. */
  onStopWaiting?: (() => void) | undefined
  /** False removes the close button: only the footer or the content can close the dialog. */
  closable?: boolean
  /** Set if nothing in it could be lost: a press outside then closes it too. */
  isViewOnly?: boolean
  wide?: boolean
  role?: 'dialog' | 'alertdialog'
  /** The label of a first button that closes the dialog: instead of the X in an alert, beside it where something is typed. */
  cancel?: string | undefined
  /** Puts a first button Back in the place of `cancel`. */
  onBack?: (() => void) | undefined
  /** Follows the content; in a wide window it is a column beside it, and the dialog wider. */
  aside?: ReactNode
  /** Stays in view between content and buttons. */
  summary?: ReactNode
  footer?: ReactNode
  /** Makes body and footer one form, which the browser does not submit itself. */
  onSubmit?: ((event: SubmitEvent<HTMLFormElement>) => unknown) | undefined
  children: ReactNode
}) {
  const popup = useRef<HTMLDivElement>(null)
  const closable = props.closable ?? true
  const first = props.onBack ? 'Back' : props.cancel
  const [below] = useState(() => dialogAround(document.activeElement))
  const [isFromPage] = useState(() => document.activeElement?.id === 'content')
  // If the element that opened it is gone, the dialog below or the page gets the focus. The page itself, which a dialog that
  // opens with it takes it from, would not get it back from Base UI but pass it on to its first link.
  useEffect(
    () => () => {
      requestAnimationFrame(() => {
        const active = document.activeElement
        if (below?.isConnected && !dialogAround(active)) below.focus({ preventScroll: true })
        else if (active === document.body || (isFromPage && !dialogAround(active)))
          document.getElementById('content')?.focus({ preventScroll: true })
      })
    },
    [below, isFromPage],
  )
  const inside = (
    <>
      <div
        // A new function: what is inside may have changed with each render.
        ref={(body) => keepScrollable(body)}
        className={clsx(
          '-outline-offset-2 min-h-0 flex-1 overflow-y-auto overscroll-contain short:flex-none short:overflow-visible',
          props.aside ? 'lg:not-short:flex lg:not-short:overflow-hidden' : 'px-5 py-1 pb-5',
        )}
      >
        {props.aside ? (
          <>
            <div className="min-w-0 flex-1 px-5 py-1 pb-5 lg:not-short:overflow-y-auto">{props.children}</div>
            <div className="px-5 pb-5 lg:not-short:w-[22rem] lg:not-short:shrink-0 lg:not-short:overflow-y-auto lg:not-short:border-hairline lg:not-short:border-l lg:not-short:py-1">
              {props.aside}
            </div>
          </>
        ) : (
          props.children
        )}
      </div>
      {props.summary}
      {props.onStopWaiting && <LateReply onStopWaiting={props.onStopWaiting} />}
      {(first || props.footer) && (
        <div className="flex flex-wrap justify-end gap-3 border-hairline empty:hidden border-t px-5 py-4 pb-[max(1rem,env(safe-area-inset-bottom))] max-sm:not-short:flex-col-reverse max-sm:not-short:*:w-full short:sticky short:bottom-0 short:gap-2 short:bg-card short:py-2 short:pb-2 short:*:h-auto short:*:min-h-control short:*:flex-auto short:*:shrink short:*:whitespace-normal short:*:px-3">
          {first && (
            <Button look="secondary" onClick={props.onBack ?? props.onClose} disabled={props.locked}>
              {first}
            </Button>
          )}
          {props.footer}
        </div>
      )}
    </>
  )
  return (
    <Base.Root
      open
      disablePointerDismissal={!props.isViewOnly}
      // A press on a toast is none outside: Base UI ignores what it has not hidden.
      onOpenChange={(open) => {
        if (!open && !props.locked && closable) props.onClose()
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-ink/35 transition-opacity duration-150 data-starting-style:opacity-0" />
        <Base.Popup
          ref={popup}
          role={props.role ?? 'dialog'}
          aria-modal="true"
          initialFocus={(how) =>
            how === 'touch' ? popup.current : (popup.current?.querySelector<HTMLElement>(firstField) ?? popup.current)
          }
          className={clsx(
            'fixed z-40 flex flex-col bg-card shadow-overlay outline-none transition duration-180 ease-calm short:overflow-y-auto short:overscroll-contain',
            'max-sm:inset-x-0 max-sm:bottom-0 max-sm:max-h-[92dvh] max-sm:rounded-t-card max-sm:data-starting-style:translate-y-8 max-sm:data-starting-style:opacity-0',
            'sm:top-1/2 sm:left-1/2 sm:max-h-[min(88dvh,52rem)] sm:-translate-x-1/2 sm:-translate-y-1/2 sm:rounded-card sm:data-starting-style:scale-98 sm:data-starting-style:opacity-0',
            props.aside && 'lg:w-[min(60rem,calc(100vw-2rem))]!',
            props.wide ? 'sm:w-[min(44rem,calc(100vw-2rem))]' : 'sm:w-[min(30rem,calc(100vw-2rem))]',
          )}
        >
          <div className="flex items-start justify-between gap-3 px-5 pt-5 pb-3 short:pt-3 short:pb-1">
            <div className="wrap-anywhere min-w-0">
              <Base.Title className="text-balance font-semibold text-title">{props.title}</Base.Title>
              {props.description && (
                <Base.Description className="mt-1 text-muted">{props.description}</Base.Description>
              )}
            </div>
            {closable && !(props.cancel && props.role === 'alertdialog') && (
              <Base.Close
                disabled={props.locked}
                render={<IconButton label="Close" className="-mt-0.5 -mr-2 disabled:opacity-40" />}
              >
                <X aria-hidden="true" className="size-5" />
              </Base.Close>
            )}
          </div>
          {props.onSubmit ? (
            <form
              noValidate
              onSubmit={(event) => {
                event.preventDefault()
                props.onSubmit?.(event)
              }}
              className="flex min-h-0 flex-1 flex-col short:flex-none"
            >
              {inside}
            </form>
          ) : (
            inside
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/** The bar above a dialog's buttons that offers to stop waiting. */
const LateReply = (props: { onStopWaiting: () => void }) => (
  <div
    role="alert"
    className="flex flex-wrap items-center justify-between gap-x-4 bg-amber-tint px-5 py-2 text-amber text-small"
  >
    The server has not replied yet.
    <button
      type="button"
      onClick={props.onStopWaiting}
      className="min-h-6 rounded-sm font-medium underline underline-offset-3 pointer-coarse:min-h-11"
    >
      Stop waiting
    </button>
  </div>
)
