import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { CircleCheck, CircleDashed, X } from 'lucide-react'
import { useEffect } from 'react'
import type { Overview } from '#schemas/overview.ts'
import { Card } from '#web/components/Card.tsx'
import { IconButton } from '#web/components/IconButton.tsx'
import { markFirstSteps } from '#web/lib/firstSteps.ts'
import { shownPreferencesQuery } from '#web/queries/overview.ts'
import { dismissFirstSteps, stepsOf } from './steps.ts'

/** A checklist of first steps. Disappears once all are done. */
export function FirstSteps(props: { overview: Overview }) {
  const preferences = useQuery(shownPreferencesQuery).data
  const steps = stepsOf(props.overview)
  const done = steps.filter((step) => step.done).length
  const isShown = preferences && !preferences.firstStepsDismissed && done < steps.length
  useEffect(() => {
    if (isShown) markFirstSteps(true)
  }, [isShown])
  if (!isShown) return null
  return (
    <Card aria-labelledby="first-steps" className="mb-4 p-5">
      <div className="flex items-start justify-between gap-2">
        <div>
          <h2 id="first-steps" className="font-semibold">
            First steps
          </h2>
          <p className="text-muted text-small">
            {done} of {steps.length} done
          </p>
        </div>
        <IconButton label="Dismiss first steps" className="-mt-1 -mr-2" onClick={dismissFirstSteps}>
          <X aria-hidden="true" className="size-4" />
        </IconButton>
      </div>
      <ol className="-mx-2 mt-2 grid sm:grid-cols-2 lg:grid-cols-5">
        {steps.map((step) => (
          <li key={step.label}>
            <Link
              {...(step.link ?? { to: '/dashboard/wallets' })}
              className="flex items-start gap-3 rounded-control px-2 py-2 hover:bg-sunken"
            >
              {step.done ? (
                <CircleCheck aria-label="Done:" className="mt-0.5 size-5 shrink-0 text-green" />
              ) : (
                <CircleDashed aria-label="To do:" className="mt-0.5 size-5 shrink-0 text-faint" />
              )}
              <span>
                <span
                  className={clsx('underline underline-offset-3', step.done ? 'text-muted' : 'font-medium text-green')}
                >
                  {step.label}
                </span>
                {!step.done && <span className="block text-muted text-small">{step.hint}</span>}
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </Card>
  )
}
