import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { purchaseScope } from '#domain/scopes.ts'
import { rotateSessionKey, sessionKeyQuery, type Wallet } from '#web/queries/wallets.ts'
import { firstPurchases, type GrantValues, grantOf, typedAllowance } from '../-wallets/session/grant.ts'
import type { ConsentValues } from './consentForm.ts'

/** 'proposed' with what a rotation would give; 'later' if the owner has to sign, or there is too little to share. */
export type FirstAllowance = { state: 'proposed'; grant: GrantValues } | { state: 'later' }

/**
 * What the wallet's session is to keep for purchases, if a new group may make them and nothing is kept yet; otherwise null.
 * `keep` starts the rotation: once, although the app's permission may be refused and tried again. `hasFailed` is true for an
 * error that `keep` threw.
 */
export function useFirstAllowance(form: UseFormReturn<ConsentValues>, wallets: Wallet[]) {
  const [agentId, groupId, walletId, scopes] = form.watch(['agentId', 'groupId', 'walletId', 'scopes'])
  const buys = agentId === '' && groupId === '' && scopes.includes(purchaseScope)
  const isSmart = wallets.find(({ id }) => id === walletId)?.walletType === 'smart'
  const info = useQuery({ ...sessionKeyQuery(walletId), enabled: buys && isSmart }).data
  const [openedAt] = useState(Date.now)
  const key = useRef(crypto.randomUUID())
  const kept = useRef<string>(undefined)
  const failure = useRef<unknown>(undefined)
  const grant = info?.canRotate ? firstPurchases(info, openedAt) : null
  const first: FirstAllowance | null =
    !buys || !isSmart || info?.purchaseAllowance !== 0
      ? null
      : grant
        ? { state: 'proposed', grant }
        : { state: 'later' }

  const propose = useEffectEvent(() => form.setValue('allowance', grant?.allowance ?? ''))
  const isProposed = first?.state === 'proposed'
  // biome-ignore lint/correctness/useExhaustiveDependencies: each wallet has a proposal of its own
  useEffect(() => {
    if (isProposed) propose()
  }, [isProposed, walletId])

  async function keep({ allowance }: ConsentValues): Promise<void> {
    if (first?.state !== 'proposed' || typedAllowance(allowance) === 0 || kept.current === walletId) return
    const body = grantOf({ ...first.grant, allowance })
    try {
      await rotateSessionKey(walletId, body, [key.current, walletId, ...Object.values(body)].join(':'))
    } catch (error) {
      failure.current = error
      throw error
    }
    kept.current = walletId
  }
  return { first, keep, hasFailed: (error: unknown) => error === failure.current }
}
