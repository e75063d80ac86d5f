import { clsx } from 'clsx'
import type { ComponentProps } from 'react'
import { Input } from './Field.tsx'

/** A field for the six digits of an email or SMS. Accepts a pasted '123 456'. */
export function CodeInput(props: ComponentProps<'input'>) {
  const { onChange, className, ...rest } = props
  return (
    <Input
      inputMode="numeric"
      autoComplete="one-time-code"
      placeholder="000000"
      {...rest}
      className={clsx('h-14! text-center font-mono text-[24px]! tracking-[0.35em]', className)}
      onChange={(event) => {
        event.target.value = event.target.value.replace(/\D/g, '').slice(0, 6)
        onChange?.(event)
      }}
    />
  )
}
