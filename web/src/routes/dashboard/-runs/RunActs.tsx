import { CircleX, Clock, RotateCw } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button } from '#web/components/Button.tsx'
import { useAllowed, useRole } from '#web/queries/people.ts'
import type { Run } from '#web/queries/runs.ts'
import { useOnline } from '#web/routes/-shell/useOnline.ts'
import { againText, hasStarted } from './words.ts'

const StopDialog = lazy(async () => ({ default: (await import('./RunDialogs.tsx')).StopDialog }))
const PayAgainDialog = lazy(async () => ({ default: (await import('./RunDialogs.tsx')).PayAgainDialog }))
const RepeatDialog = lazy(async () => ({ default: (await import('./RunDialogs.tsx')).RepeatDialog }))
const EndRepeatDialog = lazy(async () => ({ default: (await import('./RunDialogs.tsx')).EndRepeatDialog }))

type Act = 'stop' | 'payAgain' | 'repeat' | 'endRepeat'

/** What can be done with a run that was decided: stop it, pay what was not paid, have it made again. */
export function RunActs({ run }: { run: Run }) {
  const [act, setAct] = useState<Act | null>(null)
  const isAllowed = useAllowed()
  const role = useRole()
  const isOnline = useOnline()
  const close = () => setAct(null)
  const acts = {
    payAgain: run.payableAgain > 0 && isAllowed('runs.create'),
    repeat: hasStarted(run) && run.repeat === null && isAllowed('runs.repeat'),
    endRepeat: run.repeat !== null && isAllowed('runs.repeat'),
    stop: run.status === 'RUNNING' && isAllowed('runs.stop') && role !== 'preparer',
  }
  const button = (name: Act, look: 'primary' | 'secondary', Icon: typeof CircleX, label: string) =>
    acts[name] && (
      <Button look={look} disabled={!isOnline} onClick={() => setAct(name)}>
        <Icon aria-hidden="true" className="size-4" />
        {label}
      </Button>
    )
  if (!Object.values(acts).some(Boolean)) return null
  return (
    <>
      <div className="flex flex-wrap gap-3 max-sm:*:grow print:hidden">
        {button('payAgain', hasStarted(run) ? 'primary' : 'secondary', RotateCw, againText(run))}
        {button('repeat', 'secondary', Clock, 'Repeat')}
        {button('endRepeat', 'secondary', Clock, 'End repeating')}
        {button('stop', 'secondary', CircleX, 'Stop')}
      </div>
      <Suspense>
        {act === 'stop' && <StopDialog run={run} onClose={close} />}
        {act === 'payAgain' && <PayAgainDialog run={run} onClose={close} />}
        {act === 'repeat' && <RepeatDialog run={run} onClose={close} />}
        {act === 'endRepeat' && <EndRepeatDialog run={run} onClose={close} />}
      </Suspense>
    </>
  )
}
