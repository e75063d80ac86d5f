import type { ApiCalls } from '#schemas/api.ts'
import type { OwnerSigningContext, WalletActionView } from '#schemas/sessionKey.ts'
import { api } from '../lib/api.ts'

export type { OwnerSigningContext, WalletActionView }

/** Whole micro-USDC as text, and hours. */
export type Grant = { spendingLimit: string; ttlHours: number }

export const rotateSessionKey = (walletId: string, grant: Grant, idempotencyKey: string) =>
  api('POST /wallets/smart-wallets-v2/:walletId/rotate-session-key', {
    params: { walletId },
    body: grant,
    idempotencyKey,
  })

/** A new session key held by us, which takes effect once the owner has signed for it. */
export const offerSession = (walletId: string, grant: Grant, idempotencyKey: string) =>
  api('POST /wallets/smart-wallets-v2/:walletId/session-offers', { params: { walletId }, body: grant, idempotencyKey })

/** What the owner's next signature must bind. */
export const ownerSigningContext = (walletId: string) =>
  api('GET /wallets/smart-wallets-v2/:walletId/owner-signing-context', { params: { walletId } })

export type OwnerAction = ApiCalls['POST /wallets/smart-wallets-v2/:walletId/owner-actions']['body']
export const submitOwnerAction = (walletId: string, body: OwnerAction) =>
  api('POST /wallets/smart-wallets-v2/:walletId/owner-actions', { params: { walletId }, body })
