import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleX, ExternalLink, LoaderCircle, Printer, Undo2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button, buttonClass } from '#web/components/Button.tsx'
import { CopyButton } from '#web/components/CopyButton.tsx'
import { formatAmount, formatMoment } from '#web/lib/format.ts'
import { type Chain, unitOf } from '#web/lib/networks.ts'
import { storedUser } from '#web/lib/tokens.ts'
import type { ClaimPayout } from '#web/queries/claim.ts'
import { Frame, Heading } from './Frame.tsx'

/** Shown while the transfer is accepted but not yet confirmed on chain. */
export function ClaimPending(props: { payout: ClaimPayout }) {
  return (
    <Frame chain={props.payout.chain}>
      <div role="status" className="flex flex-col items-center py-4 text-center">
        <LoaderCircle aria-hidden="true" className="mb-4 size-10 animate-spin text-green" />
        <Heading focused>
          Transferring {formatAmount(props.payout.amount)} {unitOf(props.payout.chain)}
        </Heading>
        <p className="mt-1 text-balance text-muted">
          The transfer is on its way. This usually takes a few seconds. You can close this page: the transfer continues.
        </p>
      </div>
    </Frame>
  )
}

const looks = {
  missing: { icon: CircleX, colours: 'bg-red-tint text-red' },
  reclaimed: { icon: Undo2, colours: 'bg-sunken text-muted' },
  claimed: { icon: CircleCheck, colours: 'bg-sunken text-muted' },
  complete: { icon: CircleCheck, colours: 'bg-green-tint text-green' },
}

/** A final state of the claim screen: an icon, what happened, and a way to leave. */
export function ClaimOutcome(props: {
  look: keyof typeof looks
  title: string
  leave: string
  children: ReactNode
  action?: ReactNode
  chain?: Chain
}) {
  const { icon: Icon, colours } = looks[props.look]
  return (
    <Frame chain={props.chain}>
      <div className="flex flex-col items-center text-center">
        <span className={`mb-4 inline-flex size-12 items-center justify-center rounded-full ${colours}`}>
          <Icon aria-hidden="true" className="size-6" />
        </span>
        <Heading focused>{props.title}</Heading>
        <div className="mt-1 w-full text-balance text-muted">{props.children}</div>
        <div className="mt-6 flex w-full flex-col gap-3 print:hidden">
          {props.action}
          <Leave label={props.leave} />
        </div>
      </div>
    </Frame>
  )
}

/** Links signed-in users to the app. Others are told to close the page, since a sign-in form would not help them. */
function Leave(props: { label: string }) {
  const [left, setLeft] = useState(false)
  if (storedUser())
    return (
      <Link to="/" className={buttonClass('secondary', 'w-full')}>
        {props.label}
      </Link>
    )
  return (
    <>
      {!left && (
        <Button look="secondary" onClick={() => setLeft(true)}>
          {props.label}
        </Button>
      )}
      <p role="status" className="text-muted">
        {left && 'You can close this page.'}
      </p>
    </>
  )
}

/** Shown when the money was withdrawn, but not in this tab. */
export function AlreadyClaimed(props: { payout: ClaimPayout }) {
  const { payout } = props
  return (
    <ClaimOutcome look="claimed" title="Already Claimed" leave="Return Home" chain={payout.chain}>
      <p>
        {formatAmount(payout.amount)} {unitOf(payout.chain)} has been withdrawn from this payout.
      </p>
      <TransactionLink payout={payout} />
      <p className="mt-3 text-small">
        Wasn’t you? The transaction shows where the money went. It can’t be taken back, so tell{' '}
        {payout.senderName ?? 'the sender'} who else may have had the link and the code.
      </p>
    </ClaimOutcome>
  )
}

/** The completed claim, which can be printed or saved as a PDF. */
export function Receipt(props: { payout: ClaimPayout; recipientAddress: string; completedAt: string }) {
  const { amount, chain, senderName, memo, id, txHash } = props.payout
  return (
    <ClaimOutcome
      look="complete"
      chain={chain}
      title="Transfer complete"
      leave="Done"
      action={
        <Button look="secondary" onClick={() => print()}>
          <Printer aria-hidden="true" className="size-4" />
          Save or print receipt
        </Button>
      }
    >
      <p className="my-2 font-semibold text-figure text-ink" data-testid="claim-amount">
        {formatAmount(amount)} <span className="font-normal text-muted text-title">{unitOf(chain)}</span>
      </p>
      <p>Network fees covered by sender</p>
      {chain === 'base' && (
        <p className="mt-2 text-small print:hidden">
          It is at your address now. A wallet shows it under USDC on Base; an exchange may take some minutes to credit
          it.
        </p>
      )}
      <dl className="mt-4 space-y-2 border-hairline border-t pt-4 text-left text-small">
        {senderName && <Line name="From">{senderName}</Line>}
        {memo && <Line name="For">{memo}</Line>}
        <Line name="Sent to">
          <span className="font-mono">{props.recipientAddress}</span>
        </Line>
        <Line name="Network">
          {chain === 'base' ? 'USDC on Base' : 'Test USDC on Base Sepolia, which has no value'}
        </Line>
        <Line name="Completed">{formatMoment(props.completedAt)}</Line>
        <Line name="Payout">
          <span className="font-mono">{id}</span>
        </Line>
        {txHash && (
          <Line name="Transaction">
            <span className="font-mono">{txHash}</span>
          </Line>
        )}
      </dl>
      <TransactionLink payout={props.payout} />
    </ClaimOutcome>
  )
}

function Line(props: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-muted">{props.name}</dt>
      <dd className="break-all text-ink">{props.children}</dd>
    </div>
  )
}

/** A link to the claim's transaction in the explorer. Renders nothing before it is broadcast. */
function TransactionLink(props: { payout: ClaimPayout }) {
  const { txHash, explorerUrl } = props.payout
  if (!txHash || !explorerUrl) return null
  return (
    <p className="mt-3 flex items-center justify-center gap-1 text-small print:hidden">
      <a
        href={explorerUrl}
        target="_blank"
        rel="noopener noreferrer"
        className="inline-flex items-center gap-1.5 rounded-sm text-green underline underline-offset-3"
      >
        View transaction in explorer
        <ExternalLink aria-hidden="true" className="size-4" />
      </a>
      <CopyButton text={txHash} what="transaction hash" />
    </p>
  )
}
