import type { ComponentProps } from 'react'
import { cleanAmount, isAmountDraft } from '../lib/format.ts'
import { Input } from './Field.tsx'

/** An amount of USDC as text: at most six decimals, comma or point, pasted sums cleaned. Never a float. */
export function AmountInput(
  props: Omit<ComponentProps<'input'>, 'onChange' | 'value'> & { value: string; onChange: (text: string) => void },
) {
  const { value, onChange, ...rest } = props
  return (
    <div className="relative">
      <Input
        {...rest}
        inputMode="decimal"
        autoComplete="off"
        placeholder="0.00"
        className="pr-16"
        value={value}
        onChange={(event) => {
          const text = cleanAmount(event.target.value)
          if (isAmountDraft(text)) onChange(text)
        }}
      />
      <span
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 right-3 flex items-center text-muted text-small"
      >
        USDC
      </span>
    </div>
  )
}
