import { useState } from 'react'
import { Button } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { Timeline } from '#web/components/Timeline.tsx'
import type { Wallet } from '#web/queries/wallets.ts'
import { whyNotDeployed } from './deployment.ts'

/** Shown while the wallet is deployed. `wallet` is null until the server replies. It can't be closed until `slow`. */
export function Deploying(props: { wallet: Wallet | null; slow: boolean; onLeave: () => void }) {
  const { wallet, slow } = props
  const [startedAt] = useState(() => new Date().toISOString())
  return (
    <Dialog
      title="Deploying your wallet"
      description={slow ? 'This takes longer than usual.' : 'This takes a few seconds. Please keep this page open.'}
      onClose={props.onLeave}
      closable={slow}
      footer={slow && <Button onClick={props.onLeave}>Continue in background</Button>}
    >
      <div role="status">
        <Timeline
          live
          steps={[
            { label: 'Owner key generated in this browser', at: startedAt },
            { label: 'Sent to Base', at: wallet ? startedAt : null },
            { label: 'Confirmed on Base', at: null },
          ]}
        />
        {slow && (
          <div className="mt-4 space-y-2">
            <p className="rounded-control bg-amber-tint px-3 py-2 text-amber text-small">{whyNotDeployed(wallet)}</p>
            <p className="text-muted text-small">
              {wallet
                ? 'You can leave: Bursar keeps trying, and the wallet is on the Wallets page, where you can also delete it. Keep your recovery phrase, and send nothing to its address before it is there.'
                : 'You can leave. If the wallet was created, it is on the Wallets page. Keep your recovery phrase.'}
            </p>
          </div>
        )}
      </div>
    </Dialog>
  )
}
