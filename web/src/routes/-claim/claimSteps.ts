import type { ClaimPayout } from '#web/queries/claim.ts'
import { isOwnWithdrawal, keptSession, lastRequest, type Verified } from './claimProgress.ts'

/** Where a recipient is. The payout's status decides what is shown; the step remembers what the status does not tell. */
export type Step =
  /** `problem` is set if an earlier claim session has ended or its transfer failed; `address` is the one entered then. */
  | { step: 'verify'; problem?: string | undefined; address?: string | undefined }
  | { step: 'withdraw'; verified: Verified; problem?: string | undefined; address?: string | undefined }
  /** A withdrawal was requested; `known` is what the server has said about it: nothing, its reply, or the payout's status. */
  | { step: 'claiming'; verified: Verified | null; known: 'requested' | 'accepted' | 'seen' }
  | { step: 'complete' }

export const transferFailed =
  'The transfer did not go through and your money is still here. Try again, or choose another address.'

/** Time within which the server is sure to show a withdrawal that it has accepted. */
const acceptedMs = 15_000 // 15 seconds

/** The step at which this browser was before a reload. */
export function restoredStep(accessToken: string, payout: ClaimPayout): Step {
  const verified = keptSession(accessToken)
  const { address, sentAt } = lastRequest(payout.id)
  if (sentAt !== null && payout.status === 'CREATED') return { step: 'claiming', verified, known: 'requested' }
  return verified ? { step: 'withdraw', verified, address } : { step: 'verify', address }
}

/** The step after the server has reported `payout`. Returns the same object if nothing changes. `now` in ms. */
export function nextStep(state: Step, payout: ClaimPayout, now: number): Step {
  const verified = 'verified' in state ? state.verified : null
  switch (payout.status) {
    case 'CLAIMING':
      return state.step === 'claiming' && state.known === 'seen' ? state : { step: 'claiming', verified, known: 'seen' }
    case 'WITHDRAWN':
      return state.step === 'claiming' && isOwnWithdrawal(payout) ? { step: 'complete' } : state
    case 'CREATED': {
      const { address, sentAt } = lastRequest(payout.id)
      if (state.step !== 'claiming' || (state.known !== 'seen' && now - (sentAt ?? 0) < acceptedMs)) return state
      const after = { problem: transferFailed, address }
      return verified ? { step: 'withdraw', verified, ...after } : { step: 'verify', ...after }
    }
    default:
      return state
  }
}
