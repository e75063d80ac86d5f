import { useInfiniteQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { toast } from 'react-hot-toast/headless'
import { Button } from '#web/components/Button.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { GatedButton } from '#web/components/GatedButton.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#web/components/states.tsx'
import { Time } from '#web/components/Time.tsx'
import { formatMoment, plural } from '#web/lib/format.ts'
import type { Tone } from '#web/lib/tone.ts'
import { useAction } from '#web/lib/useAction.ts'
import {
  type Delivery,
  deliveriesQuery,
  refreshDeliveries,
  replayDelivery,
  sendTest,
  type Webhook,
} from '#web/queries/webhooks.ts'
import { WebhookUrl } from './WebhookUrl.tsx'
import { hostOf } from './words.ts'

const waitingMs = 2_000 // 2 seconds
const restMs = 15_000 // 15 seconds

/** Lists what was sent to a webhook and how it responded. */
export default function DeliveriesDialog(props: { webhook: Webhook; onClose: () => void }) {
  const { webhook } = props
  const list = useInfiniteQuery({
    ...deliveriesQuery(webhook.id),
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.deliveries.some(({ status }) => status === 'waiting') ? waitingMs : restMs,
  })
  const deliveries = list.data?.pages.flatMap((page) => page.deliveries)

  /** Sends a delivery again or, without an id, a test event. */
  const sending = useAction(
    async (deliveryId: string | null) => {
      await (deliveryId ? replayDelivery(webhook.id, deliveryId) : sendTest(webhook.id))
      await refreshDeliveries(webhook.id)
    },
    {
      fallback: 'It could not be sent. Please try again.',
      onDone: (_, deliveryId) =>
        toast.success(
          deliveryId ? 'The event will be sent again.' : `A test event is on its way to ${hostOf(webhook)}.`,
        ),
    },
  )

  return (
    <Dialog
      isViewOnly
      wide
      title="Deliveries"
      description={
        <span className="wrap-anywhere">
          To <WebhookUrl url={webhook.url} />, newest first. They are kept for 30 days.
        </span>
      }
      onClose={props.onClose}
      footer={
        <GatedButton
          busy={sending.input === null}
          disabled={sending.busy}
          missing={webhook.enabled ? null : 'Switch the webhook on first.'}
          onClick={() => sending.start(null)}
        >
          Send Test Event
        </GatedButton>
      }
    >
      <div className="space-y-3">
        {sending.problem && <ErrorBox>{sending.problem}</ErrorBox>}
        {!webhook.enabled && <p className="text-muted">This webhook is off. Switch it on to send anything to it.</p>}
        {deliveries ? (
          deliveries.length === 0 ? (
            <EmptyState title="Nothing has been sent yet">
              Send a test event to see whether your receiver responds. Real events follow when something happens.
            </EmptyState>
          ) : (
            <ul aria-label="Deliveries" className="divide-y divide-hairline">
              {deliveries.map((delivery) => (
                <DeliveryRow
                  key={delivery.id}
                  delivery={delivery}
                  busy={sending.input === delivery.id}
                  disabled={sending.busy || !webhook.enabled}
                  onReplay={() => sending.start(delivery.id)}
                />
              ))}
            </ul>
          )
        ) : list.error ? (
          <ErrorState error={list.error} fallback="Failed to load deliveries" onRetry={() => list.refetch()} />
        ) : (
          <SkeletonRows rows={4} />
        )}
        {list.hasNextPage && (
          <div className="text-center">
            <Button look="secondary" busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
              Show Older
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  )
}

const states: Record<Delivery['status'], { tone: Tone; label: string }> = {
  waiting: { tone: 'waiting', label: 'Waiting' },
  delivered: { tone: 'good', label: 'Delivered' },
  failed: { tone: 'bad', label: 'Failed' },
}

/** One delivery: its state, each attempt, and the content sent. */
function DeliveryRow(props: { delivery: Delivery; busy: boolean; disabled: boolean; onReplay: () => void }) {
  const { delivery } = props
  const { tone, label } = states[delivery.status]
  return (
    <li className="py-3">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <div className="min-w-0">
          <p translate="no" className="wrap-anywhere font-mono text-small">
            {delivery.type}
          </p>
          <p className="text-muted text-small">
            <Time iso={delivery.createdAt} /> · {plural(delivery.attempts, 'attempt')}
          </p>
        </div>
        <div className="flex items-center gap-2">
          <Chip tone={tone}>{label}</Chip>
          <Button
            look="quiet"
            busy={props.busy}
            disabled={props.disabled}
            aria-label={`Send again: ${delivery.type}`}
            onClick={props.onReplay}
          >
            <RotateCw aria-hidden="true" className="size-4" />
            Send again
          </Button>
        </div>
      </div>
      {delivery.problem && <p className="text-red text-small">{delivery.problem}.</p>}
      {delivery.nextAttemptAt && delivery.attempts > 0 && (
        <p className="text-small">Next attempt: {formatMoment(delivery.nextAttemptAt)}</p>
      )}
      <details className="mt-1 text-small">
        <summary className="cursor-pointer rounded-sm py-1 text-muted pointer-coarse:py-2.5">
          Attempts and content
        </summary>
        <dl className="mt-1 space-y-1">
          {delivery.attemptList.map((attempt) => (
            <div key={attempt.at} className="flex flex-wrap justify-between gap-x-4">
              <dt className="text-muted">{formatMoment(attempt.at)}</dt>
              <dd>{[attempt.status, attempt.error, `${attempt.ms} ms`].filter(Boolean).join(' · ')}</dd>
            </div>
          ))}
        </dl>
        <p className="mt-2 text-muted">
          webhook-id{' '}
          <span translate="no" className="break-all font-mono">
            {delivery.id}
          </span>
        </p>
        <pre
          translate="no"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
          tabIndex={0}
          className="mt-1 max-h-80 overflow-auto rounded-control bg-sunken p-3 text-small"
        >
          {pretty(delivery.body)}
        </pre>
      </details>
    </li>
  )
}

const pretty = (body: string) => JSON.stringify(JSON.parse(body), null, 2)
