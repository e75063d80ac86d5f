import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { History, KeyRound, Pencil, Plus, Power, PowerOff, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { maxWebhooks } from '#domain/webhookRules.ts'
import { ActionMenu } from '#web/components/ActionMenu.tsx'
import { Button } from '#web/components/Button.tsx'
import { Card, PageHeader } from '#web/components/Card.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { ConfirmDialog } from '#web/components/ConfirmDialog.tsx'
import { type Column, DataTable } from '#web/components/DataTable.tsx'
import { GatedButton } from '#web/components/GatedButton.tsx'
import { EmptyState, Loaded, SkeletonRows } from '#web/components/states.tsx'
import { RowTime } from '#web/components/Time.tsx'
import { flagsOf, textsOf } from '#web/lib/search.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { useWhileHere } from '#web/lib/useWhileHere.ts'
import { deleteWebhook, editWebhook, rotateSecret, type Webhook, webhooksQuery } from '#web/queries/webhooks.ts'
import type { NewSecret } from './WebhookDialog.tsx'
import { WebhookUrl } from './WebhookUrl.tsx'
import { disabledTexts, eventsText, hostOf } from './words.ts'

const acts = ['deliveries', 'edit', 'rotate', 'switch', 'delete'] as const
type WebhookAct = (typeof acts)[number]

const read = (search: Record<string, unknown>) => ({ ...flagsOf(search, ['create']), ...textsOf(search, acts) })

const WebhookDialog = lazy(() => import('./WebhookDialog.tsx'))
const SecretDialog = lazy(async () => ({ default: (await import('./WebhookDialog.tsx')).SecretDialog }))
const DeliveriesDialog = lazy(() => import('./DeliveriesDialog.tsx'))

export default function WebhooksPage() {
  const search = read(useSearch({ strict: false }))
  const goTo = useNavigate()
  const navigate = (to: { search: ReturnType<typeof read> }) => goTo({ to: '.', search: to.search as never })
  const webhooks = useQuery(webhooksQuery)
  // Shown only once, so it is kept out of URLs and caches.
  const [secret, setSecret] = useState<NewSecret | null>(null)
  useTitle('Webhooks')

  const whileHere = useWhileHere()
  const close = () => whileHere(() => navigate({ search: {} }))
  const create = () => navigate({ search: { create: true } })
  const showSecret = (created: NewSecret) => {
    setSecret(created)
    close()
  }
  const act = acts.find((name) => search[name] !== undefined)
  const subject = act && webhooks.data?.find(({ id }) => id === search[act])
  const isFull = (webhooks.data?.length ?? 0) >= maxWebhooks

  return (
    <>
      <PageHeader title="Webhooks">
        <GatedButton onClick={create} missing={isFull ? `Delete one first: at most ${maxWebhooks} webhooks.` : null}>
          <Plus aria-hidden="true" className="size-4" />
          New Webhook
        </GatedButton>
      </PageHeader>
      <Card className="overflow-hidden">
        <Loaded query={webhooks} fallback="Failed to load webhooks" loading={<SkeletonRows rows={3} />}>
          {(data) =>
            data.length === 0 ? (
              <EmptyState title="No webhooks yet" action={<Button onClick={create}>Create Your First Webhook</Button>}>
                A webhook tells your own systems what happens to payments, as soon as it happens.
              </EmptyState>
            ) : (
              <WebhookTable webhooks={data} onAct={(name, webhook) => navigate({ search: { [name]: webhook.id } })} />
            )
          }
        </Loaded>
      </Card>
      <p className="mt-3 text-muted text-small">
        How to check signatures and what each event contains is described in the{' '}
        <a href="/docs#webhooks" className="underline">
          API reference
        </a>
        .
      </p>
      <Suspense>
        {search.create && <WebhookDialog onClose={close} onCreated={showSecret} />}
        {subject && act === 'edit' && <WebhookDialog key={subject.id} webhook={subject} onClose={close} />}
        {subject && act === 'deliveries' && <DeliveriesDialog key={subject.id} webhook={subject} onClose={close} />}
        {subject && act === 'switch' && <SwitchWebhookDialog webhook={subject} onClose={close} />}
        {subject && act === 'delete' && <DeleteWebhookDialog webhook={subject} onClose={close} />}
        {subject && act === 'rotate' && <RotateSecretDialog webhook={subject} onClose={close} onRotated={showSecret} />}
        {secret && <SecretDialog created={secret} onClose={() => setSecret(null)} />}
      </Suspense>
    </>
  )
}

/** The account's webhooks. */
function WebhookTable(props: { webhooks: Webhook[]; onAct: (act: WebhookAct, webhook: Webhook) => void }) {
  const { onAct } = props
  const columns: Column<Webhook>[] = [
    {
      header: 'Address',
      cell: (webhook) => (
        <div className="py-1">
          <p className="wrap-anywhere font-medium">
            <WebhookUrl url={webhook.url} />
          </p>
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
    { header: 'Created', cell: (webhook) => <RowTime iso={webhook.createdAt} as="date" />, wideOnly: true },
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

type Props = { webhook: Webhook; onClose: () => void }

function DeleteWebhookDialog({ webhook, onClose }: Props) {
  return (
    <ConfirmDialog
      title="Delete Webhook"
      danger
      confirm={['Delete Webhook', 'Deleting...']}
      fallback="Failed to delete the webhook. Please try again."
      act={() => deleteWebhook(webhook.id)}
      done={`The webhook at ${hostOf(webhook)} was deleted.`}
      onClose={onClose}
    >
      <p>
        Nothing more is sent to <strong className="wrap-anywhere font-semibold">{webhook.url}</strong>, and its
        deliveries are deleted. This cannot be undone.
      </p>
    </ConfirmDialog>
  )
}

function SwitchWebhookDialog({ webhook, onClose }: Props) {
  const { enabled } = webhook
  return (
    <ConfirmDialog
      title={enabled ? 'Switch Off Webhook' : 'Switch On Webhook'}
      confirm={enabled ? ['Switch Off', 'Switching off...'] : ['Switch On', 'Switching on...']}
      fallback="Failed to change the webhook. Please try again."
      act={() => editWebhook(webhook.id, { enabled: !enabled })}
      done={`The webhook at ${hostOf(webhook)} is ${enabled ? 'off' : 'on'}.`}
      onClose={onClose}
    >
      {enabled ? (
        <p>
          Nothing is sent to <strong className="wrap-anywhere font-semibold">{webhook.url}</strong> until you switch it
          on again. Events that occur in the meantime are not sent later.
        </p>
      ) : (
        <p>
          Events are sent to <strong className="wrap-anywhere font-semibold">{webhook.url}</strong> from now on. Events
          missed before it was switched off are in its deliveries, where you can send them again.
        </p>
      )}
    </ConfirmDialog>
  )
}

function RotateSecretDialog({ webhook, onClose, onRotated }: Props & { onRotated: (secret: NewSecret) => void }) {
  return (
    <ConfirmDialog
      title="Rotate Secret"
      confirm={['Rotate Secret', 'Rotating...']}
      fallback="Failed to rotate the secret. Please try again."
      act={async () => {
        const rotated = await rotateSecret(webhook.id)
        onRotated({ webhook, isNew: false, ...rotated })
      }}
      onDone={() => {}}
      onClose={onClose}
    >
      <p>
        {hostOf(webhook)} gets a new secret, shown once. The old one also signs every event for 24 hours, so that
        nothing is lost while you replace it.
      </p>
    </ConfirmDialog>
  )
}
