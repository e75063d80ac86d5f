import { lazy, Suspense, useState } from 'react'
import { Button } from '#web/components/Button.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { ApiError, isOutcomeUnknown, messageOf } from '#web/lib/apiError.ts'
import { useAction } from '#web/lib/useAction.ts'
import { type Approval, approve, deny, refreshApprovals } from '#web/queries/approvals.ts'
import { useOnline } from '#web/routes/-shell/useOnline.ts'

const PasswordDialog = lazy(async () => ({ default: (await import('./ApprovalDialogs.tsx')).PasswordDialog }))
const AlwaysAllowDialog = lazy(async () => ({ default: (await import('./ApprovalDialogs.tsx')).AlwaysAllowDialog }))

type Act = 'approve' | 'deny' | 'deny_and_pause'

/** The four possible decisions, at the bottom of the screen, within reach of the thumb. */
export function Decision(props: { approval: Approval; isOver: boolean }) {
  const { approval } = props
  const [asking, setAsking] = useState<'password' | 'grant' | null>(null)
  const online = useOnline()
  const decision = useAction(
    (act: Act) =>
      (act === 'approve'
        ? approve(approval.id, { hash: approval.hash })
        : deny(approval.id, { hash: approval.hash, pauseAgent: act === 'deny_and_pause' })
      )
        // In every case: the approval may have changed, expired, or been decided elsewhere.
        .finally(refreshApprovals),
    {
      fallback: problemOf,
      onFailed(error) {
        // The owner has lowered the limit in the meantime.
        const isPasswordNeeded = error instanceof ApiError && error.code === 'password_required'
        if (isPasswordNeeded) setAsking('password')
        return isPasswordNeeded
      },
    },
  )
  const { problem } = decision
  const disabled = decision.busy || props.isOver || !online
  const decide = (act: Act) =>
    act === 'approve' && approval.needsPassword ? setAsking('password') : decision.start(act)

  const button = (act: Act, label: string, look: 'primary' | 'secondary') => (
    <Button
      look={look}
      busy={decision.input === act}
      disabled={disabled}
      onClick={() => decide(act)}
      className="w-full min-w-0 whitespace-normal! px-2! text-center leading-5"
    >
      {label}
    </Button>
  )
  return (
    <div className="sticky bottom-0 rounded-b-card border-hairline border-t bg-card p-4 pb-[max(1rem,env(safe-area-inset-bottom))]">
      {problem && (
        <div className="mb-3">
          <ErrorBox>{problem}</ErrorBox>
        </div>
      )}
      {props.isOver && <p className="mb-3 text-muted text-small">The time to answer has expired. Nothing is paid.</p>}
      <div className="grid grid-cols-[2fr_1fr] gap-3">
        {approval.canGrant && (
          <Button look="secondary" disabled={disabled} onClick={() => setAsking('grant')} className="col-span-2 w-full">
            Approve and always allow…
          </Button>
        )}
        {button('deny_and_pause', 'Deny and pause agent', 'secondary')}
        {button('deny', 'Deny', 'secondary')}
        <div className="col-span-2">
          {button('approve', approval.kind === 'budget' ? 'Approve' : 'Approve once', 'primary')}
        </div>
      </div>
      <Suspense>
        {asking === 'password' && <PasswordDialog approval={approval} onClose={() => setAsking(null)} />}
        {asking === 'grant' && <AlwaysAllowDialog approval={approval} onClose={() => setAsking(null)} />}
      </Suspense>
    </div>
  )
}

function problemOf(error: unknown): string {
  return isOutcomeUnknown(error)
    ? 'There was no reply, so it is unknown whether this was decided. Try again: nothing is paid twice.'
    : messageOf(error)
}
