import { lazy, Suspense, useEffect, useState } from 'react'
import { watchInactivity } from '#web/lib/inactivity.ts'
import { expireSession } from '#web/lib/session.ts'
import { noteActivity } from '#web/lib/tokens.ts'

const StillThere = lazy(async () => ({ default: (await import('./SessionEnd.tsx')).StillThere }))

/** Ends the session after 12 hours without activity in any tab, with a warning two minutes before. */
export function InactivityGuard() {
  const [warned, setWarned] = useState(false)
  useEffect(
    () =>
      watchInactivity({
        onWarning: () => setWarned(true),
        onActiveElsewhere: () => setWarned(false),
        onLimit: expireSession,
      }),
    [],
  )
  if (!warned) return null
  return (
    <Suspense>
      <StillThere
        onStay={() => {
          noteActivity()
          setWarned(false)
        }}
      />
    </Suspense>
  )
}
