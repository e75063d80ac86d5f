import { lazy, Suspense, useState } from 'react'
import { Button } from '#web/components/Button.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { isOutcomeUnknown, messageOf } from '#web/lib/apiError.ts'
import { useSession } from '#web/lib/session.ts'
import { useAction } from '#web/lib/useAction.ts'
import { useAllowed, useRole } from '#web/queries/people.ts'
import { approveRun, isChecked, type Run, submitRun } from '#web/queries/runs.ts'
import { useOnline } from '#web/routes/-shell/useOnline.ts'
import { isPrepared, totalOf } from './words.ts'

const ApproveDialog = lazy(async () => ({ default: (await import('./RunDialogs.tsx')).ApproveDialog }))
const DenyDialog = lazy(async () => ({ default: (await import('./RunDialogs.tsx')).DenyDialog }))
const CancelDialog = lazy(async () => ({ default: (await import('./RunDialogs.tsx')).CancelDialog }))

type Act = 'cancel' | 'submit' | 'deny' | 'approve'

/** What this person may do with a run that was not decided yet. Nobody but its maker and the owner cancels a run. */
function useActs(run: Run): Record<Act, boolean> {
  const isAllowed = useAllowed()
  const role = useRole()
  const isMine = run.madeBy.id === useSession().user?.id
  const isDraft = run.status === 'DRAFT'
  const isWaiting = run.status === 'WAITING'
  const hasRows = isChecked(run) && run.total.rows > 0
  // Of a run that an agent has prepared: one press by the owner.
  const decidesAtOnce = isPrepared(run) && isAllowed('runs.submit') && isAllowed('runs.approve')
  return {
    cancel: isDraft ? isAllowed('runs.stop') && (isMine || role === 'owner') : isWaiting && isMine,
    submit: isDraft && hasRows && isAllowed('runs.submit') && !decidesAtOnce,
    deny: isWaiting && isAllowed('runs.deny') && !isMine,
    approve: decidesAtOnce || (isWaiting && isAllowed('runs.approve') && run.wouldPass?.ok === true),
  }
}

/** Submits what an agent has prepared and approves it, unless the password or another person is needed first. */
async function submitAndApprove(run: Run): Promise<Run> {
  const waiting = await submitRun(run.id)
  return waiting.wouldPass?.ok && !waiting.needsPassword ? approveRun(run.id, { hash: run.hash! }) : waiting
}

const approve = (run: Run) => (run.status === 'DRAFT' ? submitAndApprove(run) : approveRun(run.id, { hash: run.hash! }))

/** What will happen, in one sentence, above the buttons that decide. Stays in view while the rows are read. */
export function RunBar({ run }: { run: Run }) {
  const acts = useActs(run)
  const [asking, setAsking] = useState<'cancel' | 'deny' | 'password' | null>(null)
  const isOnline = useOnline()
  const mayDecide = useAllowed()('runs.approve')
  const action = useAction((act: 'submit' | 'approve') => (act === 'submit' ? submitRun(run.id) : approve(run)), {
    fallback: problemOf,
    onDone: (done, act) => act === 'approve' && done.needsPassword && setAsking('password'),
  })
  if (run.status !== 'DRAFT' && run.status !== 'WAITING') return null
  const ask = (act: Act) => {
    if (act === 'submit') return action.start('submit')
    if (act === 'approve') return run.needsPassword ? setAsking('password') : action.start('approve')
    return setAsking(act)
  }
  const button = (act: Act, look: 'primary' | 'secondary', label: string) =>
    acts[act] && (
      <Button look={look} busy={action.input === act} disabled={action.busy || !isOnline} onClick={() => ask(act)}>
        {label}
      </Button>
    )
  const isEmpty = isChecked(run) && run.total.rows === 0
  const text = isEmpty ? 'Every row has a problem, so there is nothing to pay.' : run.sentence
  const hasActs = Object.values(acts).some(Boolean)
  if (!hasActs && !text) return null
  return (
    <div className={isChecked(run) ? barClass : 'mt-5'}>
      <div className="space-y-3">
        {action.problem && <ErrorBox>{action.problem}</ErrorBox>}
        {mayDecide && run.wouldPass?.ok === false && (
          <Notice tone="warning">Can’t be approved now: {run.wouldPass.message}</Notice>
        )}
        {text && <p data-testid="run-sentence">{text}</p>}
        {run.status === 'WAITING' && !mayDecide && (
          <p className="text-muted text-small">It waits for its owner or an approver.</p>
        )}
        {hasActs && (
          <div className="flex flex-wrap justify-end gap-3 max-sm:*:grow print:hidden">
            {button('cancel', 'secondary', 'Cancel run')}
            {button('deny', 'secondary', 'Deny')}
            {button('submit', 'primary', `Submit ${totalOf(run)}`)}
            {button('approve', 'primary', `Approve ${totalOf(run)}`)}
          </div>
        )}
      </div>
      <Suspense>
        {asking === 'password' && <ApproveDialog run={run} onClose={() => setAsking(null)} />}
        {asking === 'deny' && <DenyDialog run={run} onClose={() => setAsking(null)} />}
        {asking === 'cancel' && <CancelDialog run={run} onClose={() => setAsking(null)} />}
      </Suspense>
    </div>
  )
}

/** On a phone the foot of the page, else a card that floats above its end. */
const barClass =
  'sticky bottom-0 z-10 -mx-4 mt-5 -mb-6 border-hairline border-t bg-card px-4 py-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] sm:bottom-3 sm:mx-0 sm:mb-0 sm:rounded-card sm:border sm:px-5 sm:py-4 sm:shadow-overlay print:static print:border-0 print:px-0 print:shadow-none'

const problemOf = (error: unknown): string =>
  isOutcomeUnknown(error)
    ? 'There was no reply, so it is unknown whether this was done. Try again: nothing is paid twice.'
    : messageOf(error)
