import { clsx } from 'clsx'
import type { ComponentProps } from 'react'
import { Button } from './Button.tsx'
import { Tooltip } from './Tooltip.tsx'

/**
 * A button that waits for something. `missing` says in a sentence what has to be done first: until it is null, the button is
 * disabled and says this on hover, focus and press. (A button with `disabled` can neither be focused nor notice the pointer.)
 */
export function GatedButton(props: ComponentProps<typeof Button> & { missing: string | null | undefined }) {
  const { missing, className, ...button } = props
  const reason = button.busy || button.disabled ? null : missing
  return (
    <Tooltip content={reason} opensOnPress={Boolean(reason)}>
      <Button
        {...button}
        className={clsx(className, reason && disabledLook)}
        {...(reason && { 'aria-disabled': true, 'aria-description': reason })}
      />
    </Tooltip>
  )
}

/** As of a button with `disabled`. */
const disabledLook = 'cursor-not-allowed! border-hairline! bg-sunken! text-muted! hover:brightness-100!'
