import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleX, ExternalLink, Undo2 } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button, buttonClass } from '#web/components/Button.tsx'
import { CopyButton } from '#web/components/CopyButton.tsx'
import { formatAmount } from '#web/lib/format.ts'
import { type Chain, unitOf } from '#web/lib/networks.ts'
import { storedUser } from '#web/lib/tokens.ts'
import type { ClaimPayout } from '#web/queries/claim.ts'
import { Frame, Heading } from './Frame.tsx'

const looks = {
  missing: { icon: CircleX, colors: 'bg-red-tint text-red' },
  reclaimed: { icon: Undo2, colors: 'bg-sunken text-muted' },
  claimed: { icon: CircleCheck, colors: 'bg-sunken text-muted' },
  complete: { icon: CircleCheck, colors: 'bg-green-tint text-green' },
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
  const { icon: Icon, colors } = looks[props.look]
  return (
    <Frame chain={props.chain}>
      <div className="flex flex-col items-center text-center">
        <span className={`mb-4 inline-flex size-12 items-center justify-center rounded-full ${colors}`}>
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
      <Said>{left && 'You can close this page.'}</Said>
    </>
  )
}

/** What a button has done. Takes the focus from that button, which is gone by then. */
export function Said(props: { children: string | false | undefined }) {
  const text = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (props.children) text.current?.focus()
  }, [props.children])
  return (
    <p ref={text} role="status" tabIndex={-1} className="text-muted outline-none empty:hidden">
      {props.children}
    </p>
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

/** A link to the claim's transaction in the explorer. Renders nothing before it is broadcast. */
export function TransactionLink(props: { payout: ClaimPayout }) {
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
