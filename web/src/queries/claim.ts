import { queryOptions } from '@tanstack/react-query'
import { api } from '../lib/api.ts'
import { startEarly } from '../lib/http.ts'
import { type ClaimPayout, claimPayoutOf } from './apiWords.ts'

export type { ClaimPayout }

const pollMs = 2_000 // 2 seconds

/** The page usually ends with the reply to its first call (web/functions/claimPage.ts). */
async function takeServedReply(): Promise<void> {
  if (document.readyState === 'loading')
    await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve))
  const served = document.getElementById('reply')
  if (!served) return
  served.remove()
  const { status, body } = JSON.parse(served.textContent) as { status: number; body: unknown }
  startEarly(`/escrow${location.pathname}`, Promise.resolve(Response.json(body, { status })))
}

/** The payout behind a claim link; polled while it is being funded or claimed. */
export const claimQuery = (accessToken: string) =>
  queryOptions({
    queryKey: ['claim', accessToken],
    queryFn: async ({ signal }) => {
      await takeServedReply()
      return claimPayoutOf(
        await api('GET /escrow/claim/:accessToken', { public: true, params: { accessToken }, signal }),
      )
    },
    refetchInterval: (query) => {
      const status = query.state.data?.status
      return status === 'CREATING' || status === 'CLAIMING' ? pollMs : false
    },
  })

export const verifyPasscode = (accessToken: string, passcode: string) =>
  api('POST /escrow/verify-passcode', { public: true, body: { accessToken, passcode } })

/** Sends a new code to the same email address or phone number. */
export const resendPasscode = (accessToken: string) =>
  api('POST /escrow/resend-passcode', { public: true, body: { accessToken } })

/** Sends a receipt to the payout's own email address. */
export const sendReceipt = (accessToken: string) => api('POST /escrow/receipt', { public: true, body: { accessToken } })

type ClaimInput = {
  accessToken: string
  passcode?: string
  sessionToken: string
  recipientAddress: string
  /** With the domain of the passkey that opens the address. */
  kept?: true
  passkeyDomain?: string
}
export const claimPayout = (body: ClaimInput, idempotencyKey: string) =>
  api('POST /escrow/claim', { public: true, body, idempotencyKey })
