import { clsx } from 'clsx'
import type { ComponentProps } from 'react'

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
