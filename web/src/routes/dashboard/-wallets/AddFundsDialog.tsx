import { useQuery } from '@tanstack/react-query'
import { CircleCheck, ExternalLink } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { saturatingSub } from '#domain/money.ts'
import { onrampAmountProblem, onrampDecimals, onrampPresets, popularPreset } from '#domain/onrampRules.ts'
import { Button, buttonClass } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { AmountField, FormDialog, formResolver } from '#web/components/forms.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { dollars, microOf, typedDecimal } from '#web/lib/amounts.ts'
import { failureOf, failures } from '#web/lib/failures.ts'
import { formatAmount } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import { configQuery } from '#web/queries/config.ts'
import { createOnrampSession, type Wallet, walletName, walletsQuery } from '#web/queries/wallets.ts'
import type { WalletDialogProps } from './walletSearch.ts'

type Values = { amount: string }
/** The seller's page, and whether the browser blocked it. */
type Opened = { url: string; blocked: boolean; amount: string }

const pollMs = 5_000 // 5 seconds

/** Buys USDC with a card: asks for the amount, then opens the seller's page in a new tab. */
export default function AddFundsDialog(props: WalletDialogProps) {
  const { wallet } = props
  const [opened, setOpened] = useState<Opened | null>(null)
  const config = useQuery(configQuery).data
  const form = useForm<Values>({
    defaultValues: { amount: popularPreset },
    resolver: formResolver<Values>(({ amount }) => ({ amount: onrampAmountProblem(amount) })),
  })

  async function send({ amount }: Values) {
    // Opened before the call, because browsers block tabs that are opened after the click has been handled.
    const tab = window.open('', '_blank')
    try {
      const { onrampUrl } = await createOnrampSession(wallet.address, typedDecimal(amount))
      if (tab) {
        tab.opener = null
        tab.location.replace(onrampUrl)
      }
      setOpened({ url: onrampUrl, blocked: tab === null, amount })
    } catch (error) {
      tab?.close()
      throw error
    }
  }

  if (opened) return <Waiting wallet={wallet} opened={opened} onClose={props.onClose} />
  const amount = form.watch('amount')
  const sum = onrampAmountProblem(amount) ? null : formatAmount(typedDecimal(amount))
  return (
    <FormDialog
      title="Add Funds"
      subject={wallet.id}
      description={`Buy USDC with a card. It arrives in ${walletName(wallet)} on Base.`}
      form={form}
      onClose={props.onClose}
      submit={[sum ? `Continue with $${sum}` : 'Continue', 'Opening...']}
      missing={config?.onramp === false ? 'Buying with a card is not available yet.' : null}
      fields={{ presetFiatAmount: 'amount' }}
      fallback={(error) => failureOf(error, 'Failed to create onramp session', failures.onramp)}
      send={send}
    >
      {config?.onramp === false && (
        <Notice tone="warning">
          Buying with a card is not available yet. Send USDC to the wallet’s address instead.
        </Notice>
      )}
      <fieldset>
        <legend className="mb-1 font-medium text-small">Amount</legend>
        <div className="grid grid-cols-2 gap-2 sm:grid-cols-4">
          {onrampPresets.map((preset) => (
            <button
              key={preset}
              type="button"
              aria-pressed={amount === preset}
              onClick={() => {
                form.setValue('amount', preset)
                form.clearErrors()
              }}
              className={buttonClass(
                'secondary',
                'h-auto! min-h-14 flex-col gap-0! px-2! aria-pressed:border-green aria-pressed:bg-green-tint aria-pressed:text-green',
              )}
            >
              ${preset}
              {preset === popularPreset && <span className="font-normal text-small">Popular</span>}
            </button>
          ))}
        </div>
      </fieldset>
      <AmountField
        form={form}
        name="amount"
        label="Other amount"
        hint="At least $1.00. The seller adds its fee."
        unit="USD"
        decimals={onrampDecimals}
      />
      <p className="text-muted text-small">
        You pay on the seller’s page, which opens in a new tab. We never see your card.
      </p>
    </FormDialog>
  )
}

/** Polls until the money has arrived. Can be closed at any time. */
function Waiting(props: { wallet: Wallet; opened: Opened; onClose: () => void }) {
  const { url, blocked } = props.opened
  const { data: wallets } = useQuery({ ...walletsQuery, refetchInterval: pollMs })
  const balance = wallets?.find(({ id }) => id === props.wallet.id)?.usdcBalance?.balance ?? null
  const [before, setBefore] = useState(props.wallet.usdcBalance?.balance ?? null)
  useEffect(() => setBefore((known) => known ?? balance), [balance])
  const arrived = before === null || balance === null ? 0n : saturatingSub(microOf(balance), microOf(before))
  const link = (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      data-first={blocked || undefined}
      className={buttonClass(blocked ? 'primary' : 'secondary')}
    >
      {blocked ? 'Open the payment page' : 'Open it again'}
      <ExternalLink aria-hidden="true" className="size-4" />
    </a>
  )
  return (
    <Dialog
      title={arrived > 0n ? 'Funds added' : blocked ? 'Continue to the payment page' : 'Finish in the other tab'}
      onClose={props.onClose}
      footer={arrived > 0n && <Button onClick={props.onClose}>Done</Button>}
    >
      <div className="space-y-4" aria-live="polite">
        {arrived > 0n ? (
          <p className="flex items-center gap-2">
            <CircleCheck aria-hidden="true" className="size-5 shrink-0 text-green" />
            {walletName(props.wallet)} has received {dollars(arrived)} {unitOf(props.wallet.chain)}.
          </p>
        ) : (
          <>
            {blocked ? (
              <Notice tone="warning">
                Your browser blocked the new tab. The payment page can be used once, within a few minutes.
              </Notice>
            ) : (
              <p>The payment page is open in a new tab. It can be used once, within a few minutes.</p>
            )}
            <p className="text-muted">
              The USDC arrives about a minute after you pay. You can close this dialog: the USDC still arrives.
            </p>
            {link}
          </>
        )}
      </div>
    </Dialog>
  )
}
