import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { maxWebhooks } from '#domain/webhookRules.ts'
import { Button } from '#web/components/Button.tsx'
import { Card, PageHeader } from '#web/components/Card.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#web/components/states.tsx'
import { flagsOf, textsOf } from '#web/lib/search.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { webhooksQuery } from '#web/queries/webhooks.ts'
import { DeleteWebhookDialog, RotateSecretDialog, SwitchWebhookDialog } from './ConfirmDialogs.tsx'
import type { NewSecret } from './SecretDialog.tsx'
import { type WebhookAct, WebhookTable } from './WebhookTable.tsx'

const acts = ['deliveries', 'edit', 'rotate', 'switch', 'delete'] as const satisfies readonly WebhookAct[]

const read = (search: Record<string, unknown>) => ({ ...flagsOf(search, ['create']), ...textsOf(search, acts) })

const WebhookDialog = lazy(() => import('./WebhookDialog.tsx'))
const SecretDialog = lazy(() => import('./SecretDialog.tsx'))
const DeliveriesDialog = lazy(() => import('./DeliveriesDialog.tsx'))

export default function WebhooksPage() {
  const search = read(useSearch({ strict: false }))
  const goTo = useNavigate()
  const navigate = (to: { search: ReturnType<typeof read> }) => goTo({ to: '.', search: to.search as never })
  const webhooks = useQuery(webhooksQuery)
  // Shown only once, so it is kept out of URLs and caches.
  const [secret, setSecret] = useState<NewSecret | null>(null)
  useTitle('Webhooks')

  const close = () => navigate({ search: {} })
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
        <Button onClick={create} disabled={isFull} title={isFull ? `At most ${maxWebhooks} webhooks` : undefined}>
          <Plus aria-hidden="true" className="size-4" />
          New Webhook
        </Button>
      </PageHeader>
      <Card className="overflow-hidden">
        {webhooks.data ? (
          webhooks.data.length === 0 ? (
            <EmptyState title="No webhooks yet" action={<Button onClick={create}>Create Your First Webhook</Button>}>
              A webhook tells your own systems what happens to payments, as soon as it happens.
            </EmptyState>
          ) : (
            <WebhookTable
              webhooks={webhooks.data}
              onAct={(name, webhook) => navigate({ search: { [name]: webhook.id } })}
            />
          )
        ) : webhooks.error ? (
          <ErrorState error={webhooks.error} fallback="Failed to load webhooks" onRetry={() => webhooks.refetch()} />
        ) : (
          <SkeletonRows rows={3} />
        )}
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
