import type { UseFormReturn } from 'react-hook-form'
import { expiryDays } from '#domain/payment.ts'
import { type SendValues, senderNameMax } from '#domain/sendRules.ts'
import { dayMs } from '#domain/time.ts'
import { Field, Input, Select } from '#web/components/Field.tsx'
import { formatDate, plural } from '#web/lib/format.ts'

/** The fields that only a payout has: its expiry, and the sender's name as shown to the recipient. */
export function PayoutFields(props: { form: UseFormReturn<SendValues> }) {
  const { register, formState } = props.form
  return (
    <>
      <Field
        label="Expires"
        error={formState.errors.expiresInDays?.message}
        hint="Unclaimed money is returned to the wallet automatically."
      >
        {(control) => (
          <Select {...control} {...register('expiresInDays')}>
            {expiryDays.map((days) => (
              <option key={days} value={days}>
                In {plural(days, 'day')} ({formatDate(Date.now() + days * dayMs)})
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field
        label="Sender name"
        aside="Optional"
        error={formState.errors.senderName?.message}
        hint="Shown to the recipient."
      >
        {(control) => <Input {...control} {...register('senderName')} maxLength={senderNameMax} autoComplete="off" />}
      </Field>
    </>
  )
}
