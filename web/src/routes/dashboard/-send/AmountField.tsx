import { Controller, type UseFormReturn } from 'react-hook-form'
import type { SendValues } from '#domain/sendRules.ts'
import { MoneyChain } from '#web/components/Amount.tsx'
import { AmountInput } from '#web/components/AmountInput.tsx'
import { Field } from '#web/components/Field.tsx'
import { spendableText, type Wallet } from '#web/queries/wallets.ts'

/** The amount field, with what the wallet can pay now. `wallet` is undefined until one is chosen. */
export function AmountField(props: { form: UseFormReturn<SendValues>; wallet: Wallet | undefined }) {
  const { form, wallet } = props
  const spendable = wallet?.spendable
  return (
    <Controller
      control={form.control}
      name="amount"
      render={({ field }) => (
        <Field
          label="Amount"
          error={form.formState.errors.amount?.message}
          hint={wallet && <span data-testid="spendable">{spendableText(wallet)}</span>}
          aside={
            spendable && (
              <button
                type="button"
                className="min-h-6 rounded-sm text-green underline underline-offset-3"
                onClick={() => {
                  field.onChange(spendable.now)
                  form.clearErrors('amount')
                }}
              >
                Use max balance
              </button>
            )
          }
        >
          {(control) => (
            <MoneyChain value={wallet?.chain}>
              <AmountInput {...control} {...field} />
            </MoneyChain>
          )}
        </Field>
      )}
    />
  )
}
