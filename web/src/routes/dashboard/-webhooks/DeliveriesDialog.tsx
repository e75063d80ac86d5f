import { useInfiniteQuery } from '@tanstack/react-query'
import { toast } from 'react-hot-toast/headless'
import { Button } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#web/components/states.tsx'
import { useAction } from '#web/lib/useAction.ts'
import { deliveriesQuery, refreshDeliveries, replayDelivery, sendTest, type Webhook } from '#web/queries/webhooks.ts'
import { DeliveryRow } from './DeliveryRow.tsx'
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
      wide
      title="Deliveries"
      description={<span className="wrap-anywhere">To {webhook.url}, newest first. They are kept for 30 days.</span>}
      onClose={props.onClose}
      footer={
        <>
          <Button look="secondary" onClick={props.onClose}>
            Close
          </Button>
          <Button
            busy={sending.input === null}
            disabled={sending.busy || !webhook.enabled}
            onClick={() => sending.start(null)}
          >
            Send Test Event
          </Button>
        </>
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
