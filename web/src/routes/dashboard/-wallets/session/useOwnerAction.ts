import { messageOf } from '#web/lib/apiError.ts'
import { OwnerKeyProblem } from '#web/lib/ownerKey.ts'
import { ownerTypedData } from '#web/lib/ownerTypedData.ts'
import { useAction } from '#web/lib/useAction.ts'
import { useReply } from '#web/lib/useDialogAction.ts'
import { type OwnerAction, type OwnerSigningContext, submitOwnerAction } from '#web/queries/sessionKeys.ts'
import { refreshWallets, type Wallet } from '#web/queries/wallets.ts'
import { useOwnerKey } from './OwnerKey.tsx'

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
    onStopWaiting,
    ready: key.sign !== null,
    /** A problem that is not about the key. */
    general: isAboutKey ? null : problem,
    keyProps: { ...key.props, disabled: busy, error: (isAboutKey && problem) || undefined },
  }
}
