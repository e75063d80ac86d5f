import { useQuery } from '@tanstack/react-query'
import { purchaseScope } from '#domain/scopes.ts'
import type { PolicyGroup } from '#web/queries/agents.ts'
import { sessionKeyQuery, type Wallet, walletsQuery } from '#web/queries/wallets.ts'
import { type GrantValues, grantWithPurchases } from '../-wallets/session/grant.ts'

/**
 * The wallet and what is proposed for it, if the policy would let agents buy, the group did not before, and the wallet's
 * session keeps nothing for purchases. Otherwise null.
 */
export function useFirstPurchases(
  typed: { scopes: readonly string[]; walletId: string },
  before: PolicyGroup | null,
): { wallet: Wallet; proposed: GrantValues } | null {
  const buys = typed.scopes.includes(purchaseScope) && !before?.scopes.includes(purchaseScope)
  const wallet = useQuery(walletsQuery).data?.find(({ id }) => id === typed.walletId)
  const info = useQuery({ ...sessionKeyQuery(typed.walletId), enabled: buys && wallet?.walletType === 'smart' }).data
  if (!buys || !wallet || info?.purchaseAllowance !== 0) return null
  return { wallet, proposed: grantWithPurchases(info, Date.now()) }
}
