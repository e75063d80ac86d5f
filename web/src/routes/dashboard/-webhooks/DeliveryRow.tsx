import { RotateCw } from 'lucide-react'
import { Button } from '#web/components/Button.tsx'
import { Chip, type Tone } from '#web/components/Chip.tsx'
import { Time } from '#web/components/Time.tsx'
import { formatMoment, plural } from '#web/lib/format.ts'
import type { Delivery } from '#web/queries/webhooks.ts'

const states: Record<Delivery['status'], { tone: Tone; label: string }> = {
  waiting: { tone: 'waiting', label: 'Waiting' },
  delivered: { tone: 'good', label: 'Delivered' },
  failed: { tone: 'bad', label: 'Failed' },
}

/** One delivery: its state, each attempt, and the content sent. */
export function DeliveryRow(props: { delivery: Delivery; busy: boolean; disabled: boolean; onReplay: () => void }) {
  const { delivery } = props
  const { tone, label } = states[delivery.status]
  return (
    <li className="py-3">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <div className="min-w-0">
          <p className="wrap-anywhere font-mono text-small">{delivery.type}</p>
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
              <dd>
                {attempt.status ?? attempt.error}
                {attempt.status !== null && attempt.error && ` · ${attempt.error}`} · {attempt.ms} ms
              </dd>
            </div>
          ))}
        </dl>
        <p className="mt-2 text-muted">
          webhook-id <span className="break-all font-mono">{delivery.id}</span>
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
        <pre tabIndex={0} className="mt-1 max-h-80 overflow-auto rounded-control bg-sunken p-3 text-small">
          {pretty(delivery.body)}
        </pre>
      </details>
    </li>
  )
}

const pretty = (body: string) => JSON.stringify(JSON.parse(body), null, 2)
