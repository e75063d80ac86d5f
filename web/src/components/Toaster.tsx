import { CircleAlert, CircleCheck, LoaderCircle, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { resolveValue, type Toast, toast, useToaster, useToasterStore } from 'react-hot-toast/headless'

/** Outside #root, which an open dialog covers and hides from screen readers. */
export default function Toaster() {
  const { toasts } = useToasterStore()
  /** Toasts that came before this file had loaded; undefined until they are taken from the store. */
  const [early, setEarly] = useState<Toast[]>()
  useEffect(() => {
    if (early) {
      for (const item of early.splice(0)) if (item.visible && !toasts.some(({ id }) => id === item.id)) showAgain(item)
    } else {
      for (const { id } of toasts) toast.remove(id)
      setEarly([...toasts])
    }
  }, [early, toasts])
  return early && createPortal(<Toasts />, document.body)
}

/**
 * The library measures the duration of a toast from the call, and screen readers announce only what is added to a list that
 * they know: so an early toast is added as a new one, once the list is there.
 */
function showAgain(item: Toast): void {
  const again = { ...item, createdAt: Date.now() }
  toast(item.message, again)
}

/**
 * Messages at the top right, on a phone below the top bar or above an open sheet. Durations and the limit of 20 are the
 * library's defaults. Dialogs hide everything else from screen readers, except elements with aria-live.
 */
export function Toasts() {
  const { toasts, handlers } = useToaster()
  return (
    <div
      data-toasts
      role="log"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 top-16 z-50 sm:top-4 [#root[data-base-ui-inert]~&]:top-2 flex flex-col items-end gap-2 sm:left-auto"
      onMouseEnter={handlers.startPause}
      onMouseLeave={handlers.endPause}
    >
      {toasts
        .filter((t) => t.visible)
        .map((t) => (
          <div
            key={t.id}
            className="pointer-events-auto flex w-full max-w-96 animate-[appear_160ms_ease-out] items-start gap-3 rounded-card border border-hairline bg-card py-3 pr-2 pl-4 shadow-overlay sm:w-auto"
          >
            {t.type === 'success' && <CircleCheck aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-green" />}
            {t.type === 'error' && <CircleAlert aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-red" />}
            {t.type === 'loading' && (
              <LoaderCircle aria-hidden="true" className="mt-0.5 size-5 shrink-0 animate-spin text-muted" />
            )}
            <div className="min-w-0 flex-1 break-words">{resolveValue(t.message, t)}</div>
            <button
              type="button"
              aria-label="Dismiss"
              className="-my-0.5 inline-flex size-7 items-center justify-center rounded-control text-muted hover:bg-sunken"
              onClick={() => toast.dismiss(t.id)}
            >
              <X aria-hidden="true" className="size-4" />
            </button>
          </div>
        ))}
    </div>
  )
}
