import type { UseFormRegisterReturn } from 'react-hook-form'
import { scopeNames, type VisibleScope, visibleScopes } from '#domain/scopes.ts'
import { scopeHints } from '#web/lib/scopes.ts'
import { useSms } from '#web/queries/config.ts'
import { Checkbox } from './Checkbox.tsx'

/** A checkbox for each kind of payment that a policy group may allow. `hints` replace the usual ones. */
export function ScopeChecks(props: { field: UseFormRegisterReturn; hints?: Partial<Record<VisibleScope, string>> }) {
  const sms = useSms()
  return visibleScopes.map((scope) => (
    <Checkbox
      key={scope}
      value={scope}
      {...props.field}
      label={scopeNames[scope]}
      {...(scope === 'sms_payments:write' && !sms
        ? { disabled: true, hint: 'Text messages are not available here' }
        : { hint: props.hints?.[scope] ?? scopeHints[scope] })}
    />
  ))
}
