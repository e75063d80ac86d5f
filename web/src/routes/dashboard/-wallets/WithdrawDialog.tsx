import { Tabs } from '@base-ui/react/tabs'
import { useState } from 'react'
import { Button } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { canPay, walletName } from '#web/queries/wallets.ts'
import SendDialog from '../-send/SendDialog.tsx'
import { exchanges } from './exchanges.ts'
import type { WalletDialogProps } from './walletDialog.ts'

/** How to cash out USDC: three exchanges with three steps each. The second step can be done here. */
export default function WithdrawDialog(props: WalletDialogProps) {
  const { wallet } = props
  const [sending, setSending] = useState(false)
  if (sending) return <SendDialog wallet={wallet} onClose={props.onClose} />
  return (
    <Dialog
      title="Withdraw Funds"
      description={`From ${walletName(wallet)} to your bank, through an exchange where you have an account.`}
      onClose={props.onClose}
      footer={
        <>
          <Button look="secondary" onClick={props.onClose}>
            Close
          </Button>
          <Button onClick={() => setSending(true)} disabled={!canPay(wallet)}>
            Send USDC
          </Button>
        </>
      }
    >
      <Tabs.Root defaultValue={exchanges[0]!.name}>
        <Tabs.List aria-label="Exchange" className="mb-4 grid grid-cols-3 gap-1 rounded-control bg-sunken p-1">
          {exchanges.map(({ name }) => (
            <Tabs.Tab
              key={name}
              value={name}
              className="h-9 rounded-[6px] font-medium text-muted text-small aria-selected:bg-card aria-selected:text-ink pointer-coarse:h-11"
            >
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {exchanges.map(({ name, steps }) => (
          <Tabs.Panel key={name} value={name}>
            <ol className="space-y-3" aria-label={`Withdraw through ${name}`}>
              {steps.map(({ title, text }, i) => (
                <li key={title} className="flex gap-3">
                  <span
                    aria-hidden="true"
                    className="flex size-6 shrink-0 items-center justify-center rounded-full bg-green-tint font-medium text-green text-small"
                  >
                    {i + 1}
                  </span>
                  <div>
                    <p className="font-medium">{title}</p>
                    <p className="text-muted">{text}</p>
                  </div>
                </li>
              ))}
            </ol>
          </Tabs.Panel>
        ))}
      </Tabs.Root>
      <div className="mt-4">
        <Notice tone="warning">
          Choose USDC on the Base network at the exchange. USDC sent to an address on another network may be lost. Send
          a small amount first.
        </Notice>
      </div>
    </Dialog>
  )
}
