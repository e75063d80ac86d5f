import type { SendOnReply } from '#schemas/sendOn.ts'
import { api } from '../lib/api.ts'

export type { SendOnReply }
/** A signed transfer, as it is sent and repeated. */
export type SendOnInput = {
  accessToken: string
  to: string
  /** Decimal USDC. */
  amount: string
  /** Unix seconds. */
  validBefore: number
  nonce: string
  signature: string
}

export const sendOn = (body: SendOnInput) => api('POST /escrow/send-on', { public: true, body })

export const sentOn = ({ accessToken, nonce }: Pick<SendOnInput, 'accessToken' | 'nonce'>, signal?: AbortSignal) =>
  api('GET /escrow/send-on/:accessToken', {
    public: true,
    params: { accessToken },
    query: { nonce },
    ...(signal && { signal }),
  })
