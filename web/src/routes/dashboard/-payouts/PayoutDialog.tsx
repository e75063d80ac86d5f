import { useQuery } from '@tanstack/react-query'
import { ShortAddress, TxHash } from '../../../components/Address.tsx'
import { Amount } from '../../../components/Amount.tsx'
import { Button } from '../../../components/Button.tsx'
import { Fact } from '../../../components/Card.tsx'
import { Dialog } from '../../../components/Dialog.tsx'
import { ErrorBox } from '../../../components/Field.tsx'
import { Notice } from '../../../components/Notice.tsx'
import { PayoutStatusChip } from '../../../components/PayoutStatusChip.tsx'
import { Resend } from '../../../components/Resend.tsx'
import { ErrorState, Skeleton } from '../../../components/states.tsx'
import { Timeline, type TimelineStep } from '../../../components/Timeline.tsx'
import { formatMoment } from '../../../lib/format.ts'
import { canReclaim, deliveryText, isUndelivered, recipientOf } from '../../../lib/payoutStatus.ts'
import { type Escrow, payoutQuery, resendCode } from '../../../queries/payouts.ts'
import { walletName } from '../../../queries/wallets.ts'

/** All details of one payout. */
export default function PayoutDialog(props: {
  payoutId: string
  /** The payout as the list has it, if it is on the page. */
  known: Escrow | undefined
  onReclaim: (payout: Escrow) => void
  onClose: () => void
}) {
  const fetched = useQuery({ ...payoutQuery(props.payoutId), enabled: !props.known })
  const payout = props.known ?? fetched.data
  return (
    <Dialog
      title="Payout details"
      onClose={props.onClose}
      footer={
        <>
          <Button look="secondary" onClick={props.onClose}>
            Close
          </Button>
          {payout && canReclaim(payout) && <Button onClick={() => props.onReclaim(payout)}>Reclaim funds</Button>}
        </>
      }
    >
      {payout ? (
        <Details payout={payout} />
      ) : fetched.error ? (
        <ErrorState error={fetched.error} onRetry={() => fetched.refetch()} />
      ) : (
        <Skeleton className="h-80" />
      )}
    </Dialog>
  )
}

function Details(props: { payout: Escrow }) {
  const { payout } = props
  const chain = payout.sourceWallet?.chain ?? 'base'
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Amount value={payout.amount} chain={chain} className="font-semibold text-title" />
        <PayoutStatusChip payout={payout} />
      </div>
      {payout.errorMessage && <ErrorBox>{payout.errorMessage}</ErrorBox>}
      {payout.delivery && isUndelivered(payout) && (
        <Notice tone="warning">
          {deliveryText(payout.delivery)}. If {recipientOf(payout)} is not the right recipient, reclaim the funds and
          create a new payout.
        </Notice>
      )}
      <Timeline steps={stepsOf(payout)} live={payout.status === 'CREATING' || payout.inProgress !== null} />
      <dl className="divide-y divide-hairline border-hairline border-t pt-1">
        <Fact name="Recipient">{recipientOf(payout)}</Fact>
        {payout.delivery && (
          <Fact name="Message">
            {deliveryText(payout.delivery)}, {formatMoment(payout.delivery.at)}
          </Fact>
        )}
        {payout.memo && <Fact name="Memo">{payout.memo}</Fact>}
        <Fact name="Sender">{payout.agent?.name ?? 'User'}</Fact>
        {payout.sourceWallet && <Fact name="From wallet">{walletName(payout.sourceWallet)}</Fact>}
        <Fact name="Created">{formatMoment(payout.createdAt)}</Fact>
        <Fact name="Expires">{formatMoment(payout.expiresAt)}</Fact>
        <Fact name="Payout wallet">
          <ShortAddress address={payout.escrowSubwalletAddress} chain={chain} />
        </Fact>
        {payout.withdrawnToAddress && (
          <Fact name="Withdrawn to">
            <ShortAddress address={payout.withdrawnToAddress} chain={chain} />
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
      {canReclaim(payout) && (
        <Resend
          onSend={() => resendCode(payout.escrowId)}
          sent={`A new code is on its way to ${recipientOf(payout)}. The previous one no longer works.`}
        />
      )}
    </div>
  )
}

function stepsOf(payout: Escrow): TimelineStep[] {
  const created: TimelineStep = { label: 'Created', at: payout.createdAt }
  switch (payout.status) {
    case 'FAILED':
      return [created, { label: 'Not funded', at: null, failed: true }]
    case 'CREATING':
      return [created, { label: 'Funding on Base', at: null }, { label: 'Claimed by the recipient', at: null }]
    case 'CREATED':
      return [
        created,
        {
          label:
            payout.inProgress === 'claim'
              ? 'The recipient is claiming it'
              : payout.inProgress === 'reclaim'
                ? 'Returning to your wallet'
                : 'Funded; waiting for the recipient',
          at: null,
        },
      ]
    case 'WITHDRAWN':
      return [created, { label: 'Claimed by the recipient', at: payout.withdrawnAt ?? payout.updatedAt }]
    case 'RECLAIMED':
      return [created, { label: 'Reclaimed', at: payout.updatedAt }]
  }
}
