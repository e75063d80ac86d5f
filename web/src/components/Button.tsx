import { clsx } from 'clsx'
import type { ComponentProps } from 'react'

type Look = 'primary' | 'secondary' | 'quiet' | 'danger'

const looks: Record<Look, string> = {
  primary: 'bg-green text-white hover:bg-green-pressed active:bg-green-pressed',
  secondary: 'border border-control bg-card text-ink hover:bg-sunken disabled:border-hairline',
  quiet: 'text-ink hover:bg-sunken',
  danger: 'bg-red text-white hover:brightness-90 disabled:hover:brightness-100',
}

/** Lighter than the buttons beside it. */
const disabledLook = 'disabled:bg-sunken disabled:text-muted'

export function buttonClass(look: Look = 'primary', className?: string): string {
  return clsx(
    'inline-flex h-control shrink-0 items-center justify-center gap-2 whitespace-nowrap rounded-control px-4 font-medium transition-colors duration-120',
    looks[look],
    disabledLook,
    className,
  )
}

/** A button whose label is a verb. While `busy`, it shows a spinner and is disabled. */
export function Button(props: ComponentProps<'button'> & { look?: Look; busy?: boolean }) {
  const { look = 'primary', busy = false, className, children, disabled, ...rest } = props
  return (
    <button
      type="button"
      {...rest}
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
}
