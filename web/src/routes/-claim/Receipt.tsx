import { Mail, Printer } from 'lucide-react'
import { Suspense, useState } from 'react'
import { Button } from '#web/components/Button.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { formatAmount, formatMoment } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import { useAction } from '#web/lib/useAction.ts'
import { type ClaimPayout, sendReceipt } from '#web/queries/claim.ts'
import { ClaimOutcome, OpenKept, Said, TransactionLink } from './outcomes.tsx'

/** The completed claim, which can be printed or saved as a PDF. */
export default function Receipt(props: { payout: ClaimPayout; accessToken: string; onOpened: () => void }) {
  const { amount, chain, senderName, memo, id, txHash, withdrawnToAddress, withdrawnAt, kept } = props.payout
  return (
    <ClaimOutcome
      look="complete"
      chain={chain}
      title="Transfer complete"
      leave="Done"
      action={
        <>
          {props.payout.recipientEmail && (
            <EmailReceipt accessToken={props.accessToken} to={props.payout.recipientEmail} />
          )}
          <Button look="secondary" onClick={() => print()}>
            <Printer aria-hidden="true" className="size-4" />
            Save or print receipt
          </Button>
        </>
      }
    >
      <p className="my-2 font-semibold text-figure text-ink" data-testid="claim-amount">
        {formatAmount(amount)} <span className="font-normal text-muted text-title">{unitOf(chain)}</span>
      </p>
      <p>Network fees covered by sender</p>
      {kept && (
        <div className="my-4 flex flex-col gap-3 print:hidden">
          <p>The link that you were sent opens your money again, with your passkey. Save your 12 words as well.</p>
          <Suspense>
            <OpenKept {...props} />
          </Suspense>
        </div>
      )}
      {chain === 'base' && !kept && (
        <p className="mt-2 text-small print:hidden">
          It is at your address now. A wallet shows it under USDC on Base; an exchange may take some minutes to credit
          it.
        </p>
      )}
      <dl className="mt-4 space-y-2 border-hairline border-t pt-4 text-left text-small">
        {senderName && <Line name="From">{senderName}</Line>}
        {memo && <Line name="For">{memo}</Line>}
        <Line name="Sent to">
          <span translate="no" className="font-mono">
            {withdrawnToAddress}
          </span>
        </Line>
        <Line name="Network">
          {chain === 'base' ? 'USDC on Base' : 'Test USDC on Base Sepolia, which has no value'}
        </Line>
        {withdrawnAt && <Line name="Completed">{formatMoment(withdrawnAt)}</Line>}
        <Line name="Payout">
          <span translate="no" className="font-mono">
            {id}
          </span>
        </Line>
        {txHash && (
          <Line name="Transaction">
            <span translate="no" className="font-mono">
              {txHash}
            </span>
          </Line>
        )}
      </dl>
      <TransactionLink payout={props.payout} />
    </ClaimOutcome>
  )
}

/** Sends the receipt to the address that the payout was sent to, and to no other. */
function EmailReceipt(props: { accessToken: string; to: string }) {
  const [sentTo, setSentTo] = useState<string>()
  const { start, busy, problem } = useAction(async () => setSentTo((await sendReceipt(props.accessToken)).sentTo), {
    fallback: 'The receipt could not be sent. Try again.',
  })
  return (
    <>
      {!sentTo && (
        <Button
          look="secondary"
          busy={busy}
          onClick={() => start()}
          className="h-auto! min-h-control whitespace-normal! py-2"
        >
          <Mail aria-hidden="true" className="size-4 shrink-0" />
          <span className="wrap-anywhere">Email the receipt to {props.to}</span>
        </Button>
      )}
      <Said>{sentTo && `The receipt is on its way to ${sentTo}.`}</Said>
      {problem && <ErrorBox>{problem}</ErrorBox>}
    </>
  )
}

function Line(props: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-muted">{props.name}</dt>
      <dd className="wrap-anywhere text-ink">{props.children}</dd>
    </div>
  )
}
