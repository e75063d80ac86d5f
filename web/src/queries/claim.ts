import { queryOptions } from '@tanstack/react-query'
import type { ClaimPayout, ClaimReply, ResendPasscodeReply, VerifyReply } from '../../../worker/schemas/escrow.ts'
import { api } from '../lib/api.ts'

export type { ClaimPayout, ClaimReply, VerifyReply }

const followMs = 2_000 // 2 seconds

/** The payout behind a claim link; followed while something is under way. */
export const claimQuery = (accessToken: string) =>
  queryOptions({
    queryKey: ['claim', accessToken],
    queryFn: ({ signal }) =>
      api.get<ClaimPayout>(`/escrow/claim/${encodeURIComponent(accessToken)}`, { public: true, signal }),
    refetchInterval: (query) => {
      const status = query.state.data?.status
      return status === 'CREATING' || status === 'CLAIMING' ? followMs : false
    },
  })

export const verifyPasscode = (accessToken: string, passcode: string) =>
  api.post<VerifyReply>('/escrow/verify-passcode', { accessToken, passcode }, { public: true })

/** A new code to where the first one went. */
export const resendPasscode = (accessToken: string) =>
  api.post<ResendPasscodeReply>('/escrow/resend-passcode', { accessToken }, { public: true })

type ClaimInput = { accessToken: string; passcode: string; sessionToken: string; recipientAddress: string }
export const claimPayout = (input: ClaimInput, idempotencyKey: string) =>
  api.post<ClaimReply>('/escrow/claim', input, { public: true, idempotencyKey })
