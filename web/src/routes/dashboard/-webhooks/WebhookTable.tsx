import { History, KeyRound, Pencil, Power, PowerOff, Trash2 } from 'lucide-react'
import { ActionMenu } from '#web/components/ActionMenu.tsx'
import { Button } from '#web/components/Button.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { type Column, DataTable } from '#web/components/DataTable.tsx'
import { Time } from '#web/components/Time.tsx'
import type { Webhook } from '#web/queries/webhooks.ts'
import { disabledTexts, eventsText, hostOf } from './words.ts'

export type WebhookAct = 'deliveries' | 'edit' | 'rotate' | 'switch' | 'delete'

/** The account's webhooks. */
export function WebhookTable(props: { webhooks: Webhook[]; onAct: (act: WebhookAct, webhook: Webhook) => void }) {
  const { onAct } = props
  const columns: Column<Webhook>[] = [
    {
      header: 'Address',
      cell: (webhook) => (
        <div className="py-1">
          <p className="wrap-anywhere font-medium">{webhook.url}</p>
          {webhook.disabledReason && <p className="text-red">{disabledTexts[webhook.disabledReason]}</p>}
        </div>
      ),
    },
    {
      header: 'Events',
      cell: (webhook) => <span className="wrap-anywhere">{eventsText(webhook)}</span>,
    },
    {
      header: 'State',
      cell: ({ enabled, disabledReason }) => (
        <Chip tone={enabled ? 'good' : disabledReason ? 'bad' : 'neutral'}>{enabled ? 'On' : 'Off'}</Chip>
      ),
    },
    { header: 'Created', cell: (webhook) => <Time iso={webhook.createdAt} as="date" />, wideOnly: true },
    {
      header: 'Actions',
      align: 'right',
      cell: (webhook) => (
        <div className="flex items-center justify-end gap-1">
          <Button
            look="quiet"
            aria-label={`Deliveries to ${hostOf(webhook)}`}
            onClick={() => onAct('deliveries', webhook)}
          >
            <History aria-hidden="true" className="size-4" />
            Deliveries
          </Button>
          <ActionMenu
            label={`Actions for ${hostOf(webhook)}`}
            items={[
              { label: 'Edit', icon: Pencil, onSelect: () => onAct('edit', webhook) },
              { label: 'Rotate secret', icon: KeyRound, onSelect: () => onAct('rotate', webhook) },
              {
                label: webhook.enabled ? 'Switch off' : 'Switch on',
                icon: webhook.enabled ? PowerOff : Power,
                onSelect: () => onAct('switch', webhook),
              },
              { label: 'Delete', icon: Trash2, danger: true, onSelect: () => onAct('delete', webhook) },
            ]}
          />
        </div>
      ),
    },
  ]
  return <DataTable label="Webhooks" columns={columns} rows={props.webhooks} keyOf={({ id }) => id} />
}
