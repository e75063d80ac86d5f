import type { ApiCalls } from '#schemas/api.ts'
import type { OwnerSigningContext, WalletActionView } from '#schemas/sessionKey.ts'
import { api } from '../lib/api.ts'

export type { OwnerSigningContext, WalletActionView }

/** Limit as a string of whole micro-USDC, and lifetime in hours. */
export type Grant = { spendingLimit: string; ttlHours: number }

export const rotateSessionKey = (walletId: string, grant: Grant, idempotencyKey: string) =>
  api('POST /wallets/smart-wallets-v2/:walletId/rotate-session-key', {
    params: { walletId },
    body: grant,
    idempotencyKey,
  })

/** Creates a session key that Bursar holds. It takes effect once the owner has signed for it. */
export const offerSession = (walletId: string, grant: Grant, idempotencyKey: string) =>
  api('POST /wallets/smart-wallets-v2/:walletId/session-offers', { params: { walletId }, body: grant, idempotencyKey })

/** The values that the owner's next signature must include. */
export const ownerSigningContext = (walletId: string) =>
  api('GET /wallets/smart-wallets-v2/:walletId/owner-signing-context', { params: { walletId } })

export type OwnerAction = ApiCalls['POST /wallets/smart-wallets-v2/:walletId/owner-actions']['body']
export const submitOwnerAction = (walletId: string, body: OwnerAction) =>
  api('POST /wallets/smart-wallets-v2/:walletId/owner-actions', { params: { walletId }, body })
