import { type ComponentProps, useState } from 'react'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox, Field } from '#web/components/Field.tsx'
import { GatedButton } from '#web/components/GatedButton.tsx'
import { RadioChoices } from '#web/components/RadioChoices.tsx'
import { messageOf } from '#web/lib/apiError.ts'
import { OwnerKeyProblem, signWithTyped } from '#web/lib/ownerKey.ts'
import { ownerTypedData, type SignOwnerAction } from '#web/lib/ownerTypedData.ts'
import { useAction } from '#web/lib/useAction.ts'
import { useReply } from '#web/lib/useDialogAction.ts'
import {
  type OwnerAction,
  type OwnerSigningContext,
  refreshWallets,
  submitOwnerAction,
  type Wallet,
} from '#web/queries/wallets.ts'
import { LazyOwnerSigner } from '#web/wallet/lazyWallet.tsx'

/** Lets the owner sign with the connected wallet or a typed key. `sign` is null while the chosen wallet can't sign. */
function useOwnerKey(owner: string) {
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
  {
    value: 'typed',
    label: 'Recovery phrase or private key',
    hint: 'Signs in this browser. It is never sent or stored.',
  },
  { value: 'wallet', label: 'My connected wallet', hint: 'For wallets whose owner is an account you connect.' },
] as const

/** The fields for `useOwnerKey`: the choice of how to sign, and the typed key or connected wallet. */
export function OwnerKey(
  props: ReturnType<typeof useOwnerKey>['props'] & { error?: string | undefined; disabled?: boolean },
) {
  return (
    <fieldset disabled={props.disabled}>
      <legend className="mb-1 font-medium text-small">Sign with your owner key</legend>
      <p translate="no" className="mb-2 break-all font-mono text-muted text-small">
        {props.owner}
      </p>
      <RadioChoices name="owner-key" choices={ways} value={props.by} onChange={props.onBy} />
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

type Unsigned<Action> = Action extends unknown ? Omit<Action, 'ownerNonce' | 'deadline' | 'signature'> : never

type Prepared = {
  context: OwnerSigningContext
  action: Unsigned<OwnerAction>
  /** Fields of the struct that the owner signs, without nonce and deadline. */
  message?: Record<string, string | number | bigint>
}

/** An owner action: `prepare` asks the server what to sign, the owner signs it in the browser, the server submits it. */
export function useOwnerAction(options: {
  wallet: Wallet
  prepare: () => Promise<Prepared>
  /** Message if there is no reason to show. */
  failed: string
  onStarted: (actionId: string) => void
}) {
  const { wallet } = options
  const key = useOwnerKey(wallet.ownerAddress)
  // Only replies of the server can be late: the owner may take any time to sign in their wallet.
  const { replyOf, onStopWaiting } = useReply()
  const signing = useAction(
    async () => {
      const { context, action, message = {} } = await replyOf(options.prepare())
      const { ownerNonce, deadline } = context
      const signature = await key.sign!(ownerTypedData(wallet, action.kind, message, context))
      return replyOf(submitOwnerAction(wallet.id, { ...action, ownerNonce, deadline, signature }))
    },
    {
      fallback: (error) =>
        error instanceof OwnerKeyProblem || (error instanceof Error && error.constructor === Error)
          ? error.message
          : messageOf(error, options.failed),
      onDone({ actionId }) {
        key.forget()
        refreshWallets()
        options.onStarted(actionId)
      },
      leaves: true,
    },
  )
  const { busy, problem, error } = signing
  const isAboutKey = error instanceof OwnerKeyProblem
  return {
    run: () => (key.sign ? signing.start() : undefined),
    busy,
    /** For the dialog in which the owner signs. */
    dialog: { locked: busy, onStopWaiting },
    /** What is missing before the owner can sign; null if nothing is. */
    missing: key.sign === null ? 'Connect the owner’s account first.' : null,
    /** A problem that is not about the key. */
    general: isAboutKey ? null : problem,
    keyProps: { ...key.props, disabled: busy, error: (isAboutKey && problem) || undefined },
  }
}

/** A dialog in which the owner signs `owner`: what it is about above the key, and the button that signs. */
export function OwnerDialog(
  props: Omit<ComponentProps<typeof Dialog>, 'footer' | 'onSubmit' | 'locked'> & {
    owner: ReturnType<typeof useOwnerAction>
    sign: string
    isDanger?: boolean
    disabled?: boolean
    /** Checks the form before the owner signs. Default: signs. */
    onSubmit?: ComponentProps<typeof Dialog>['onSubmit']
  },
) {
  const { owner, sign, isDanger = false, disabled = false, onSubmit = owner.run, children, ...dialog } = props
  return (
    <Dialog
      {...dialog}
      {...owner.dialog}
      onSubmit={onSubmit}
      footer={
        <GatedButton
          type="submit"
          look={isDanger ? 'danger' : 'primary'}
          busy={owner.busy}
          disabled={disabled}
          missing={owner.missing}
        >
          {sign}
        </GatedButton>
      }
    >
      <div className="space-y-4">
        {owner.general && <ErrorBox>{owner.general}</ErrorBox>}
        <div className="space-y-4">{children}</div>
        <OwnerKey {...owner.keyProps} />
      </div>
    </Dialog>
  )
}
