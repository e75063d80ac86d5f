import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { ExplorerLink, FullAddress } from '#web/components/Address.tsx'
import { Fact } from '#web/components/Card.tsx'
import { useContactName } from '#web/components/ContactName.tsx'
import { CopyButton } from '#web/components/CopyButton.tsx'
import { LetItPay } from '#web/components/LetItPay.tsx'
import { linkClass } from '#web/components/Links.tsx'
import { May } from '#web/components/May.tsx'
import { NoteFacts } from '#web/components/Notes.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { RecipientWarnings } from '#web/components/RecipientWarnings.tsx'
import { Time } from '#web/components/Time.tsx'
import { formatMoment, plural } from '#web/lib/format.ts'
import { networkWarning } from '#web/lib/networks.ts'
import { type Approval, type Channel, isForAnother } from '#web/queries/approvals.ts'
import { walletName } from '#web/queries/wallets.ts'
import { channelWords } from './words.ts'

/** Who would be paid, with the warnings about them. Renders nothing for a request for more budget. */
export function ApprovalRecipient({ approval }: { approval: Approval }) {
  const { recipient, recipientHistory, purchase, wallet } = approval
  if (!recipient) return null
  return (
    <>
      {purchase && (
        <Part title="From">
          <p className="wrap-anywhere font-medium">{purchase.host}</p>
          <p translate="no" className="wrap-anywhere font-mono text-small">
            {purchase.resource}
          </p>
        </Part>
      )}
      <Recipient recipient={recipient} chain={wallet.chain} isSeller={purchase !== null} />
      {purchase?.isConfirmed && (
        <p className="flex items-start gap-2 text-green">
          <CircleCheck aria-hidden="true" className="mt-0.5 size-5 shrink-0" />
          {purchase.host} has confirmed this address to Bursar.
        </p>
      )}
      {purchase?.isConfirmed === false && (
        <Notice tone="warning">
          {purchase.host} has not confirmed this address to Bursar. It may belong to somebody else: only the agent says
          that this host is paid there.
        </Notice>
      )}
      {recipientHistory && (
        <RecipientWarnings
          {...paidTo(recipient)}
          isNamed={recipient.contactName !== null}
          isPurchase={purchase !== null}
          history={recipientHistory}
        />
      )}
    </>
  )
}

/** All other facts for the decision, in the order in which the owner needs them. */
export function ApprovalFacts({ approval }: { approval: Approval }) {
  const { recipient, agentReason, askedBecause, wouldPass, equalPaymentsSince, wallet, channels } = approval
  return (
    <>
      <Part title="Why you are asked">
        <ul className="space-y-1">
          {askedBecause.map(({ rule, message }) => (
            <li key={rule}>{message}</li>
          ))}
        </ul>
      </Part>
      {agentReason && (
        <Part title="The agent says">
          <blockquote className="wrap-anywhere whitespace-pre-wrap border-control border-l-2 pl-3">
            {agentReason}
          </blockquote>
        </Part>
      )}
      {wouldPass &&
        (wouldPass.ok ? (
          <p className="flex items-center gap-2 text-green">
            <CircleCheck aria-hidden="true" className="size-5 shrink-0" />
            {recipient ? 'Would pass now: every other rule allows it.' : 'Can be granted now.'}
          </p>
        ) : (
          <Notice tone="warning">
            Would be refused now: {wouldPass.message}
            {!isForAnother(approval) && (
              <LetItPay approval rule={wouldPass.rule} groupId={approval.policyGroup.id} amount={approval.amount} />
            )}
            <May call="policies.editGroup">
              <p>
                <Link to="/dashboard/agents" search={{ group: approval.policyGroup.id }} className={linkClass}>
                  Change the rules of {approval.policyGroup.name}
                </Link>
              </p>
            </May>
          </Notice>
        ))}
      {equalPaymentsSince > 0 && (
        <Notice tone="warning">
          {plural(equalPaymentsSince, 'payment')} of the same amount to this recipient{' '}
          {equalPaymentsSince === 1 ? 'was' : 'were'} accepted since this was asked.
        </Notice>
      )}
      <dl className="divide-y divide-hairline border-hairline border-t pt-1">
        <NoteFacts of={approval} />
        <Fact name="Policy group">{approval.policyGroup.name}</Fact>
        <Fact name="From wallet">{walletName(wallet)}</Fact>
        <Fact name="Network">{networkWarning(wallet.chain)}</Fact>
        <Fact name="Asked">
          <Time iso={approval.askedAt} />
        </Fact>
        {approval.status === 'PENDING' && <Fact name="Expires">{formatMoment(approval.expiresAt)}</Fact>}
        <Fact name="Email">
          <Delivery channel={channels.email} />
        </Fact>
        <Fact name="Push">
          <Delivery channel={channels.push} />
          {channels.push.state === 'not_set_up' && approval.status === 'PENDING' && (
            <span>
              {'. '}
              <Link to="/dashboard/settings" className={linkClass}>
                Set up
              </Link>
            </span>
          )}
        </Fact>
      </dl>
    </>
  )
}

/** The method of payment and where it goes. */
function paidTo({ address, email, phone }: NonNullable<Approval['recipient']>) {
  if (address !== null) return { method: 'address' as const, recipient: address }
  return email !== null
    ? { method: 'email' as const, recipient: email }
    : { method: 'phone' as const, recipient: phone ?? '' }
}

function Part(props: { title: string; children: ReactNode }) {
  return (
    <section aria-label={props.title}>
      <h2 className="font-medium text-muted text-small">{props.title}</h2>
      {props.children}
    </section>
  )
}

function Recipient(props: {
  recipient: NonNullable<Approval['recipient']>
  chain: Approval['wallet']['chain']
  isSeller: boolean
}) {
  const { address, email, phone } = props.recipient
  const name = useContactName(props.recipient.contactName ? null : (address ?? email ?? phone))
  const contactName = props.recipient.contactName ?? name
  return (
    <Part title={props.isSeller ? 'Paid to' : 'To'}>
      {contactName && <p className="wrap-anywhere font-medium">{contactName}</p>}
      {email && <p className="wrap-anywhere">{email}</p>}
      {phone && <p>{phone}</p>}
      {address && (
        <div className="flex flex-wrap items-start gap-x-2">
          <FullAddress address={address} />
          <span className="flex shrink-0">
            <CopyButton text={address} what="address" />
            <ExplorerLink chain={props.chain} path={`address/${address}`} label="View address in explorer" />
          </span>
        </div>
      )}
    </Part>
  )
}

/** The outcome of one channel that notifies the owner. */
const Delivery = ({ channel }: { channel: Channel }) => (
  <>
    {channelWords[channel.state]}
    {channel.at && (
      <span className="text-muted">
        {', '}
        <Time iso={channel.at} />
      </span>
    )}
  </>
)
