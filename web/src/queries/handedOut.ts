import { queryOptions } from '@tanstack/react-query'
import { microUsdc, saturatingSub } from '#domain/money.ts'
import { allowanceInMicro, maxHours, minLimit } from '#domain/sessionKey.ts'
import { hourMs } from '#domain/time.ts'
import type { ApiCalls } from '#schemas/api.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'
import { type Grant, refreshWallets, rotateSessionKey, type SessionKeyInfo, sessionKeyQuery } from './wallets.ts'

export type HandedOut = ApiCalls['GET /account/handed-out']['reply'][number]

const pollMs = 3_000 // 3 seconds

/** Purchases that were handed out and not settled, by wallet and agent. Read anew by every dialog that shows it. */
export const handedOutQuery = queryOptions({
  queryKey: ['handed-out'],
  queryFn: ({ signal }) => api('GET /account/handed-out', { signal }),
  refetchInterval: pollMs,
  staleTime: 0,
  gcTime: 0,
})

type Present = Pick<SessionKeyInfo, 'spendingLimit' | 'spentAmount' | 'heldAmount' | 'purchaseAllowance' | 'validUntil'>

/**
 * A grant that replaces the present session by an equal one: sends may use what they have left, purchases their allowance
 * again, until about the same time. Hours are whole, so the last one may be rounded up.
 */
export function renewedGrant(present: Present, now: number): Grant {
  const { spendingLimit, spentAmount, heldAmount, purchaseAllowance, validUntil } = present
  const left = saturatingSub(microUsdc(BigInt(spendingLimit)), BigInt(spentAmount) + BigInt(heldAmount))
  const least = allowanceInMicro(purchaseAllowance)
  const most = (one: bigint, other: bigint) => (one > other ? one : other)
  const limit = most(left, most(least, minLimit))
  const hours = Math.floor((validUntil * 1000 - now) / hourMs)
  return { spendingLimit: String(limit), ttlHours: Math.min(Math.max(hours, 1), maxHours) }
}

/** Ends all purchases that were handed out from a smart wallet, by a new session key. Takes effect in the next blocks. */
export async function endHandedOut(walletId: string, idempotencyKey: string): Promise<void> {
  const present = await queryClient.fetchQuery({ ...sessionKeyQuery(walletId), staleTime: 0 })
  await rotateSessionKey(walletId, renewedGrant(present, Date.now()), idempotencyKey)
  await refreshWallets()
}
