import { clsx } from 'clsx'
import type { ComponentProps } from 'react'

type Look = 'primary' | 'secondary' | 'quiet' | 'danger'

const looks: Record<Look, string> = {
  primary: 'bg-green text-white hover:bg-green-pressed active:bg-green-pressed disabled:bg-faint',
  secondary: 'border border-control bg-card text-ink hover:bg-sunken disabled:border-hairline disabled:text-muted',
  quiet: 'text-ink hover:bg-sunken disabled:text-muted',
  danger: 'bg-red text-white hover:brightness-90 disabled:bg-faint',
}

export function buttonClass(look: Look = 'primary', className?: string): string {
  return clsx(
    'inline-flex h-control shrink-0 items-center justify-center gap-2 whitespace-nowrap rounded-control px-4 font-medium transition-colors duration-120',
    looks[look],
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
      {busy && (
        <span
          aria-hidden="true"
          className="size-4 animate-spin rounded-full border-2 border-current border-t-transparent"
        />
      )}
      {children}
    </button>
  )
}

/** A square button with an icon. Its label is its accessible name and its tooltip. */
export function IconButton(props: ComponentProps<'button'> & { label: string }) {
  const { label, className, ...rest } = props
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      {...rest}
      className={clsx(
        'inline-flex size-8 shrink-0 items-center justify-center rounded-control text-muted transition-colors duration-120 hover:bg-sunken hover:text-ink pointer-coarse:size-11',
        className,
      )}
    />
  )
}
