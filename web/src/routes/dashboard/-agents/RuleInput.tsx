import { type Path, type UseFormReturn, useController } from 'react-hook-form'
import type { Input as RuleInputKind } from '#domain/rules/inputs.ts'
import { weekDays } from '#domain/rules/timeZone.ts'
import { Checkbox } from '#web/components/Checkbox.tsx'
import { Field, Input } from '#web/components/Field.tsx'
import { AmountField, SelectField, TextField } from '#web/components/forms.tsx'
import type { GroupValues } from './groupForm.ts'
import { HostsField } from './HostsField.tsx'

type Props = { form: UseFormReturn<GroupValues>; name: Path<GroupValues>; input: RuleInputKind }

/** One input of a rule, by its kind. */
export function RuleInput({ form, name, input }: Props) {
  const shared = { form, name, label: input.label, ...(input.hint && { hint: input.hint }) }
  switch (input.kind) {
    case 'amount':
      return <AmountField {...shared} />
    case 'whole':
      return <TextField {...shared} inputMode="numeric" autoComplete="off" />
    case 'list':
      return (
        <TextField
          {...shared}
          placeholder={input.placeholder}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
      )
    case 'hosts':
      return <HostsField form={form} name={name as 'rules.hosts.hosts'} />
    case 'time':
      return <TextField {...shared} type="time" />
    case 'zone':
      return <ZoneField form={form} name={name} input={input} />
    case 'days':
      return <DaysField form={form} name={name} input={input} />
    case 'choice':
      return <SelectField {...shared} choices={Object.entries(input.options)} />
    case 'switch':
      // The rule is on or off as a whole.
      return null
  }
}

function ZoneField({ form, name, input }: Props) {
  const { field, fieldState } = useController({ control: form.control, name })
  const id = `zones-${name}`
  return (
    <Field label={input.label} hint={input.hint} error={fieldState.error?.message}>
      {(control) => (
        <>
          <Input {...control} {...field} value={String(field.value)} list={id} autoComplete="off" spellCheck={false} />
          <datalist id={id}>
            {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}

function DaysField({ form, name, input }: Props) {
  const { field, fieldState } = useController({ control: form.control, name })
  const chosen = field.value as unknown as string[]
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-small">{input.label}</legend>
      <div className="flex flex-wrap gap-x-4">
        {Object.entries(weekDays).map(([day, label]) => (
          <Checkbox
            key={day}
            label={label}
            checked={chosen.includes(day)}
            onChange={(event) =>
              field.onChange(event.target.checked ? [...chosen, day] : chosen.filter((each) => each !== day))
            }
          />
        ))}
      </div>
      {fieldState.error && (
        <p role="alert" className="mt-1 text-red text-small">
          {fieldState.error.message}
        </p>
      )}
    </fieldset>
  )
}
