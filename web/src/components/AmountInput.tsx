import { type ComponentProps, useState } from 'react'
import { formatUsdc } from '#domain/money.ts'
import { readAmount } from '#domain/readers/amount.ts'
import { formatAmount } from '../lib/format.ts'
import { useUnit } from './Amount.tsx'
import { Input } from './Field.tsx'

/**
 * An input for an amount. The text stays as it was typed or pasted, and is read once as a whole (readAmount). Below it stands
 * how it is read, if that does not look the same, or after leaving the field, why it is refused.
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
  const { value, onChange, onBlur, unit, decimals = 6, ...rest } = props
  const usdc = useUnit()
  const shownUnit = unit ?? usdc
  /** A problem stays until the text is fixed: it is no use while the text is typed for the first time. */
  const [wasLeft, setWasLeft] = useState(false)
  const read = value.trim() === '' ? null : readAmount(value, decimals)
  const problem = read && 'problem' in read ? read.problem : null
  const isPlain = /^\d*\.?\d*$/.test(value)
  // The form shows its own problem in the same place.
  const shownProblem = wasLeft && !rest['aria-invalid'] ? problem : null
  return (
    <>
      <div className="relative">
        <Input
          {...rest}
          aria-invalid={rest['aria-invalid'] ?? (shownProblem ? true : undefined)}
          inputMode="decimal"
          autoComplete="off"
          placeholder="0.00"
          className={shownUnit.length > 4 ? 'pr-24' : 'pr-16'}
          value={value}
          onChange={(event) => {
            if (problem === null) setWasLeft(false)
            onChange(event.target.value)
          }}
          onBlur={(event) => {
            setWasLeft(true)
            onBlur?.(event)
          }}
        />
        <span
          aria-hidden="true"
          className="pointer-events-none absolute inset-y-0 right-3 flex items-center text-muted text-small"
        >
          {shownUnit}
        </span>
      </div>
      <p role="status" className={`text-small not-empty:mt-1 ${shownProblem ? 'text-red' : 'text-muted'}`}>
        {shownProblem ??
          (read && 'value' in read && !isPlain && `= ${formatAmount(formatUsdc(read.value))} ${shownUnit}`)}
      </p>
    </>
  )
}
