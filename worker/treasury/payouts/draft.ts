import type { MicroUsdc } from '#domain/money.ts'
import { payoutAddress } from '../../chain/addresses.ts'
import { contractsOf } from '../../chain/contractSets.ts'
import { payoutId as payoutHash, type Terms } from '../../chain/digests.ts'
import type { Address, Hex } from '../../chain/types.ts'
import { keepSalt } from '../backup/kept.ts'
import { freshHead } from '../chainHeads.ts'
import { type Context, newId } from '../context.ts'
import { setOfNewPayout } from '../contracts.ts'
import { enqueue, enqueuePayout } from '../outbox/enqueue.ts'
import { toColumn } from '../storage/columns.ts'
import type { WalletRow } from '../storage/rows.ts'
import { codeReplayMs, newCode } from './codes.ts'
import { payoutKey, payoutSecretVersion } from './keys.ts'
import { newClaimToken } from './link.ts'

/** Claims are possible on chain one hour longer than shown, so that clock skew cannot defeat a claim made in time. */
const graceSeconds = 3600

/** The parts of a payout that need an await or randomness, prepared before the transaction that accepts it. */
export type PayoutDraft = {
  id: string
  address: Address
  claimKey: Address
  reclaimKey: Address
  payer: Address
  amount: MicroUsdc
  /** Unix seconds, on chain. */
  expiry: number
  hash: Hex
  /** ms, as shown to people. */
  expiresAt: number
  senderName: string | null
  tokenHash: string
  sealedToken: string
  sealedCode: string
  codeHmac: string
  secretVersion: number
  contractSet: number
}

/** `id` is the payment's, if it is already known. Throws RpcUnavailable: the expiry is derived from chain time only. */
export async function draftPayout(
  ctx: Context,
  wallet: WalletRow,
  input: { id: string | null; amount: MicroUsdc; expiresInDays: number; senderName: string | null },
): Promise<PayoutDraft> {
  const head = await freshHead(ctx, wallet.chain_id)
  await keepSalt(ctx)
  const id = input.id ?? newId(ctx, 'pay')
  const secretVersion = payoutSecretVersion(ctx)
  const contractSet = setOfNewPayout(ctx, wallet)
  const shownExpiry = head.timestamp + input.expiresInDays * 86_400
  const terms: Terms = {
    payer: wallet.address,
    claimKey: payoutKey(ctx, id, 'claim', secretVersion).address,
    reclaimKey: payoutKey(ctx, id, 'reclaim', secretVersion).address,
    amount: input.amount,
    expiry: shownExpiry + graceSeconds,
  }
  const { tokenHash, sealedToken } = await newClaimToken(ctx, id)
  const { sealedCode, codeHmac } = await newCode(ctx, id, 1)
  return {
    id,
    address: payoutAddress(contractsOf(ctx.chains[wallet.chain_id], contractSet), terms),
    claimKey: terms.claimKey,
    reclaimKey: terms.reclaimKey,
    payer: terms.payer,
    amount: input.amount,
    expiry: terms.expiry,
    hash: payoutHash(terms),
    expiresAt: shownExpiry * 1000,
    senderName: input.senderName,
    tokenHash,
    sealedToken,
    sealedCode,
    codeHmac,
    secretVersion,
    contractSet,
  }
}

/** Writes the payout. Called inside the transaction that accepts its payment. */
export function insertPayout(ctx: Context, draft: PayoutDraft, wallet: WalletRow): void {
  const now = ctx.now()
  ctx.store.run(
    `INSERT INTO payout (id, wallet_id, address, claim_key, reclaim_key, payer, amount, expiry, payout_hash, expires_at, sender_name, status,
       sealed_token, token_hash, code_hmac, sealed_code, code_until, code_at, created_at, updated_at, secret_version, contract_set)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'CREATING', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    draft.id,
    wallet.id,
    draft.address,
    draft.claimKey,
    draft.reclaimKey,
    draft.payer,
    toColumn(draft.amount),
    draft.expiry,
    draft.hash,
    draft.expiresAt,
    draft.senderName,
    draft.sealedToken,
    draft.tokenHash,
    draft.codeHmac,
    draft.sealedCode,
    now + codeReplayMs,
    now,
    now,
    now,
    draft.secretVersion,
    draft.contractSet,
  )
  enqueue(ctx, 'link', draft.id)
  enqueuePayout(ctx, draft.id)
  ctx.schedule('expiry', Math.min(draft.expiresAt, now + codeReplayMs))
}
