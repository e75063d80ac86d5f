import type { z } from 'zod'
import { chainNameOf } from '#domain/networks.ts'
import { claimStatus } from '#domain/payment.ts'
import { isoOf } from '#domain/time.ts'
import { checksumAddress } from '#domain/validators.ts'
import type { Claim, ClaimPayout, ClaimReply, ReceiptReply, ResendPasscodeReply, VerifyReply } from '#schemas/escrow.ts'
import type { Deps } from '../appEnv.ts'
import { transactionUrl } from '../chain/networkSettings.ts'
import type { Address } from '../chain/types.ts'
import { expiredLink, linkDown, unknownLink } from '../claims/api.ts'
import type { Env } from '../env.ts'
import { AppError } from '../errors.ts'
import { objectOfToken } from '../identity/objectTokens.ts'
import { sha256 } from '../identity/secrets.ts'
import { unwrap } from '../result.ts'
import { passkeyDomainOf } from './passkeyDomain.ts'

/** The desk of a link's payout, and the hash of the link's token. No object is addressed by a token that we did not issue. */
export function deskOf(env: Env, accessToken: string) {
  const payoutId = objectOfToken(env, 'claim_link', accessToken)
  if (payoutId === null) throw new AppError('not_found', unknownLink.message)
  return { desk: env.CLAIM_DESK.getByName(payoutId), tokenHash: sha256(accessToken) }
}

/**
 * The claim page before the code is entered. Throws after expiry, unless the money was withdrawn or a claim that was
 * accepted in time is in progress. `now` in ms.
 */
export async function claimPage(env: Env, accessToken: string, now: number): Promise<ClaimPayout> {
  const { desk, tokenHash } = deskOf(env, accessToken)
  const view = unwrap(await desk.view(tokenHash))
  const status = claimStatus(view.status)
  const hasClaim = status === 'WITHDRAWN' || status === 'CLAIMING'
  if (!hasClaim && now >= view.expiresAt) throw new AppError('gone', expiredLink.message)
  if (view.isDown && !hasClaim) throw new AppError('gone', linkDown.message)
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
    withdrawnToAddress: view.withdrawnTo && checksumAddress(view.withdrawnTo),
    withdrawnAt: isoOf(view.withdrawnAt),
    passkeyDomain: view.keptDomain ?? (env.PASSKEY_DOMAIN || null),
    kept: view.keptDomain !== null,
  }
}

export async function verifyPasscode(env: Env, input: { accessToken: string; passcode: string }): Promise<VerifyReply> {
  const { desk, tokenHash } = deskOf(env, input.accessToken)
  const { sessionToken, view } = unwrap(await desk.verify(tokenHash, input.passcode))
  return { verified: true, sessionToken, balance: view.amount }
}

/** Sends the recipient a new code: 60 s apart, three per payout and then one a day. Returns the masked address. */
export async function resendPasscode(env: Env, accessToken: string): Promise<ResendPasscodeReply> {
  const { desk, tokenHash } = deskOf(env, accessToken)
  const { recipientMasked } = unwrap(await desk.resend(tokenHash))
  return { sentTo: recipientMasked }
}

/** Sends the recipient a receipt by email, once. Returns the masked address. */
export async function sendReceipt(env: Env, accessToken: string): Promise<ReceiptReply> {
  const { desk, tokenHash } = deskOf(env, accessToken)
  const { recipientMasked } = unwrap(await desk.receipt(tokenHash))
  return { sentTo: recipientMasked }
}

type ClaimRequest = Omit<z.output<typeof Claim>, 'recipientAddress'> & { to: Address }

export async function claimPayout(deps: Deps, input: ClaimRequest): Promise<ClaimReply> {
  const { env } = deps
  const { desk, tokenHash } = deskOf(env, input.accessToken)
  const keptDomain = input.kept ? await passkeyDomainOf(deps, input.passkeyDomain!) : null
  const { status, txHash, chainId } = unwrap(
    await desk.claim(tokenHash, {
      to: input.to,
      keptDomain,
      ...(input.passcode !== undefined && { passcode: input.passcode }),
      ...(input.sessionToken !== undefined && { sessionToken: input.sessionToken }),
    }),
  )
  return {
    status: status === 'WITHDRAWN' ? 'WITHDRAWN' : 'CLAIMING',
    txHash,
    explorerUrl: transactionUrl(env, chainId, txHash),
  }
}
