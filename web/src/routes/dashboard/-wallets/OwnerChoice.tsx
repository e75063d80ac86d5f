import { RadioChoice } from '#web/components/RadioChoice.tsx'
import { LazyOwnerWallet } from '#web/wallet/lazyWallet.tsx'

/** Chooses the key that owns the new wallet: one generated here, or the connected wallet's. */
export function OwnerChoice(props: {
  ownWallet: boolean
  onChange: (ownWallet: boolean) => void
  onAddress: (address: string | null) => void
}) {
  const choices = [
    { ownWallet: false, label: 'Generate a new recovery phrase', hint: 'Twelve words, generated in this browser.' },
    {
      ownWallet: true,
      label: 'Use my connected wallet',
      hint: 'Its account becomes the owner. There is no new phrase to keep.',
    },
  ]
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-small">Owner key</legend>
      {choices.map(({ ownWallet, label, hint }) => (
        <RadioChoice
          key={label}
          name="owner"
          label={label}
          hint={hint}
          checked={props.ownWallet === ownWallet}
          onChoose={() => props.onChange(ownWallet)}
        />
      ))}
      {props.ownWallet && (
        <div className="mt-2 space-y-3">
          <LazyOwnerWallet onAddress={props.onAddress} />
          <p className="text-muted text-small">
            Only this key can withdraw everything, end our access permanently, or reclaim payouts without us. It must be
            an ordinary account, not a smart wallet.
          </p>
        </div>
      )}
    </fieldset>
  )
}
