import type { ComponentProps, ReactNode } from 'react'

export function Checkbox(props: ComponentProps<'input'> & { label: ReactNode; hint?: ReactNode }) {
  const { label, hint, ...rest } = props
  return (
    <label className="flex min-h-8 items-start gap-3 py-1 pointer-coarse:min-h-11 pointer-coarse:py-2.5">
      <input type="checkbox" {...rest} className="mt-1 size-4 shrink-0 accent-green" />
      <span>
        {label}
        {hint && <span className="block text-small text-muted">{hint}</span>}
      </span>
    </label>
  )
}
