import { CircleAlert, CircleCheck, LoaderCircle, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { resolveValue, type Toast, toast, useToaster, useToasterStore } from 'react-hot-toast/headless'

/** Outside #root, which an open dialog covers and hides from screen readers. */
export default function Toaster() {
  const [waiting] = useState(useToasterStore().toasts)
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    // The library measures durations from the call, but nobody has seen messages that came before this file.
    for (const item of waiting) if (item.visible) restart(item)
    setReady(true)
  }, [waiting])
  return isReady && createPortal(<Toasts />, document.body)
}

const restart = ({ type, message, id }: Toast) =>
  type === 'blank' ? toast(message, { id }) : toast[type](message, { id })

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
