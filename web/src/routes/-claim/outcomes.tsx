import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleX, ExternalLink, Undo2 } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import type { Address } from '#chain/types.ts'
import { AddressBox } from '#web/components/Address.tsx'
import { Button, buttonClass } from '#web/components/Button.tsx'
import { CopyButton } from '#web/components/CopyButton.tsx'
import { isOfferedHere } from '#web/keptMoney/isOfferedHere.ts'
import { ApiError, isOutcomeUnknown, messageOf } from '#web/lib/apiError.ts'
import { formatAmount } from '#web/lib/format.ts'
import { type Chain, unitOf } from '#web/lib/networks.ts'
import { storedUser } from '#web/lib/tokens.ts'
import type { ClaimPayout } from '#web/queries/claim.ts'
import { claimNotLoaded } from '#web/queries/claimNotLoaded.ts'
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
          <Suspense>{props.action}</Suspense>
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

const Door = lazy(() => import('./kept/Door.tsx'))

type WithPayout = { payout: ClaimPayout; onOpened: () => void }

/** Opens the money of a recipient who keeps it. Renders nothing for any other payout. */
export function OpenKept({ payout, onOpened }: WithPayout) {
  const { kept, passkeyDomain, withdrawnToAddress } = payout
  if (!kept || passkeyDomain === null) return null
  if (!isOfferedHere(passkeyDomain))
    return <p className="text-small">This money is kept at {passkeyDomain}. Open the link there.</p>
  return <Door rpId={passkeyDomain} expected={withdrawnToAddress as Address} label="Open" onOpened={onOpened} />
}

/** Shown when the money was withdrawn, as far as this browser knows by somebody else: it may have been requested in another one. */
function AlreadyClaimed(props: WithPayout) {
  const { payout } = props
  return (
    <ClaimOutcome
      look="claimed"
      title="Already Claimed"
      leave="Return Home"
      chain={payout.chain}
      action={<OpenKept {...props} />}
    >
      <p>
        {formatAmount(payout.amount)} {unitOf(payout.chain)} has been withdrawn from this payout, to this address:
      </p>
      <div className="my-3 text-ink">
        <AddressBox address={payout.withdrawnToAddress!} />
      </div>
      <TransactionLink payout={payout} />
      <p className="mt-3 text-small">
        If this is your address, the money is yours and there is nothing left to do. If it isn’t: the transfer can’t be
        taken back, so tell {payout.senderName ?? 'the sender'} who else may have had the link and the code.
      </p>
    </ClaimOutcome>
  )
}

/** Shown when the sender took the money back, or never paid. */
function NothingToClaim({ payout }: WithPayout) {
  const sender = payout.senderName ?? 'the sender'
  if (payout.status === 'CANCELLED')
    return (
      <ClaimOutcome look="reclaimed" title="Payout Reclaimed" leave="Close" chain={payout.chain}>
        The sender took these funds back, so they can no longer be claimed. If you did not expect this, ask {sender}.
      </ClaimOutcome>
    )
  return (
    <ClaimOutcome look="missing" title="Payout Not Funded" leave="Close" chain={payout.chain}>
      The sender’s payment did not arrive, so there is nothing to claim. Ask {sender} to send it again.
    </ClaimOutcome>
  )
}

type OutcomeProps = WithPayout | Parameters<typeof NotFound>[0]

/** Whatever ends a claim, except this browser's own withdrawal. */
export default function Outcome(props: OutcomeProps) {
  if (!('payout' in props)) return <NotFound {...props} />
  return props.payout.status === 'WITHDRAWN' ? <AlreadyClaimed {...props} /> : <NothingToClaim {...props} />
}

const invalidLink = 'This payout link is invalid or has expired.'

/** Shown when there is no such payout, or it could not be loaded. */
function NotFound({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const isMissing = error instanceof ApiError && (error.status === 404 || error.status === 410)
  return (
    <ClaimOutcome
      look="missing"
      title="Payout Not Found"
      leave="Return Home"
      action={isOutcomeUnknown(error) && <Button onClick={onRetry}>Try again</Button>}
    >
      {isMissing ? messageOf(error, invalidLink) : messageOf(error, ...claimNotLoaded)}
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
