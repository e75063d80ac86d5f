import type { UseFormReturn } from 'react-hook-form'
import { Field, Input } from '#web/components/Field.tsx'

export type AgentValues = { name: string; memo: string }

export const agentProblems = (values: AgentValues) => ({ name: values.name.trim() ? null : 'Name is required' })

/** The fields of an agent. `form` may have others. */
export function AgentFields(props: { form: Pick<UseFormReturn<AgentValues>, 'register' | 'formState'> }) {
  const { register, formState } = props.form
  const { errors } = formState
  return (
    <>
      <Field label="Name" error={errors.name?.message}>
        {(control) => (
          <Input {...control} {...register('name')} maxLength={60} placeholder="Invoice bot" autoComplete="off" />
        )}
      </Field>
      <Field label="Memo" aside="Optional" error={errors.memo?.message}>
        {(control) => <Input {...control} {...register('memo')} maxLength={200} autoComplete="off" />}
      </Field>
    </>
  )
}
