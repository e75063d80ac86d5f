import { Plus, X } from 'lucide-react'
import { type FieldError, get, type Path, type UseFormReturn, useFieldArray } from 'react-hook-form'
import { maxHosts } from '#domain/rules/inputs.ts'
import { Button } from '#web/components/Button.tsx'
import { AmountField, TextField } from '#web/components/forms.tsx'
import type { GroupValues } from './groupForm.ts'

type Props = { form: UseFormReturn<GroupValues>; name: Path<GroupValues> }
/** The list as one whose entries can be added and removed; the form knows it only as one of the values of rules. */
type Listed = { hosts: { pattern: string; maxAmount: string }[] }

/** Hosts, each with an amount that may stay empty. */
export function HostsField({ form, name }: Props) {
  const control = form.control as unknown as UseFormReturn<Listed>['control']
  const { fields, append, remove } = useFieldArray({ control, name: name as unknown as 'hosts' })
  const problem = get(form.formState.errors, `${name}.root`) as FieldError | undefined
  const at = (i: number, part: keyof Listed['hosts'][number]) => `${name}.${i}.${part}` as Path<GroupValues>
  return (
    <div className="space-y-3">
      {fields.map((entry, i) => (
        <fieldset key={entry.id} className="flex items-start gap-2">
          <legend className="sr-only">{`Host ${i + 1}`}</legend>
          <div className="grid min-w-0 flex-1 gap-2 sm:grid-cols-[1fr_11rem]">
            <TextField
              form={form}
              name={at(i, 'pattern')}
              label="Host"
              placeholder="api.example.com"
              inputMode="url"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
            <AmountField form={form} name={at(i, 'maxAmount')} label="Most per purchase (optional)" />
          </div>
          <button
            type="button"
            aria-label={`Remove host ${i + 1}`}
            onClick={() => remove(i)}
            className="mt-6 -mr-2 flex size-8 shrink-0 items-center justify-center rounded-control text-muted hover:bg-sunken hover:text-ink pointer-coarse:size-11"
          >
            <X aria-hidden="true" className="size-4" />
          </button>
        </fieldset>
      ))}
      {problem && (
        <p role="alert" className="text-red text-small">
          {problem.message}
        </p>
      )}
      {fields.length < maxHosts && (
        <Button look="secondary" onClick={() => append({ pattern: '', maxAmount: '' })}>
          <Plus aria-hidden="true" className="size-4" />
          Add a host
        </Button>
      )}
    </div>
  )
}
