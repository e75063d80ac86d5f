import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { checksumAddress } from '#domain/validators.ts'
import { ShortAddress, TxHash } from '#web/components/Address.tsx'
import { Amount } from '#web/components/Amount.tsx'
import { Button } from '#web/components/Button.tsx'
import { Fact } from '#web/components/Card.tsx'
import { Resend } from '#web/components/Code.tsx'
import { ContactName } from '#web/components/ContactName.tsx'
import { CopyButton } from '#web/components/CopyButton.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { May } from '#web/components/May.tsx'
import { NoteFacts } from '#web/components/Notes.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { Skeleton } from '#web/components/states.tsx'
import { Timeline, type TimelineStep } from '#web/components/Timeline.tsx'
import { messageOf } from '#web/lib/apiError.ts'
import { failures } from '#web/lib/failures.ts'
import { formatMoment } from '#web/lib/format.ts'
import { networkName } from '#web/lib/networks.ts'
import { contactMatchesQuery } from '#web/queries/contacts.ts'
import {
  canReclaim,
  claimLinkQuery,
  deliveryText,
  isMoving,
  isTakenDown,
  isUndelivered,
  type Payout,
  payoutQuery,
  recipientOf,
  resendCode,
} from '#web/queries/payouts.ts'
import { senderOf } from '#web/queries/transactions.ts'
import { walletName } from '#web/queries/wallets.ts'
import { PayoutStatusChip } from '#web/routes/dashboard/-payouts/list.tsx'
import { DetailsDialog, type NewMethod } from '../-contacts/AddMethod.tsx'

const pollMs = 2_000 // 2 seconds

/** All details of one payout. */
export default function PayoutDialog(props: {
  payoutId: string
  /** The payout from the list, if it is on the current page. */
  known: Payout | undefined
  onReclaim: (payout: Payout) => void
  onClose: () => void
}) {
  const { known } = props
  const fetched = useQuery({
    ...payoutQuery(props.payoutId),
    enabled: !known || isMoving(known),
    refetchInterval: ({ state }) => (state.data && !isMoving(state.data) ? false : pollMs),
  })
  const payout = newerOf(known, fetched.data)
  const stranger = useStranger(payout)
  return (
    <DetailsDialog
      title="Payout details"
      details={payout && ((addContact) => <Details payout={payout} addContact={addContact} />)}
      query={fetched}
      stranger={stranger}
      actions={
        payout &&
        canReclaim(payout) && (
          <May call="reclaim">
            <Button onClick={() => props.onReclaim(payout)}>Reclaim funds</Button>
          </May>
        )
      }
      onClose={props.onClose}
    />
  )
}

/** Picks the newer version. The list refreshes less often than a moving payout, but more often than one at rest. */
function newerOf(known: Payout | undefined, fetched: Payout | undefined): Payout | undefined {
  if (!known || !fetched) return known ?? fetched
  return fetched.updatedAt >= known.updatedAt && isMoving(known) ? fetched : known
}

/** The recipient's email or phone number if no contact has it. Null until that is known. */
function useStranger(payout: Payout | undefined): NewMethod | null {
  const { recipientEmail: email, recipientPhone: phone } = payout ?? {}
  const method = email ? { email } : phone ? { phone } : null
  const { data } = useQuery({ ...contactMatchesQuery(method ?? {}), enabled: method !== null })
  return data?.total === 0 ? method : null
}

/** The sender can see the link again, but not the code. */
function ClaimLink(props: { payout: Payout }) {
  const { data, error } = useQuery(claimLinkQuery(props.payout.id))
  if (error) return <span className="text-muted text-small">{messageOf(error, 'Unavailable')}</span>
  if (!data) return <Skeleton className="h-6 w-40" />
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <span translate="no" className="w-48 truncate font-mono text-small" title={data.claimUrl}>
        {data.claimUrl.replace(/^https?:\/\//, '')}
      </span>
      <CopyButton text={data.claimUrl} what="link" />
    </span>
  )
}

function Details(props: { payout: Payout; addContact: ReactNode }) {
  const { payout } = props
  const chain = payout.sourceWallet?.chain ?? 'base'
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Amount value={payout.amount} chain={chain} className="font-semibold text-title" />
        <PayoutStatusChip payout={payout} inWords />
      </div>
      {(payout.errorMessage || payout.status === 'FAILED') && (
        <ErrorBox>{payout.errorMessage ?? failures.payout}</ErrorBox>
      )}
      {isTakenDown(payout) && (
        <Notice tone="warning">
          The operator has taken this payout’s link down, so nobody can claim it. You can take the money back.
        </Notice>
      )}
      {payout.delivery && isUndelivered(payout) && (
        <Notice tone="warning">
          {deliveryText(payout.delivery)}. If {recipientOf(payout)} is not the right recipient, reclaim the funds and
          create a new payout.
        </Notice>
      )}
      <Timeline steps={stepsOf(payout)} live={isMoving(payout)} />
      <dl className="divide-y divide-hairline border-hairline border-t pt-1">
        <Fact name="Recipient">
          {recipientOf(payout)}
          {props.addContact}
        </Fact>
        {payout.delivery && (
          <Fact name="Message">
            {deliveryText(payout.delivery)}, {formatMoment(payout.delivery.at)}
          </Fact>
        )}
        <NoteFacts of={payout} />
        <Fact name="Sender">{senderOf(payout)}</Fact>
        {payout.sourceWallet && <Fact name="From wallet">{walletName(payout.sourceWallet)}</Fact>}
        {(payout.status === 'CREATING' || payout.status === 'CREATED') && !isTakenDown(payout) && (
          <May call="claimLink">
            <Fact name="Claim link">
              <ClaimLink payout={payout} />
            </Fact>
          </May>
        )}
        <Fact name="Created">{formatMoment(payout.createdAt)}</Fact>
        <Fact name="Expires">{formatMoment(payout.expiresAt)}</Fact>
        <Fact name="Payout wallet">
          <ShortAddress address={payout.payoutAddress} chain={chain} />
        </Fact>
        {payout.withdrawnToAddress && (
          <Fact name="Withdrawn to">
            <ContactName value={payout.withdrawnToAddress} />{' '}
            <ShortAddress address={checksumAddress(payout.withdrawnToAddress)} chain={chain} />
          </Fact>
        )}
        {payout.fundingTxHash && (
          <Fact name="Funding transaction">
            <TxHash hash={payout.fundingTxHash} chain={chain} />
          </Fact>
        )}
        {payout.txHash && (payout.status === 'WITHDRAWN' || payout.status === 'RECLAIMED') && (
          <Fact name={payout.status === 'RECLAIMED' ? 'Reclaim transaction' : 'Withdraw transaction'}>
            <TxHash hash={payout.txHash} chain={chain} />
          </Fact>
        )}
      </dl>
      {canReclaim(payout) && !isTakenDown(payout) && (
        <May call="resendCode">
          <Resend
            onSend={() => resendCode(payout.id)}
            sent={`A new code is on its way to ${recipientOf(payout)}. The previous one no longer works.`}
          />
        </May>
      )}
    </div>
  )
}

/** A payout as one story: accepted, funded from the wallet, and claimed by its recipient or returned. */
function stepsOf(payout: Payout): TimelineStep[] {
  const { sourceWallet, status, inProgress, fundedAt } = payout
  const chain = sourceWallet?.chain ?? 'base'
  const wallet = sourceWallet ? walletName(sourceWallet) : 'the wallet'
  const moved = (sign: '−' | '+', color: string) => (
    <Amount value={payout.amount} chain={chain} sign={sign} className={color} />
  )
  const created: TimelineStep = { label: 'Accepted', at: payout.createdAt }
  if (status === 'FAILED') return [created, { label: 'Not funded', at: null, failed: true }]
  const funded: TimelineStep = !fundedAt
    ? { label: `Funding on ${networkName(chain)}`, at: null }
    : { label: `Funded from ${wallet}`, at: fundedAt, amount: moved('−', 'text-ink') }
  const claimed = `Claimed by ${recipientOf(payout)}`
  const returned = `Returned to ${wallet}`
  switch (status) {
    case 'CREATING':
      return [created, funded, { label: claimed, at: null }]
    case 'CREATED': {
      const next =
        inProgress === 'claim'
          ? 'The recipient is claiming it'
          : inProgress === 'reclaim'
            ? `Returning to ${wallet}`
            : 'Waiting for the recipient'
      return [created, funded, { label: next, at: null }]
    }
    case 'WITHDRAWN':
      return [created, funded, { label: claimed, at: payout.withdrawnAt }]
    case 'RECLAIMED':
      return [created, funded, { label: returned, at: payout.reclaimedAt, amount: moved('+', 'text-green') }]
  }
}
