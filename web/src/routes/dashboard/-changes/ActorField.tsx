import { Field } from '#web/components/Field.tsx'
import { Select } from '#web/components/Select.tsx'
import type { FilterFieldProps } from '#web/lists/filters.ts'
import { useActors } from '#web/queries/changes.ts'
import { actorName } from './words.ts'

/** Picks one of those who are in the history. */
export default function ActorField({ value, onChange }: FilterFieldProps) {
  const actors = useActors() ?? []
  return (
    <Field label="By">
      {(control) => (
        <Select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
          <option value="">Everybody</option>
          {actors.map((actor) => (
            <option key={actor.id} value={actor.id}>
              {actorName(actor)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
