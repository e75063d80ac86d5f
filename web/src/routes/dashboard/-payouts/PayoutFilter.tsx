import { payoutStatuses } from '#domain/listFilters.ts'
import { FilterDialog } from '#web/lists/FilterDialog.tsx'
import { Choices, TextField } from '#web/lists/FilterFields.tsx'
import { WalletsField } from '#web/lists/WalletsField.tsx'
import type { PayoutFilters } from '#web/queries/payouts.ts'

export default function PayoutFilter(props: {
  value: PayoutFilters
  onApply: (filters: PayoutFilters) => void
  onClose: () => void
}) {
  return (
    <FilterDialog title="Filter Payouts" {...props}>
      {(draft, change) => (
        <>
          <Choices
            legend="Status"
            options={payoutStatuses.map((status) => [status, `${status[0]}${status.slice(1).toLowerCase()}`] as const)}
            value={draft.status ?? []}
            onChange={(status) => change({ status })}
          />
          <WalletsField value={draft.wallets ?? []} onChange={(wallets) => change({ wallets })} />
          <TextField
            label="Recipient Email/Phone"
            value={draft.recipient}
            maxLength={254}
            onChange={(recipient) => change({ recipient })}
          />
        </>
      )}
    </FilterDialog>
  )
}
