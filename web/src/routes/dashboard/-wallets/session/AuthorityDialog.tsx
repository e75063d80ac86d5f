import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { providerDaily } from '#domain/exposure.ts'
import { maxHours } from '#domain/sessionKey.ts'
import { Button } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { Field, Input } from '#web/components/Field.tsx'
import { ErrorState, Skeleton } from '#web/components/states.tsx'
import { wholeDollars } from '#web/lib/amounts.ts'
import { unitOf } from '#web/lib/networks.ts'
import { sessionKeyQuery, walletName } from '#web/queries/wallets.ts'
import type { WalletDialogProps } from '../walletDialog.ts'
import { AuthorityRevoked, RevokeOnChain } from './RevokeOnChain.tsx'

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
          <ErrorState error={query.error} fallback="Failed to load session key info" onRetry={() => query.refetch()} />
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
            We can currently replace this wallet’s session key, granting at most {wholeDollars(providerDaily)}{' '}
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
      {...(props.onSubmit && {
        onSubmit: (event) => {
          event.preventDefault()
          props.onSubmit?.()
        },
      })}
      footer={
        <>
          <Button look="secondary" onClick={props.onBack ?? props.onClose}>
            {props.onBack ? 'Back' : 'Cancel'}
          </Button>
          {props.next}
        </>
      }
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
        <Button type="submit" look="danger" disabled={!confirmed}>
          Continue
        </Button>
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
