import { useState } from 'react'
import { useReply } from '#web/components/LateReply.tsx'
import { messageOf } from '#web/lib/apiError.ts'
import { OwnerKeyProblem } from '#web/lib/ownerKey.ts'
import { ownerTypedData } from '#web/lib/ownerTypedData.ts'
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
  const [busy, setBusy] = useState(false)
  const { replyOf, onStopWaiting } = useReply()
  const [problem, setProblem] = useState<{ message: string; isAboutKey: boolean } | null>(null)

  async function run() {
    if (!key.sign) return
    setBusy(true)
    setProblem(null)
    try {
      const { context, action, message = {} } = await replyOf(options.prepare())
      const { ownerNonce, deadline } = context
      const signature = await key.sign(ownerTypedData(wallet, action.kind, message, context))
      const { actionId } = await replyOf(submitOwnerAction(wallet.id, { ...action, ownerNonce, deadline, signature }))
      key.forget()
      refreshWallets()
      options.onStarted(actionId)
    } catch (error) {
      setBusy(false)
      const own = error instanceof Error && error.constructor === Error ? error.message : options.failed
      setProblem(
        error instanceof OwnerKeyProblem
          ? { message: error.message, isAboutKey: true }
          : { message: messageOf(error, own), isAboutKey: false },
      )
    }
  }

  return {
    run,
    busy,
    onStopWaiting,
    ready: key.sign !== null,
    /** A problem that is not about the key. */
    general: problem && !problem.isAboutKey ? problem.message : null,
    keyProps: { ...key.props, disabled: busy, error: problem?.isAboutKey ? problem.message : undefined },
  }
}
