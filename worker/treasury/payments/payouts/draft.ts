import { defaultExpiryDays, remindersDue } from '#domain/payment.ts'
import { hourMs } from '#domain/time.ts'
import type { PaymentTerms } from '#schemas/paymentTerms.ts'
import { payoutAddress } from '../../../chain/addresses.ts'
import { contractsOf } from '../../../chain/contractSets.ts'
import { payoutId as payoutHash, type Terms } from '../../../chain/digests.ts'
import { freshHead } from '../../core/chainHeads.ts'
import { type Context, newId } from '../../core/context.ts'
import { setOfNewPayout } from '../../core/contracts.ts'
import { toColumn } from '../../core/storage/columns.ts'
import type { WalletRow } from '../../core/storage/rows.ts'
import type { NewRow } from '../../core/storage/tableRows.ts'
import { enqueue } from '../../outbox/enqueue.ts'
import { codeReplayMs, newClaimToken, newCode } from './codes.ts'
import { ensureSaltBackedUp, payoutKey, payoutSecretVersion } from './keys.ts'

/** Claims are possible on chain one hour longer than shown, so that clock skew cannot defeat a claim made in time. */
const graceSeconds = 3600

/** The columns of a payout that need an await or randomness, prepared before the transaction that accepts it. */
export type PayoutDraft = Omit<
  NewRow<'payout'>,
  'wallet_id' | 'status' | 'code_until' | 'code_at' | 'created_at' | 'updated_at' | 'reminded'
>

/** `knownId` is the payment's id, if it has one already. Throws RpcUnavailable: the expiry is derived from chain time only. */
export async function draftPayout(
  ctx: Context,
  wallet: WalletRow,
  { amount, expiresInDays, senderName }: Pick<PaymentTerms, 'amount' | 'expiresInDays' | 'senderName'>,
  knownId: string | undefined,
): Promise<PayoutDraft> {
  const head = await freshHead(ctx, wallet.chain_id)
  await ensureSaltBackedUp(ctx)
  const id = knownId ?? newId(ctx, 'pay')
  const secretVersion = payoutSecretVersion(ctx)
  const contractSet = setOfNewPayout(ctx, wallet)
  const shownExpiry = head.timestamp + (expiresInDays ?? defaultExpiryDays) * 86_400
  const terms: Terms = {
    payer: wallet.address,
    claimKey: payoutKey(ctx, id, 'claim', secretVersion).address,
    reclaimKey: payoutKey(ctx, id, 'reclaim', secretVersion).address,
    amount,
    expiry: shownExpiry + graceSeconds,
  }
  const { tokenHash, sealedToken } = await newClaimToken(ctx, id)
  const { sealedCode, codeHmac } = await newCode(ctx, id, 1)
  return {
    id,
    address: payoutAddress(contractsOf(ctx.chains[wallet.chain_id], contractSet), terms),
    claim_key: terms.claimKey,
    reclaim_key: terms.reclaimKey,
    payer: terms.payer,
    amount: toColumn(amount),
    expiry: terms.expiry,
    payout_hash: payoutHash(terms),
    expires_at: shownExpiry * 1000,
    sender_name: senderName,
    token_hash: tokenHash,
    sealed_token: sealedToken,
    sealed_code: sealedCode,
    code_hmac: codeHmac,
    secret_version: secretVersion,
    contract_set: contractSet,
  }
}

/** Writes the payout. Called inside the transaction that accepts its payment and records that change. */
export function insertPayout(ctx: Context, draft: PayoutDraft, wallet: WalletRow): void {
  const now = ctx.now()
  ctx.store.insert('payout', {
    ...draft,
    wallet_id: wallet.id,
    status: 'CREATING',
    code_until: now + codeReplayMs,
    code_at: now,
    created_at: now,
    updated_at: now,
    // Those within the first hour would arrive together with the link.
    reminded: remindersDue(draft.expires_at, now + hourMs),
  })
  enqueue(ctx, 'desk', draft.id)
  ctx.schedule('expiry', Math.min(draft.expires_at, now + codeReplayMs))
}
