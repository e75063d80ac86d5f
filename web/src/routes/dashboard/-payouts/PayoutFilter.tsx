import { useState } from 'react'
import { Field, Input } from '../../../components/Field.tsx'
import { Choices, FilterDialog } from '../../../lists/FilterDialog.tsx'
import { RangeFields } from '../../../lists/RangeFields.tsx'
import { rangeProblems } from '../../../lists/range.ts'
import { payoutStatuses } from '../../../lists/search.ts'
import { WalletsField } from '../../../lists/WalletsField.tsx'
import type { PayoutFilters } from '../../../queries/payouts.ts'

/** Edits a draft of the filters; they hold once they are applied. */
export default function PayoutFilter(props: {
  value: PayoutFilters
  onApply: (filters: PayoutFilters) => void
  onClose: () => void
}) {
  const [draft, setDraft] = useState(props.value)
  const change = (part: Partial<PayoutFilters>) =>
    setDraft(
      (before) =>
        Object.fromEntries(
          Object.entries({ ...before, ...part }).filter(([, value]) => value && value.length > 0),
        ) as PayoutFilters,
    )
  const { toProblem, maxProblem } = rangeProblems({ from: draft.from, to: draft.to, min: draft.min, max: draft.max })
  return (
    <FilterDialog
      title="Filter Payouts"
      invalid={Boolean(toProblem || maxProblem)}
      onReset={() => setDraft({})}
      onApply={() => props.onApply(draft)}
      onClose={props.onClose}
    >
      <Choices
        legend="Status"
        options={payoutStatuses.map((status) => [status, status] as const)}
        value={draft.status ?? []}
        onChange={(status) => change({ status })}
      />
      <WalletsField value={draft.wallets ?? []} onChange={(wallets) => change({ wallets })} />
      <Field label="Recipient Email/Phone">
        {(control) => (
          <Input
            {...control}
            value={draft.recipient ?? ''}
            maxLength={254}
            onChange={({ target }) => change({ recipient: target.value })}
          />
        )}
      </Field>
      <RangeFields value={draft} onChange={change} />
    </FilterDialog>
  )
}
