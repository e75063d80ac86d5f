import { ConfirmDialog } from '#web/components/ConfirmDialog.tsx'

/** Asks before the default widgets replace the user's own layout. */
export default function ResetLayout(props: { onReset: () => void; onClose: () => void }) {
  return (
    <ConfirmDialog
      title="Reset layout"
      confirm={['Reset layout', 'Resetting...']}
      act={async () => props.onReset()}
      fallback="The layout could not be reset."
      onClose={props.onClose}
    >
      <p>This restores the original six widgets. Your data is not affected.</p>
    </ConfirmDialog>
  )
}
