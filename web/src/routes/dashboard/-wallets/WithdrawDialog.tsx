import { Tabs } from '@base-ui/react/tabs'
import { useState } from 'react'
import { Dialog } from '#web/components/Dialog.tsx'
import { GatedButton } from '#web/components/GatedButton.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { cannotPay, walletName } from '#web/queries/wallets.ts'
import SendDialog from '../-send/SendDialog.tsx'
import type { WalletDialogProps } from './walletSearch.ts'

/** How to cash out USDC: three exchanges with three steps each. The second step can be done here. */
export default function WithdrawDialog(props: WalletDialogProps) {
  const { wallet } = props
  const [sending, setSending] = useState(false)
  if (sending) return <SendDialog wallet={wallet} onClose={props.onClose} />
  const isTest = wallet.chain !== 'base'
  return (
    <Dialog
      isViewOnly
      title="Withdraw Funds"
      description={
        isTest
          ? `From ${walletName(wallet)}, which holds test money.`
          : `From ${walletName(wallet)} to your bank, through an exchange where you have an account.`
      }
      onClose={props.onClose}
      footer={
        <GatedButton onClick={() => setSending(true)} missing={cannotPay(wallet)}>
          Send USDC
        </GatedButton>
      }
    >
      {isTest ? (
        <p>
          Test USDC has no value and no exchange takes it, so it can’t become dollars in your bank account. You can send
          it to any address on Base Sepolia.
        </p>
      ) : (
        <Exchanges />
      )}
    </Dialog>
  )
}

function Exchanges() {
  return (
    <>
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
      <Notice tone="warning" className="mt-4">
        Choose USDC on the Base network at the exchange. USDC sent to an address on another network may be lost. Send a
        small amount first.
      </Notice>
    </>
  )
}

/** Steps for cashing out USDC on Base: get a deposit address, send, then sell and withdraw. */
const send = {
  title: 'Send USDC to that address',
  text: 'Press “Send USDC” below and paste the address. The network fee is covered.',
}

const exchanges = [
  {
    name: 'Coinbase',
    steps: [
      {
        title: 'Get your deposit address',
        text: 'In the Coinbase app choose Transfer, then Receive crypto, USD Coin (USDC), and the network Base. Copy the address.',
      },
      send,
      {
        title: 'Cash out',
        text: 'Once it has arrived, convert USDC to your currency, choose Withdraw cash, and your bank account.',
      },
    ],
  },
  {
    name: 'Kraken',
    steps: [
      {
        title: 'Get your deposit address',
        text: 'In Kraken choose Deposit, USDC, and “USDC (Base)” as the deposit method. Generate an address and copy it.',
      },
      send,
      {
        title: 'Sell and withdraw',
        text: 'Sell USDC for your currency, then choose Withdraw, the currency, and your bank account.',
      },
    ],
  },
  {
    name: 'Binance',
    steps: [
      {
        title: 'Get your deposit address',
        text: 'In Binance choose Deposit crypto, USDC, and the network BASE. Copy the address; no memo is needed.',
      },
      send,
      {
        title: 'Sell and withdraw',
        text: 'Convert USDC to your currency, then choose Withdraw, Fiat, and your bank account or card.',
      },
    ],
  },
]
