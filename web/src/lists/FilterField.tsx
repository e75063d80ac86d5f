import { Field, Input, Select } from '../components/Field.tsx'
import { type FilterFieldProps, type FilterField as Kind, partsOf } from './filters.ts'

/** The field of one filter. */
export function FilterField(props: FilterFieldProps & { field: Kind }) {
  const { field, value, onChange } = props
  switch (field.kind) {
    case 'custom':
      return <field.Field value={value} onChange={onChange} />
    case 'text':
      return (
        <Field label={field.label} hint={field.hint}>
          {(control) => (
            <Input
              {...control}
              value={value}
              maxLength={field.maxLength}
              onChange={({ target }) => onChange(target.value)}
            />
          )}
        </Field>
      )
    case 'select':
      return (
        <Field label={field.label}>
          {(control) => (
            <Select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
              <option value="">{field.all}</option>
              {Object.entries(field.options).map(([option, label]) => (
                <option key={option} value={option}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )
    case 'choices': {
      const chosen = partsOf(value)
      const choose = (option: string, isChosen: boolean) =>
        Object.keys(field.options).filter((one) => (one === option ? isChosen : chosen.includes(one)))
      return (
        <fieldset>
          <legend className="mb-1 font-medium text-small">{field.label}</legend>
          <div className="flex flex-wrap gap-x-5">
            {Object.entries(field.options).map(([option, label]) => (
              <label key={option} className="flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
                <input
                  type="checkbox"
                  className="size-4 accent-green"
                  checked={chosen.includes(option)}
                  onChange={({ target }) => onChange(choose(option, target.checked).join(','))}
                />
                {label}
              </label>
            ))}
          </div>
        </fieldset>
      )
    }
  }
}
