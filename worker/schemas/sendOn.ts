import { z } from 'zod'
import { claimToken as accessToken, address, usdcAmount } from './common.ts'

/**
 * A recipient who keeps a payout in an account that their passkey opens sends the money on: they sign a
 * `TransferWithAuthorization` of USDC (EIP-3009), and Bursar delivers it and pays the gas.
 */

export const sendOnNonce = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'nonce must be 0x and 64 hex digits')
  .transform((text) => text.toLowerCase() as `0x${string}`)

/**
 * POST /escrow/send-on. The authorization is signed by the account that the payout was withdrawn to, for USDC on the payout's
 * chain, with `validAfter` 0. The same body again returns the same transfer.
 */
export const SendOn = z.object({
  accessToken,
  to: address,
  amount: usdcAmount,
  /** Unix seconds, exclusive: at most 30 minutes ahead. */
  validBefore: z
    .number({ error: 'validBefore must be unix seconds' })
    .int('validBefore must be unix seconds')
    .positive('validBefore must be unix seconds')
    .max(99_999_999_999, 'validBefore must be unix seconds'),
  nonce: sendOnNonce,
  /** r ‖ s ‖ v, with a low s and v 27 or 28: USDC accepts no other. */
  signature: z
    .string()
    .regex(/^0x[0-9a-fA-F]{130}$/, 'signature must be 0x and 130 hex digits')
    .transform((text) => text as `0x${string}`),
})

/** Query of GET /escrow/send-on/{accessToken}. Replies with SendOnReply, or 404 for a nonce that the payout does not have. */
export const SendOnQuery = z.object({ nonce: sendOnNonce })

/**
 * PROCESSING: accepted, delivered until `validBefore`. CONFIRMED: the money has moved. FAILED: it can never move, as a
 * finalized block shows, so another transfer may be sent.
 */
export const sendOnStates = ['PROCESSING', 'CONFIRMED', 'FAILED'] as const
export type SendOnState = (typeof sendOnStates)[number]

/** `txHash` once broadcast. `sendsLeft`: how many more transfers this payout pays for. */
export type SendOnReply = {
  nonce: string
  state: SendOnState
  txHash: string | null
  explorerUrl: string | null
  sendsLeft: number
}

/**
 * GET /escrow/kept-balance/{accessToken}: of a withdrawn payout whose recipient keeps it. Decimal USDC. `now` is the time by which
 * the end of a transfer is judged, in ms: a phone's clock may be wrong.
 */
export type KeptBalance = { address: string; balance: string; now: number }
