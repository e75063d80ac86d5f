import { clsx } from 'clsx'
import type { ComponentProps } from 'react'
import { Input } from './Field.tsx'

/** One field for six digits that came by mail or SMS: "123 456" may be pasted. */
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
