import { useState } from 'react'
import { Dialog } from '../../../components/Dialog.tsx'
import { Timeline } from '../../../components/Timeline.tsx'

/** Shown while the wallet is being deployed. Nothing closes it. */
export function Deploying(props: { sent: boolean }) {
  const [startedAt] = useState(() => new Date().toISOString())
  return (
    <Dialog
      title="Deploying your wallet"
      description="This takes a few seconds. Please keep this page open."
      onClose={() => undefined}
      closable={false}
    >
      <div role="status">
        <Timeline
          live
          steps={[
            { label: 'Owner key generated in this browser', at: startedAt },
            { label: 'Sent to Base', at: props.sent ? startedAt : null },
            { label: 'Confirmed on Base', at: null },
          ]}
        />
      </div>
    </Dialog>
  )
}
