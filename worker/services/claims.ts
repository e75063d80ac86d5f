import { createHash } from 'node:crypto'
import { chainsFrom } from '../chain/chains.ts'
import type { DeskView } from '../claims/types.ts'
import { findClaimLink } from '../db/readModel.ts'
import { formatUsdc } from '../domain/money.ts'
import { claimStatus, type PayoutStatus } from '../domain/payment.ts'
import type { Env } from '../env.ts'
import { AppError, unwrap } from '../errors.ts'
import type { ClaimPayout, ClaimReply, ResendPasscodeReply, VerifyReply } from '../schemas/escrow.ts'

/** The same words for unknown, expired and never made: a link tells strangers nothing about others. */
const noPayout = 'This payout link is invalid or has expired.'

async function deskOf(env: Env, accessToken: string) {
  const link = await findClaimLink(
    env.DB.withSession('first-unconstrained'),
    createHash('sha256').update(accessToken).digest('hex'),
  )
    // A replica may not know a new link yet.
    .then(
      (found) =>
        found ??
        findClaimLink(env.DB.withSession('first-primary'), createHash('sha256').update(accessToken).digest('hex')),
    )
  if (!link) throw new AppError('not_found', noPayout)
  return env.CLAIM_DESK.getByName(link.payoutId)
}

const explorerUrl = (env: Env, view: Pick<DeskView, 'chainId'>, hash: string | null) =>
  hash === null ? null : `${view.chainId === 8453 ? env.EXPLORER_URL_8453 : env.EXPLORER_URL_84532}/tx/${hash}`

/** What the recipient sees before the code; after expiry nothing, unless the money was withdrawn. `now` in ms. */
export async function claimPage(env: Env, accessToken: string, now: number): Promise<ClaimPayout> {
  const view = await (await deskOf(env, accessToken)).view()
  if (!view) throw new AppError('not_found', noPayout)
  const status = claimStatus(view.status as PayoutStatus)
  if (status !== 'WITHDRAWN' && now >= view.expiresAt) throw new AppError('gone', noPayout)
  return {
    escrowId: view.payoutId,
    amount: view.amount,
    chain: view.chainId === 8453 ? 'base' : 'base-sepolia',
    status,
    expiresAt: new Date(view.expiresAt).toISOString(),
    escrowSubwalletAddress: view.escrowAddress,
    recipientEmail: view.channel === 'email' ? view.recipientMasked : null,
    recipientPhone: view.channel === 'sms' ? view.recipientMasked : null,
    senderName: view.senderName,
    memo: view.memo,
    txHash: view.txHash,
    explorerUrl: explorerUrl(env, view, view.txHash),
  }
}

export async function verifyPasscode(env: Env, input: { accessToken: string; passcode: string }): Promise<VerifyReply> {
  const { sessionToken, view } = unwrap(await (await deskOf(env, input.accessToken)).verify(input.passcode))
  const balance = await chainsFrom(env)
    [view.chainId].usdcBalance(view.escrowAddress)
    .then(formatUsdc)
    // The balance is information; the payout's amount is what the escrow guarantees.
    .catch(() => view.amount)
  return { verified: true, sessionToken, balance }
}

/** Recipient's wish: 60 s apart, 3 in a payout's life. Answers the masked address. */
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
    explorerUrl: view && explorerUrl(env, view, txHash),
  }
}
