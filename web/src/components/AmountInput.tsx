import { type ComponentProps, useState } from 'react'
import { cleanAmount, isAmountDraft } from '#domain/amountText.ts'
import { useUnit } from './Amount.tsx'
import { Input } from './Field.tsx'

/**
 * An input for an amount, kept as text and never as a float. Accepts at most `decimals` decimals after a comma or point,
 * and cleans pasted amounts. Rejects input that can't become an amount, with a hint.
 */
export function AmountInput(
  props: Omit<ComponentProps<'input'>, 'onChange' | 'value'> & {
    value: string
    onChange: (text: string) => void
    /** Defaults to the unit of the enclosing MoneyChain. */
    unit?: 'USD'
    decimals?: number
  },
) {
  const { value, onChange, unit, decimals = 6, ...rest } = props
  const usdc = useUnit()
  const shownUnit = unit ?? usdc
  const [refused, setRefused] = useState(false)
  return (
    <>
      <div className="relative">
        <Input
          {...rest}
          inputMode="decimal"
          autoComplete="off"
          placeholder="0.00"
          className={shownUnit.length > 4 ? 'pr-24' : 'pr-16'}
          value={value}
          onChange={(event) => {
            const text = cleanAmount(event.target.value)
            const fits = isAmountDraft(text, decimals)
            setRefused(!fits)
            if (fits) onChange(text)
          }}
        />
        <span
          aria-hidden="true"
          className="pointer-events-none absolute inset-y-0 right-3 flex items-center text-muted text-small"
        >
          {shownUnit}
        </span>
      </div>
      <p role="status" className="text-muted text-small not-empty:mt-1">
        {refused && `Digits with at most ${decimals} decimals, for example 1234.50`}
      </p>
    </>
  )
}
