import { useQuery } from '@tanstack/react-query'
import { CircleCheck, LoaderCircle } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { disableRotation, disableRotationSignature } from '#chain/ownerCalls.ts'
import { providerDaily } from '#domain/exposure.ts'
import { maxHours } from '#domain/sessionKey.ts'
import { Button } from '#web/components/Button.tsx'
import { CopyBox } from '#web/components/CopyBox.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox, Field, Input } from '#web/components/Field.tsx'
import { GatedButton } from '#web/components/GatedButton.tsx'
import { ProgressDialog } from '#web/components/ProgressDialog.tsx'
import { ErrorState, Skeleton } from '#web/components/states.tsx'
import { dollars } from '#web/lib/amounts.ts'
import { networkName, unitOf } from '#web/lib/networks.ts'
import { ownerSigningContext, refreshWallets, sessionKeyQuery, type Wallet, walletName } from '#web/queries/wallets.ts'
import type { WalletDialogProps } from '../walletSearch.ts'
import { OwnerKey, useOwnerAction } from './OwnerKey.tsx'

const phrase = 'REVOKE ACCESS'
const pollMs = 2_000 // one block

/** Four steps to permanently revoke our authority to rotate this wallet's session key. */
export default function AuthorityDialog(props: WalletDialogProps) {
  const { wallet, onClose } = props
  const [step, setStep] = useState<1 | 2 | 3 | 4>(1)
  const query = useQuery({ ...sessionKeyQuery(wallet.id), refetchInterval: step === 4 ? pollMs : false })

  if (!query.data)
    return (
      <Dialog title="Revoke authority" description={walletName(wallet)} onClose={onClose}>
        {query.error ? (
          <ErrorState error={query.error} fallback="Couldn’t load the session key" onRetry={() => query.refetch()} />
        ) : (
          <Skeleton className="h-40" />
        )}
      </Dialog>
    )
  const { rotationDisabled, isActive } = query.data
  if (rotationDisabled) return <AuthorityRevoked wallet={wallet} isActive={isActive} onClose={onClose} />
  switch (step) {
    case 1:
      return (
        <Step
          {...props}
          step={1}
          title="Revoke our authority?"
          next={<Button onClick={() => setStep(2)}>Continue</Button>}
        >
          <p>
            We can currently replace this wallet’s session key, granting at most {dollars(providerDaily)}{' '}
            {unitOf(wallet.chain)} a day and {maxHours / 24} days at a time.
          </p>
          <p className="mt-3">When you revoke this authority:</p>
          <ul className="mt-2 list-disc space-y-1 pl-5 marker:text-faint">
            <li>we can never again rotate the key, raise its limit or extend its time;</li>
            <li>every renewal needs your owner key;</li>
            <li>
              the current session key stays valid until its limit or date is reached. To end it too, revoke the session.
            </li>
          </ul>
        </Step>
      )
    case 2:
      return (
        <Step
          {...props}
          step={2}
          title="This can’t be undone"
          onBack={() => setStep(1)}
          next={
            <Button look="danger" onClick={() => setStep(3)}>
              I understand
            </Button>
          }
        >
          <p className="rounded-control bg-red-tint px-4 py-3 text-red">
            The wallet’s contract has no way to restore the authority: neither you nor we can.
          </p>
          <p className="mt-3">
            Once the session key has expired, agents and this dashboard can’t pay from this wallet until you sign a
            renewal. Keep your recovery phrase where you can reach it.
          </p>
        </Step>
      )
    case 3:
      return <Confirm {...props} onBack={() => setStep(2)} onDone={() => setStep(4)} />
    case 4:
      return <RevokeOnChain wallet={wallet} onClose={onClose} />
  }
}

function Step(props: {
  wallet: WalletDialogProps['wallet']
  step: number
  title: string
  onClose: () => void
  onBack?: () => void
  onSubmit?: () => void
  next: ReactNode
  children: ReactNode
}) {
  return (
    <Dialog
      title={props.title}
      role="alertdialog"
      description={`Step ${props.step} of 4 · ${walletName(props.wallet)}`}
      onClose={props.onClose}
      onSubmit={props.onSubmit}
      cancel="Cancel"
      onBack={props.onBack}
      footer={props.next}
    >
      {props.children}
    </Dialog>
  )
}

function Confirm(props: WalletDialogProps & { onBack: () => void; onDone: () => void }) {
  const [typed, setTyped] = useState('')
  const confirmed = typed === phrase
  return (
    <Step
      {...props}
      step={3}
      title="Confirm"
      onSubmit={() => confirmed && props.onDone()}
      next={
        <GatedButton type="submit" look="danger" missing={confirmed ? null : `Type ${phrase} first.`}>
          Continue
        </GatedButton>
      }
    >
      <Field label={`Type ${phrase} to continue`} hint="Exactly as written, in capitals.">
        {(control) => (
          <Input
            {...control}
            name="confirmation"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
      </Field>
    </Step>
  )
}

/** The last step: the owner signs here, or sends the call from their own account. */
function RevokeOnChain(props: WalletDialogProps) {
  const { wallet } = props
  const [sent, setSent] = useState(false)
  const owner = useOwnerAction({
    wallet,
    failed: 'Failed to revoke authority. Please try again or contact support.',
    onStarted: () => setSent(true),
    prepare: async () => ({ context: await ownerSigningContext(wallet.id), action: { kind: 'disableRotation' } }),
  })
  return (
    <Dialog
      title="Revoke it on chain"
      description={`Step 4 of 4 · ${walletName(wallet)}`}
      onClose={props.onClose}
      {...owner.dialog}
      locked={owner.busy && !sent}
      onSubmit={owner.run}
      footer={
        <>
          <Button look="secondary" onClick={props.onClose}>
            Close
          </Button>
          {!sent && (
            <GatedButton type="submit" look="danger" busy={owner.busy} missing={owner.missing}>
              Sign and revoke authority
            </GatedButton>
          )}
        </>
      }
    >
      <div className="space-y-4">
        {owner.general && <ErrorBox>{owner.general}</ErrorBox>}
        {!sent && (
          <>
            <p>Sign here. We submit it and cover the network fee.</p>
            <OwnerKey {...owner.keyProps} />
            <div className="border-hairline border-t pt-4">
              <p className="font-medium">Or send it yourself</p>
              <p className="mt-1 text-muted text-small">
                From the owner’s account on {networkName(wallet.chain)}, with any wallet that can send a contract call,
                or with the recovery page.
              </p>
              <div className="mt-2 space-y-2">
                <CopyBox name="Contract" value={wallet.address} what="contract" />
                <CopyBox name="Function" value={disableRotationSignature} what="function" />
                <CopyBox name="Calldata" value={disableRotation()} what="calldata" />
              </div>
            </div>
          </>
        )}
        <p role="status" data-testid="authority-watch" className="flex items-center gap-2 text-muted text-small">
          <LoaderCircle aria-hidden="true" className="size-4 shrink-0 animate-spin" />
          {sent
            ? `Sent. Waiting for confirmation on ${networkName(wallet.chain)}.`
            : 'Watching the chain: this page notices when it is done.'}
        </p>
      </div>
    </Dialog>
  )
}

/** Shown once the revocation is confirmed on chain. */
function AuthorityRevoked(props: { wallet: Wallet; isActive: boolean; onClose: () => void }) {
  useEffect(() => {
    void refreshWallets()
  }, [])
  return (
    <ProgressDialog
      step="done"
      titles={{ done: 'Authority revoked' }}
      description={walletName(props.wallet)}
      onClose={props.onClose}
    >
      <p data-testid="authority-revoked" className="flex items-start gap-2">
        <CircleCheck aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-green" />
        Confirmed on {networkName(props.wallet.chain)}: we can never again rotate this wallet’s session key.
      </p>
      {props.isActive && (
        <p className="text-muted">
          The current session key stays valid until its limit or date is reached. To end it, choose Session key, then
          Revoke session.
        </p>
      )}
    </ProgressDialog>
  )
}
