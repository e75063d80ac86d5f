import { useState } from 'react'
import { Field } from '#web/components/Field.tsx'
import { RadioChoice } from '#web/components/RadioChoice.tsx'
import { signWithTyped } from '#web/lib/ownerKey.ts'
import type { SignOwnerAction } from '#web/lib/ownerTypedData.ts'
import { LazyOwnerSigner } from '#web/wallet/lazyWallet.tsx'

/** Lets the owner sign with the connected wallet or a typed key. `sign` is null while the chosen wallet can't sign. */
export function useOwnerKey(owner: string) {
  const [by, setBy] = useState<'typed' | 'wallet'>('typed')
  const [secret, setSecret] = useState('')
  const [walletSign, setWalletSign] = useState<SignOwnerAction | null>(null)
  const sign: SignOwnerAction | null = by === 'typed' ? (data) => signWithTyped(secret, owner, data) : walletSign
  return {
    sign,
    /** Removes the typed key from the page. Call it as soon as the key has signed. */
    forget: () => setSecret(''),
    props: {
      owner,
      by,
      secret,
      onBy: setBy,
      onSecret: setSecret,
      onSigner: (next: SignOwnerAction | null) => setWalletSign(() => next),
    },
  }
}

const ways = [
  { by: 'typed', label: 'Recovery phrase or private key', hint: 'Signs in this browser. It is never sent or stored.' },
  { by: 'wallet', label: 'My connected wallet', hint: 'For wallets whose owner is an account you connect.' },
] as const

/** The fields for `useOwnerKey`: the choice of how to sign, and the typed key or connected wallet. */
export function OwnerKey(
  props: ReturnType<typeof useOwnerKey>['props'] & { error?: string | undefined; disabled?: boolean },
) {
  return (
    <fieldset disabled={props.disabled}>
      <legend className="mb-1 font-medium text-small">Sign with your owner key</legend>
      <p className="mb-2 break-all font-mono text-muted text-small">{props.owner}</p>
      {ways.map(({ by, label, hint }) => (
        <RadioChoice
          key={by}
          name="owner-key"
          label={label}
          hint={hint}
          checked={props.by === by}
          onChoose={() => props.onBy(by)}
        />
      ))}
      <div className="mt-2">
        {props.by === 'wallet' ? (
          <LazyOwnerSigner owner={props.owner} onSigner={props.onSigner} />
        ) : (
          <Field label="Recovery phrase or private key" error={props.error}>
            {(control) => (
              <textarea
                {...control}
                name="ownerSecret"
                rows={3}
                autoComplete="off"
                autoCapitalize="none"
                autoCorrect="off"
                spellCheck={false}
                data-private
                value={props.secret}
                onChange={(event) => props.onSecret(event.target.value)}
                className="w-full resize-none rounded-control border border-control bg-card px-3 py-2 font-mono text-small disabled:bg-sunken aria-invalid:border-red"
              />
            )}
          </Field>
        )}
      </div>
    </fieldset>
  )
}
