import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { ErrorBox } from './Field.tsx'

type Step = 'confirm' | 'running' | 'done' | 'failed'

/**
 * Something that takes a while: its confirmation, if it needs one, its progress, and its end. It continues if the dialog is
 * closed.
 */
export function ProgressDialog(props: {
  step: Step
  titles: { [Name in Step]?: string }
  description?: ReactNode
  /** The button that confirms. `onStart` also tries again; undefined if that is pointless. */
  confirm?: { label: string; disabled?: boolean; onStart: (() => void) | undefined }
  /** Why it failed. */
  problem?: string | undefined
  locked?: boolean
  onStopWaiting?: (() => void) | undefined
  onClose: () => void
  /** The content of the current step. */
  children: ReactNode
}) {
  const { step, onClose } = props
  const confirm = step === 'confirm' || step === 'failed' ? props.confirm : undefined
  return (
    <Dialog
      role={confirm ? 'alertdialog' : 'dialog'}
      title={props.titles[step] ?? ''}
      description={props.description}
      onClose={onClose}
      locked={props.locked ?? false}
      onStopWaiting={props.onStopWaiting}
      cancel={confirm && (step === 'confirm' ? 'Cancel' : 'Close')}
      footer={
        confirm
          ? confirm.onStart && (
              <Button disabled={step === 'confirm' && confirm.disabled} onClick={confirm.onStart}>
                {step === 'confirm' ? confirm.label : 'Try again'}
              </Button>
            )
          : step === 'done' && <Button onClick={onClose}>Done</Button>
      }
    >
      <div aria-live="polite" className="space-y-4">
        {step === 'failed' && <ErrorBox>{props.problem}</ErrorBox>}
        <div className="space-y-4">{props.children}</div>
      </div>
    </Dialog>
  )
}
