import { useState } from 'react'
import type { OwnerActionKind } from '../../../../../../worker/domain/sessionKey.ts'
import { messageOf } from '../../../../lib/api.ts'
import { OwnerKeyProblem } from '../../../../lib/ownerKey.ts'
import { ownerTypedData } from '../../../../lib/ownerTypedData.ts'
import { type OwnerTurn, submitOwnerAction } from '../../../../queries/sessionKeys.ts'
import { refreshWallets, type Wallet } from '../../../../queries/wallets.ts'
import { useOwnerKey } from './OwnerKey.tsx'

type Prepared = {
  turn: OwnerTurn
  /** What the contract calls it, without the turn. */
  message?: Record<string, string | number | bigint>
  /** What the server has to know besides. */
  input?: { actionId?: string; to?: string; amount?: string }
}

/** One act of the owner: ask what to sign, sign it here, hand it to the relayer (the fee is covered). */
export function useOwnerAction(options: {
  wallet: Wallet
  kind: OwnerActionKind
  prepare: () => Promise<Prepared>
  failed: string
  onStarted: (actionId: string) => void
}) {
  const { wallet, kind } = options
  const key = useOwnerKey(wallet.ownerAddress)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<{ message: string; key: boolean } | null>(null)

  async function run() {
    if (!key.sign) return
    setBusy(true)
    setProblem(null)
    try {
      const { turn, message = {}, input = {} } = await options.prepare()
      const signature = await key.sign(ownerTypedData(wallet, kind, message, turn))
      const { ownerNonce, deadline } = turn
      const { actionId } = await submitOwnerAction(wallet.id, { kind, ...input, ownerNonce, deadline, signature })
      key.forget()
      refreshWallets()
      options.onStarted(actionId)
    } catch (error) {
      setBusy(false)
      const own = error instanceof Error && error.constructor === Error ? error.message : options.failed
      setProblem(
        error instanceof OwnerKeyProblem
          ? { message: error.message, key: true }
          : { message: messageOf(error, own), key: false },
      )
    }
  }

  return {
    run,
    busy,
    ready: key.sign !== null,
    general: problem && !problem.key ? problem.message : null,
    keyProps: { ...key.props, disabled: busy, error: problem?.key ? problem.message : undefined },
  }
}
