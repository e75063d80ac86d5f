import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, buttonClass } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { useDialogAction } from '#web/lib/useDialogAction.ts'
import { runPath } from './words.ts'

/** The rows are a run already: opens that one or, after a second look, makes another run of them. */
export default function SameRunDialog(props: {
  runId: string
  /** The API's, with the title and the time of that run. */
  message: string
  onAgain: (idempotencyKey: string) => Promise<unknown>
  onBack: () => void
}) {
  const [isSure, setSure] = useState(false)
  const again = useDialogAction<void, unknown>((_, key) => props.onAgain(key), {
    fallback: 'The rows could not be uploaded. Please try again.',
    leaves: true,
  })
  return (
    <Dialog
      role="alertdialog"
      title={isSure ? 'Pay these rows again?' : 'These rows are a run already'}
      onClose={props.onBack}
      onBack={isSure ? () => setSure(false) : props.onBack}
      locked={again.busy}
      onStopWaiting={again.onStopWaiting}
      footer={
        isSure ? (
          <Button look="danger" busy={again.busy} onClick={() => again.start()}>
            {again.busy ? 'Uploading...' : 'Make another run'}
          </Button>
        ) : (
          <>
            <Button look="secondary" onClick={() => setSure(true)}>
              Pay these rows again
            </Button>
            <Link to={runPath(props.runId)} data-first="" className={buttonClass()}>
              Open that run
            </Link>
          </>
        )
      }
    >
      <div className="space-y-3">
        {again.problem && <ErrorBox>{again.problem}</ErrorBox>}
        {isSure ? (
          <Notice tone="warning">
            Everybody in these rows is paid a second time if both runs are approved. Do this only if they are owed the
            same once more.
          </Notice>
        ) : (
          <p>{props.message}</p>
        )}
      </div>
    </Dialog>
  )
}
