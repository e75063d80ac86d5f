import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { saturatingSub } from '#domain/money.ts'
import { allowanceInMicro, sendLimitOf } from '#domain/sessionKey.ts'
import { ShortAddress } from '#web/components/Address.tsx'
import { Fact } from '#web/components/Card.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { GatedButton } from '#web/components/GatedButton.tsx'
import { ErrorState, Skeleton } from '#web/components/states.tsx'
import { dollars } from '#web/lib/amounts.ts'
import { formatMoment } from '#web/lib/format.ts'
import { type Chain, networkName } from '#web/lib/networks.ts'
import { type SessionKeyInfo, sessionKeyQuery, type WalletActionView, walletName } from '#web/queries/wallets.ts'
import { renewalLabel, SessionKeyChip } from '../SessionKey.tsx'
import type { WalletDialogProps } from '../walletSearch.ts'
import { ActionProgress } from './ActionProgress.tsx'
import { Exposure } from './Exposure.tsx'
import { RenewForm, RevokeForm, RotateForm } from './SessionForms.tsx'

type Step =
  | { step: 'info' }
  | { step: 'rotate' }
  /** The owner signs, because we may not rotate or the grant exceeds what we may give. */
  | { step: 'renew' }
  | { step: 'revoke' }
  | { step: 'follow'; actionId: string; kind: 'rotate' | 'renew' | 'revoke' }

const words = {
  rotate: {
    running: 'Rotating the session key',
    done: 'Session key rotated',
    failed: 'Session key not rotated',
    after: 'The old key can no longer move anything.',
  },
  renew: {
    running: 'Renewing the session key',
    done: 'Session key renewed',
    failed: 'Session key not renewed',
    after: 'The old key can no longer move anything.',
  },
  revoke: {
    running: 'Revoking the session key',
    done: 'Session key revoked',
    failed: 'Session key not revoked',
    after: 'Nothing leaves this wallet without you until you set another session key.',
  },
}

/**
 * A wallet's session key: what it may spend, until when, and how to renew or revoke it. With `isForPurchases`, it begins with
 * a new key that keeps a part of the limit for purchases, if the present one keeps nothing.
 */
export default function SessionDialog(props: WalletDialogProps & { isForPurchases?: boolean }) {
  const { wallet, onClose, isForPurchases = false } = props
  const [chosen, setState] = useState<Step | null>(null)
  const query = useQuery(sessionKeyQuery(wallet.id))
  const info = query.data
  const isFirst = isForPurchases && info?.purchaseAllowance === 0
  const wanted: Step = chosen ?? { step: isFirst ? 'rotate' : 'info' }
  const state: Step = wanted.step === 'rotate' && info?.canRotate === false ? { step: 'renew' } : wanted
  const back = isFirst && !chosen ? undefined : () => setState({ step: 'info' })
  const follow = (kind: 'rotate' | 'renew' | 'revoke') => (actionId: string) =>
    setState({ step: 'follow', actionId, kind })

  if (state.step === 'follow')
    return <ActionProgress wallet={wallet} actionId={state.actionId} words={words[state.kind]} onClose={onClose} />
  const form = info && { wallet, info, isForPurchases: isFirst, onBack: back, onClose }
  if (form && state.step === 'rotate')
    return <RotateForm {...form} onOwner={() => setState({ step: 'renew' })} onStarted={follow('rotate')} />
  if (form && state.step === 'renew') return <RenewForm {...form} onStarted={follow('renew')} />
  if (info && state.step === 'revoke') {
    const onBack = () => setState({ step: 'info' })
    return <RevokeForm wallet={wallet} onBack={onBack} onStarted={follow('revoke')} onClose={onClose} />
  }

  const open = info?.actions.find(({ endedAt, kind }) => endedAt === null && kind !== 'withdraw')
  return (
    <Dialog
      isViewOnly
      title="Session Key Management"
      description={walletName(wallet)}
      onClose={onClose}
      footer={
        <>
          {info && !info.sessionRevoked && (
            <GatedButton
              look="secondary"
              missing={info.isActive ? null : 'The session key is not valid.'}
              onClick={() => setState({ step: 'revoke' })}
            >
              Revoke session
            </GatedButton>
          )}
          {info && (
            <GatedButton
              missing={open ? 'A change to this key is being confirmed.' : null}
              onClick={() => setState({ step: 'rotate' })}
            >
              {renewalLabel(info)}
            </GatedButton>
          )}
        </>
      }
    >
      {info ? (
        <div className="space-y-4">
          <Exposure wallet={wallet} info={info} />
          {open && (
            <p role="status" className="flex flex-wrap items-center justify-between gap-2 text-amber text-small">
              A change to this key is being confirmed on {networkName(wallet.chain)}.
              <button
                type="button"
                className="min-h-6 rounded-sm underline underline-offset-3"
                onClick={() => follow(kindOf(open))(open.id)}
              >
                View progress
              </button>
            </p>
          )}
          <Facts info={info} chain={wallet.chain} chip={<SessionKeyChip query={query} />} />
          {info.isExpired && <p className="text-red text-small">Rotate to enable transactions again</p>}
        </div>
      ) : query.error ? (
        <ErrorState error={query.error} fallback="Couldn’t load the session key" onRetry={() => query.refetch()} />
      ) : (
        <div className="space-y-3">
          <Skeleton className="h-16" />
          <Skeleton className="h-40" />
        </div>
      )}
    </Dialog>
  )
}

const kindOf = ({ kind }: WalletActionView) =>
  kind === 'rotate' ? 'rotate' : kind === 'revokeSession' ? 'revoke' : 'renew'

function Facts(props: { info: SessionKeyInfo; chain: Chain; chip: React.ReactNode }) {
  const { info } = props
  const used = BigInt(info.spentAmount) + BigInt(info.heldAmount)
  const sendLimit = sendLimitOf(BigInt(info.spendingLimit), info.purchaseAllowance)
  return (
    <>
      <dl className="divide-y divide-hairline" data-testid="session-facts">
        <Fact name="Status">{props.chip}</Fact>
        <Fact name="Key">
          <ShortAddress address={info.address} chain={props.chain} />
        </Fact>
        <Fact name="Spending limit">{dollars(BigInt(info.spendingLimit))}</Fact>
        <Fact name="For purchases">{dollars(allowanceInMicro(info.purchaseAllowance))}</Fact>
        <Fact name="Spent">{dollars(BigInt(info.spentAmount))}</Fact>
        {info.heldAmount !== '0' && <Fact name="In payments in progress">{dollars(BigInt(info.heldAmount))}</Fact>}
        <Fact name="Left for sends">{dollars(info.isActive ? saturatingSub(sendLimit, used) : 0n)}</Fact>
        <Fact name="Valid until">{formatMoment(info.validUntil * 1000)}</Fact>
        <Fact name="Rotation">
          {info.rotationDisabled
            ? 'Only you can: we no longer have access'
            : info.sessionRevoked
              ? 'Only you can: you revoked the session'
              : 'By Bursar, or by you'}
        </Fact>
      </dl>
      <p className="text-muted text-small">
        “Spent” is everything this key has paid, excluding purchases. A payout that you reclaim is returned to the
        wallet and deducted from total spent, but not from this limit.
      </p>
    </>
  )
}
