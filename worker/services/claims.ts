import { formatUsdc } from '#domain/money.ts'
import { chainNameOf } from '#domain/networks.ts'
import { claimStatus, type PayoutStatus } from '#domain/payment.ts'
import { isoOf } from '#domain/time.ts'
import type { ClaimPayout, ClaimReply, ResendPasscodeReply, VerifyReply } from '#schemas/escrow.ts'
import { transactionUrl } from '../chain/networkSettings.ts'
import { chainsFrom } from '../chain/rpcChain.ts'
import { findClaimLink } from '../db/claimLinks.ts'
import { primaryDb, replicaDb } from '../db/d1.ts'
import type { Env } from '../env.ts'
import { AppError } from '../errors.ts'
import { sha256 } from '../identity/secrets.ts'
import { unwrap } from '../result.ts'

/** The same text for unknown, expired and mistyped links, so that it reveals nothing about other links. */
const noPayout = 'This payout link is invalid or has expired.'

async function deskOf(env: Env, accessToken: string) {
  const tokenHash = sha256(accessToken)
  // A replica may not have a new link yet.
  const link =
    (await findClaimLink(replicaDb(env.DB), tokenHash)) ?? (await findClaimLink(primaryDb(env.DB), tokenHash))
  if (!link) throw new AppError('not_found', noPayout)
  return env.CLAIM_DESK.getByName(link.payoutId)
}

/**
 * The claim page before the code is entered. Throws after expiry, unless the money was withdrawn or a claim that was
 * accepted in time is in progress. `now` in ms.
 */
export async function claimPage(env: Env, accessToken: string, now: number): Promise<ClaimPayout> {
  const view = await (await deskOf(env, accessToken)).view()
  if (!view) throw new AppError('not_found', noPayout)
  const status = claimStatus(view.status as PayoutStatus)
  const hasClaim = status === 'WITHDRAWN' || status === 'CLAIMING'
  if (!hasClaim && now >= view.expiresAt) throw new AppError('gone', noPayout)
  if (view.isDown && !hasClaim) throw new AppError('gone', 'This payout link is not available.')
  return {
    escrowId: view.payoutId,
    amount: view.amount,
    chain: chainNameOf(view.chainId),
    status,
    expiresAt: isoOf(view.expiresAt),
    escrowSubwalletAddress: view.escrowAddress,
    recipientEmail: view.channel === 'email' ? view.recipientMasked : null,
    recipientPhone: view.channel === 'sms' ? view.recipientMasked : null,
    senderName: view.senderName,
    memo: view.memo,
    txHash: view.txHash,
    explorerUrl: transactionUrl(env, view.chainId, view.txHash),
  }
}

export async function verifyPasscode(env: Env, input: { accessToken: string; passcode: string }): Promise<VerifyReply> {
  const { sessionToken, view } = unwrap(await (await deskOf(env, input.accessToken)).verify(input.passcode))
  const balance = await chainsFrom(env)
    [view.chainId].usdcBalance(view.escrowAddress)
    .then(formatUsdc)
    // The balance is only informative: the escrow guarantees the payout's amount.
    .catch(() => view.amount)
  return { verified: true, sessionToken, balance }
}

/** Sends the recipient a new code: 60 s apart, 3 per payout. Returns the masked address. */
export async function resendPasscode(env: Env, accessToken: string): Promise<ResendPasscodeReply> {
  const { recipientMasked } = unwrap(await (await deskOf(env, accessToken)).resend())
  return { sentTo: recipientMasked }
}

export async function claimPayout(
  env: Env,
  input: { accessToken: string; passcode?: string | undefined; sessionToken?: string | undefined; to: `0x${string}` },
): Promise<ClaimReply> {
  const desk = await deskOf(env, input.accessToken)
  const { status, txHash } = unwrap(
    await desk.claim({
      to: input.to,
      ...(input.passcode !== undefined && { passcode: input.passcode }),
      ...(input.sessionToken !== undefined && { sessionToken: input.sessionToken }),
    }),
  )
  const view = await desk.view()
  return {
    status: status === 'WITHDRAWN' ? 'WITHDRAWN' : 'CLAIMING',
    txHash,
    explorerUrl: view && transactionUrl(env, view.chainId, txHash),
  }
}
