import { Suspense } from 'react'
import { Skeleton } from '#web/components/states.tsx'
import { isOnFirstSteps } from '#web/lib/firstSteps.ts'
import { optional } from '#web/lib/optional.ts'
import { useMay } from '#web/queries/people.ts'

const NextStep = optional(() => import('./NextStep.tsx'))

/** The place of the next step, kept while it loads, so that the page does not shift. Empty once the steps are over. */
export function NextStepSlot() {
  const isTheirs = useMay('wallets.deploy')
  if (!isTheirs || !isOnFirstSteps()) return null
  const waiting = <Skeleton className="mb-4 min-h-32 sm:min-h-20" />
  return (
    <Suspense fallback={waiting}>
      <NextStep waiting={waiting} />
    </Suspense>
  )
}
