import { RadioChoice } from '../../../components/RadioChoice.tsx'
import { WalletOfOwner } from '../../../wallet/lazyWallet.tsx'

/** Whose key owns the new wallet: one made here, or that of the connected wallet. */
export function OwnerChoice(props: {
  ownWallet: boolean
  onChange: (ownWallet: boolean) => void
  onAddress: (address: string | null) => void
}) {
  const choices = [
    { ownWallet: false, label: 'Make a new recovery phrase', hint: 'Twelve words, made in this browser.' },
    { ownWallet: true, label: 'Use my connected wallet', hint: 'Its key signs for the owner. No new words to keep.' },
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
          <WalletOfOwner onAddress={props.onAddress} />
          <p className="text-muted text-small">
            Only this key can withdraw everything, end our access for good, or reclaim payouts without us. It has to be
            an ordinary account, not a smart wallet.
          </p>
        </div>
      )}
    </fieldset>
  )
}
