import type { OwnerActionKind } from '../../../worker/domain/sessionKey.ts'
import type {
  OwnerActionReply,
  OwnerTurn,
  RotateReply,
  SessionOffer,
  WalletActionView,
} from '../../../worker/schemas/sessionKey.ts'
import { api } from '../lib/api.ts'

export type { OwnerTurn, SessionOffer, WalletActionView }

const path = (walletId: string, call: string) => `/wallets/smart-wallets-v2/${encodeURIComponent(walletId)}/${call}`

/** Whole micro-USDC as text, and hours. */
export type Grant = { spendingLimit: string; ttlHours: number }

export const rotateSessionKey = (walletId: string, grant: Grant, idempotencyKey: string) =>
  api.post<RotateReply>(path(walletId, 'rotate-session-key'), grant, { idempotencyKey })

/** A fresh key of ours for the owner to put in force by signing. */
export const offerSession = (walletId: string, grant: Grant, idempotencyKey: string) =>
  api.post<SessionOffer>(path(walletId, 'session-offers'), grant, { idempotencyKey })

export const ownerTurn = (walletId: string) => api.get<OwnerTurn>(path(walletId, 'owner-turn'))

type Signed = { ownerNonce: string; deadline: number; signature: string }
export const submitOwnerAction = (
  walletId: string,
  action: Signed & { kind: OwnerActionKind; actionId?: string; to?: string; amount?: string },
) => api.post<OwnerActionReply>(path(walletId, 'owner-actions'), action)
