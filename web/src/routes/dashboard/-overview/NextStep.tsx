import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { buttonClass } from '#web/components/Button.tsx'
import { Card } from '#web/components/Card.tsx'
import { IconButton } from '#web/components/IconButton.tsx'
import { markFirstSteps } from '#web/lib/firstSteps.ts'
import { overviewQuery, preferencesQuery } from '#web/queries/overview.ts'
import { dismissFirstSteps, stepsOf } from './steps.ts'

const refreshMs = 5_000 // 5 seconds

/**
 * While a new account is set up: the next of the first steps, on the pages where they are done. `waiting` is shown until it
 * is known.
 */
export default function NextStep(props: { waiting: ReactNode }) {
  const [isOn, setOn] = useState(true)
  /** A step was left when this page was opened, or since. */
  const [hadNext, setHadNext] = useState(false)
  const overview = useQuery({ ...overviewQuery, enabled: isOn, refetchInterval: refreshMs })
  const preferences = useQuery({ ...preferencesQuery, enabled: isOn })
  const steps = overview.data ? stepsOf(overview.data) : []
  const next = steps.find(({ done }) => !done)
  if (next && !hadNext) setHadNext(true)
  const isOver = preferences.data?.firstStepsDismissed || (steps.length > 0 && !next && !hadNext)
  useEffect(() => {
    if (isOver) markFirstSteps(false)
  }, [isOver])
  if (!isOn || isOver) return null
  if (!overview.data || !preferences.data) return overview.error || preferences.error ? null : props.waiting
  const close = () => {
    setOn(false)
    if (next) dismissFirstSteps()
    else markFirstSteps(false)
  }
  return (
    <Card
      aria-label="Next step"
      className="mb-4 flex min-h-32 flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3 sm:min-h-20"
    >
      <div role="status" className="min-w-0 flex-1 basis-48">
        <p className="text-muted text-small">
          First steps: {steps.filter(({ done }) => done).length} of {steps.length} done
        </p>
        <p>{next ? next.hint : 'Your first payment was made. You are all set.'}</p>
      </div>
      {next?.link && (
        <Link {...next.link} className={buttonClass('primary')}>
          {next.label}
        </Link>
      )}
      {!next && (
        <Link to="/dashboard/transactions" onClick={close} className={buttonClass('primary')}>
          See the payment
        </Link>
      )}
      <IconButton label={next ? 'Dismiss first steps' : 'Close'} onClick={close} className="-mr-2">
        <X aria-hidden="true" className="size-4" />
      </IconButton>
    </Card>
  )
}
