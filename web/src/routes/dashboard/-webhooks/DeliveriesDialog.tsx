import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from 'react-hot-toast/headless'
import { Button } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#web/components/states.tsx'
import { messageOf } from '#web/lib/apiError.ts'
import { deliveriesQuery, refreshDeliveries, replayDelivery, sendTest, type Webhook } from '#web/queries/webhooks.ts'
import { DeliveryRow } from './DeliveryRow.tsx'
import { hostOf } from './words.ts'

const waitingMs = 2_000 // 2 seconds
const restMs = 15_000 // 15 seconds

/** Lists what was sent to a webhook and how it responded. */
export default function DeliveriesDialog(props: { webhook: Webhook; onClose: () => void }) {
  const { webhook } = props
  const [busy, setBusy] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const list = useInfiniteQuery({
    ...deliveriesQuery(webhook.id),
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.deliveries.some(({ status }) => status === 'waiting') ? waitingMs : restMs,
  })
  const deliveries = list.data?.pages.flatMap((page) => page.deliveries)

  /** `id` is a delivery's id, or 'test'. */
  async function act(id: string, call: () => Promise<unknown>, done: string) {
    setBusy(id)
    setProblem(null)
    try {
      await call()
      await refreshDeliveries(webhook.id)
      toast.success(done)
    } catch (error) {
      setProblem(messageOf(error, 'It could not be sent. Please try again.'))
    }
    setBusy(null)
  }

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
            busy={busy === 'test'}
            disabled={busy !== null || !webhook.enabled}
            onClick={() => act('test', () => sendTest(webhook.id), `A test event is on its way to ${hostOf(webhook)}.`)}
          >
            Send Test Event
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        {problem && <ErrorBox>{problem}</ErrorBox>}
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
                  busy={busy === delivery.id}
                  disabled={busy !== null || !webhook.enabled}
                  onReplay={() =>
                    act(delivery.id, () => replayDelivery(webhook.id, delivery.id), 'The event will be sent again.')
                  }
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
