import type { ReactNode } from 'react'
import { toast } from 'react-hot-toast/headless'
import { useDialogAction } from '../lib/useDialogAction.ts'
import { Dialog } from './Dialog.tsx'
import { ErrorBox } from './Field.tsx'
import { GatedButton } from './GatedButton.tsx'

/** Asks for confirmation before an action. If the action fails, stays open and shows the reason. */
export function ConfirmDialog(props: {
  title: string
  /** What the action does. */
  children: ReactNode
  /** Label of the button, at rest and while the action runs. */
  confirm: [label: string, busy: string]
  /** Label of the button that changes nothing, where "Cancel" could mean the action itself. */
  keep?: string
  danger?: boolean
  /** See `Button`. */
  missing?: string | null
  act: () => Promise<unknown>
  /** The toast after success. */
  done?: string
  fallback: string
  onClose: () => void
  /** Called after success. Defaults to `onClose`. */
  onDone?: () => void
}) {
  const act = async () => {
    await props.act()
    if (props.done) toast.success(props.done)
  }
  const { start, busy, problem, onStopWaiting } = useDialogAction(act, {
    fallback: props.fallback,
    onDone: props.onDone ?? props.onClose,
    leaves: true,
  })
  return (
    <Dialog
      role="alertdialog"
      title={props.title}
      onClose={props.onClose}
      locked={busy}
      onStopWaiting={onStopWaiting}
      cancel={props.keep ?? 'Cancel'}
      footer={
        <GatedButton
          look={props.danger ? 'danger' : 'primary'}
          busy={busy}
          missing={props.missing}
          onClick={() => start()}
        >
          {props.confirm[busy ? 1 : 0]}
        </GatedButton>
      }
    >
      <div className="space-y-3">
        {problem && <ErrorBox>{problem}</ErrorBox>}
        <div className="space-y-3">{props.children}</div>
      </div>
    </Dialog>
  )
}
