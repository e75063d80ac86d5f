import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { periods } from '#domain/policyPeriod.ts'
import { Checkbox, Field, Select } from '#web/components/Field.tsx'
import { AmountField, TextField } from '#web/components/forms.tsx'
import { useSms } from '#web/queries/config.ts'
import { approvalFields, type GroupValues, limitFields, noGroup } from './groupForm.ts'

type Form = UseFormReturn<GroupValues>

/** Limits that most groups do not need. */
export function LimitFields({ form }: { form: Form }) {
  const sms = useSms()
  return (
    <Collapsed
      title="Advanced limits"
      hint="Optional. They apply in addition to the budget."
      isSet={limitFields.some((name) => form.getValues(name) !== '')}
      isInvalid={limitFields.some((name) => form.formState.errors[name])}
    >
      <AmountField form={form} name="maxPayment" label="Maximum per payment" />
      <div className="grid grid-cols-[1fr_8rem] gap-3">
        <AmountField
          form={form}
          name="periodLimit"
          label="Budget per period"
          hint="Resets at midnight UTC: weeks on Monday, months on the 1st."
        />
        <Field label="Period">
          {(control) => (
            <Select {...control} {...form.register('period')}>
              {periods.map((period) => (
                <option key={period} value={period}>
                  {{ day: 'Day', week: 'Week', month: 'Month' }[period]}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <AmountField
        form={form}
        name="maxUnclaimed"
        label="Unclaimed payouts in total"
        hint="The most that unclaimed payouts may add up to."
      />
      <TextField
        form={form}
        name="emailDomains"
        label="Allowed email domains"
        hint="Applies to payouts by email, including those to contacts."
        placeholder="example.com, example.org"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      {sms && (
        <TextField
          form={form}
          name="phoneCodes"
          label="Allowed phone country codes"
          hint="Applies to payouts by SMS, including those to contacts."
          placeholder="+1, +49"
          autoComplete="off"
        />
      )}
    </Collapsed>
  )
}

/** Fields for which payments need the owner's approval. */
export function ApprovalFields({ form }: { form: Form }) {
  return (
    <Collapsed
      title="Ask me first"
      hint="Optional. These payments wait until you approve them, and reserve nothing while they wait."
      isSet={
        form.getValues('approveNewRecipient') || approvalFields.some((name) => form.getValues(name) !== noGroup[name])
      }
      isInvalid={approvalFields.some((name) => form.formState.errors[name])}
    >
      <AmountField form={form} name="approveAbove" label="Payments above" hint="0 asks about every payment." />
      <Checkbox
        {...form.register('approveNewRecipient')}
        label="First payments to a recipient"
        hint="Anyone whom your account has not paid before"
      />
      <TextField
        form={form}
        name="duplicateMinutes"
        label="Repeats within minutes"
        hint="The same amount to the same recipient again. Guards against accidents, not intent. Leave empty to turn it off."
        inputMode="numeric"
        autoComplete="off"
      />
      <TextField
        form={form}
        name="approvalTtlHours"
        label="Hours to respond"
        hint="After that the payment is not made. The agent may ask again."
        inputMode="numeric"
        autoComplete="off"
      />
    </Collapsed>
  )
}

/** Fields under a title that opens them. They start closed unless one is set, and stay open while one is invalid. */
function Collapsed(props: { title: string; hint: string; isSet: boolean; isInvalid: boolean; children: ReactNode }) {
  const [open, setOpen] = useState(props.isSet)
  return (
    <details
      open={open || props.isInvalid}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group/fields rounded-control border border-hairline"
    >
      <summary className="flex min-h-control list-none items-center gap-2 rounded-control px-3 font-medium text-small -outline-offset-2 hover:bg-sunken">
        <ChevronRight
          aria-hidden="true"
          className="size-4 text-muted transition-transform duration-120 group-open/fields:rotate-90"
        />
        {props.title}
      </summary>
      <div className="space-y-4 px-3 pt-1 pb-4">
        <p className="text-muted text-small">{props.hint}</p>
        {props.children}
      </div>
    </details>
  )
}
