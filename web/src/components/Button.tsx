import { clsx } from 'clsx'
import type { ComponentProps, MouseEvent } from 'react'
import { Tooltip } from './Tooltip.tsx'

type Look = 'primary' | 'secondary' | 'quiet' | 'danger'

const looks: Record<Look, string> = {
  primary: 'bg-green text-white hover:bg-green-pressed active:bg-green-pressed',
  secondary:
    'border border-control bg-card text-ink hover:bg-sunken disabled:border-hairline aria-disabled:border-hairline',
  quiet: 'text-ink hover:bg-sunken',
  danger: 'bg-red text-white hover:brightness-90 disabled:hover:brightness-100 aria-disabled:hover:brightness-100',
}

/** Lighter than the buttons beside it. */
const disabledLook =
  'disabled:bg-sunken disabled:text-muted aria-disabled:cursor-not-allowed aria-disabled:bg-sunken aria-disabled:text-muted'

export function buttonClass(look: Look = 'primary', className?: string): string {
  return clsx(
    'inline-flex h-control shrink-0 items-center justify-center gap-2 whitespace-nowrap rounded-control px-4 font-medium transition-colors duration-120',
    looks[look],
    disabledLook,
    className,
  )
}

type Props = ComponentProps<'button'> & {
  look?: Look
  busy?: boolean
  /**
   * What has to be done first, in a sentence: until then the button is disabled, and says this on hover and focus. A button that
   * may miss something has null when it does not, so that it keeps the focus.
   */
  missing?: string | null | undefined
}

const refuse = (event: MouseEvent) => event.preventDefault()

/** A button whose label is a verb. While `busy`, it shows a spinner and is disabled. */
export function Button(props: Props) {
  const { look = 'primary', busy = false, missing, className, children, disabled, ...rest } = props
  const reason = busy || disabled ? null : missing
  const button = (
    <button
      type="button"
      {...rest}
      {...(reason && { 'aria-disabled': true, 'aria-description': reason, onClick: refuse })}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={buttonClass(look, className)}
    >
      <span
        aria-hidden="true"
        hidden={!busy}
        className="size-4 animate-spin rounded-full border-2 border-current border-t-transparent"
      />
      {children}
    </button>
  )
  // A disabled button could neither be focused nor tell that the pointer is on it.
  return missing === undefined ? button : <Tooltip content={reason}>{button}</Tooltip>
}
