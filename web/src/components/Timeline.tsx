import { CircleCheck, CircleDashed, CircleX, LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { Time } from './Time.tsx'

/** `amount`: what the step did to the wallet's balance. */
export type TimelineStep = { label: string; at: string | null; failed?: boolean; amount?: ReactNode }

/** The steps of a process: done ones with their time, the next one with a spinner while `live`. */
export function Timeline(props: { steps: TimelineStep[]; live: boolean }) {
  const next = props.live ? props.steps.findIndex((step) => step.at === null && !step.failed) : -1
  return (
    <ol className="space-y-2" aria-label="Progress">
      {props.steps.map((step, i) => (
        <li key={step.label} className="flex items-center gap-2">
          <StepIcon step={step} next={i === next} />
          <span className={step.at || step.failed || i === next ? 'wrap-anywhere' : 'wrap-anywhere text-muted'}>
            {step.label}
          </span>
          {step.at && (
            <span className="ml-auto text-right text-muted text-small">
              {step.amount && <span className="mr-2 font-medium max-sm:block max-sm:mr-0">{step.amount}</span>}
              <Time iso={step.at} />
            </span>
          )}
        </li>
      ))}
    </ol>
  )
}

function StepIcon(props: { step: TimelineStep; next: boolean }) {
  if (props.step.failed) return <CircleX aria-label="Failed:" className="size-5 text-red" />
  if (props.step.at) return <CircleCheck aria-label="Done:" className="size-5 text-green" />
  if (props.next) return <LoaderCircle aria-label="Now:" className="size-5 animate-spin text-amber" />
  return <CircleDashed aria-label="Then:" className="size-5 text-faint" />
}
