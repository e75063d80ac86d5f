import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import type { Replay } from '#schemas/replay.ts'
import { LabeledSelect } from '#web/components/Select.tsx'
import { Time } from '#web/components/Time.tsx'
import { formatAmount, plural } from '#web/lib/format.ts'
import { useDebounced } from '#web/lib/useDebounced.ts'
import { type Candidate, groupsQuery, replayQuery, type WholeGroup } from '#web/queries/agents.ts'
import type { GroupValues } from './groupForm.ts'
import { candidateOf, replayInWords } from './replayWords.ts'
import { ruleOf } from './ruleNames.ts'

/** What the policy as typed would have decided about past payments, once typing stops. Empty while it changes none. */
export function ReplayOfGroup({ form, group }: { form: UseFormReturn<GroupValues>; group: WholeGroup }) {
  return <ReplayResult groupId={group.id} candidate={candidateOf(form.watch(), group)} />
}

/** The same for a new group, over the payments of another one that the owner chooses. */
export function ReplayOfNewGroup({ form }: { form: UseFormReturn<GroupValues> }) {
  const [groupId, setGroupId] = useState('')
  const groups = useQuery(groupsQuery).data?.filter(({ totalTransactions }) => totalTransactions > 0) ?? []
  if (groups.length === 0) return null
  return (
    <div className="space-y-2">
      <LabeledSelect
        label="Try these rules on the payments of"
        hint="Of the last 30 days. Nothing is changed."
        value={groupId}
        onChange={setGroupId}
        none="No group"
        choices={groups.map(({ policyGroup: { id, name } }) => [id, name])}
      />
      {groupId && <ReplayResult groupId={groupId} candidate={candidateOf(form.watch(), null)} />}
    </div>
  )
}

function ReplayResult(props: { groupId: string; candidate: Candidate | null }) {
  const typed = props.candidate === null ? '' : JSON.stringify(props.candidate)
  const settled = useDebounced(typed)
  const { data, error } = useQuery({
    ...replayQuery(props.groupId, settled ? (JSON.parse(settled) as Candidate) : {}),
    enabled: settled !== '' && settled === typed,
  })
  const shown = settled !== '' && settled === typed ? data : undefined
  return (
    <div role="status" data-testid="replay" className={shown || error ? 'rounded-control bg-sunken px-4 py-3' : ''}>
      {shown && (
        <>
          <p>{replayInWords(shown)}</p>
          {shown.changed.length > 0 && <Changes replay={shown} />}
          {shown.notCovered.map((sentence) => (
            <p key={sentence} className="text-muted text-small">
              {sentence}
            </p>
          ))}
        </>
      )}
      {!shown && error && settled === typed && settled !== '' && (
        <p className="text-small">Past payments could not be read, so there is no preview.</p>
      )}
    </div>
  )
}

const outcomes = { allowed: 'paid', refused: 'refused', asked: 'asked about' }

function Changes({ replay: { changed } }: { replay: Replay }) {
  return (
    <details className="mt-1 text-small">
      <summary className="cursor-pointer text-green">Show {plural(changed.length, 'payment')}</summary>
      <ul className="mt-1 max-h-48 divide-y divide-hairline overflow-y-auto">
        {changed.map(({ paymentId, at, amount, before, after, rule }) => (
          <li key={paymentId} className="py-1">
            <Time iso={at} />: ${formatAmount(amount)} was {outcomes[before]}, would be {outcomes[after]}
            {rule && <span> ({ruleOf(rule).name})</span>}
          </li>
        ))}
      </ul>
    </details>
  )
}
