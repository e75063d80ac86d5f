import { nonceOf } from '#domain/intent.ts'
import { authorizedTransferCall } from '../../../chain/authorization.ts'
import { announceCall, claimCall, createWalletCall, reclaimCall, sendCall } from '../../../chain/calls.ts'
import type { Hex } from '../../../chain/types.ts'
import type { JobRef, RelayJob } from '../../../relayer/api.ts'
import type { Context } from '../../core/context.ts'
import { payoutContracts, payoutTerms } from '../../core/contracts.ts'
import { spenderOf } from '../../core/spender.ts'
import { fromColumn } from '../../core/storage/columns.ts'
import type { PaymentRow, PayoutRow, SendOnRow, WalletActionRow, WalletRow } from '../../core/storage/rows.ts'
import type { Store } from '../../core/storage/store.ts'
import { isEstablished } from '../../limits/accountAge.ts'
import { isExit } from '../actions/actions.ts'

/**
 * Turns rows of the Treasury into jobs for the Relayer. A job's id is stable per signature, so submitting it twice leads
 * to one delivery. Its guard makes the Relayer refuse different content under a nonce that it has seen.
 */

/** The Relayer's id of the job that `ref` refers to. */
export function jobId(ref: JobRef): string {
  switch (ref.type) {
    case 'payment':
      return `${ref.paymentId}:${ref.version}`
    case 'deploy':
      return `${ref.walletId}:deploy:${ref.attempt}`
    case 'announce':
      return `${ref.payoutId}:announce:${ref.attempt}`
    case 'claim':
    case 'reclaim':
      return `${ref.payoutId}:${ref.type}:${ref.version}`
    case 'sendOn':
      return `${ref.payoutId}:sendOn:${ref.nonce}`
    case 'walletAction':
      return `${ref.actionId}:action`
  }
}

export const paymentRef = (payment: Pick<PaymentRow, 'id' | 'sig_version'>): JobRef => ({
  type: 'payment',
  paymentId: payment.id,
  version: payment.sig_version,
})

/** Null while the payment is unsigned. */
export function signedPaymentRef(store: Store, paymentId: string): JobRef | null {
  const payment = store.payment(paymentId)!
  return payment.sig_version === 0 ? null : paymentRef(payment)
}

/**
 * Deploys and announcements are not signed, so they have no signature version: a new attempt starts every ten minutes.
 * They may run any number of times, so the guard lets a later attempt replace one that is still waiting.
 */
const attemptAt = (now: number) => Math.floor(now / 600_000) // 10 minutes
export const deployRef = (wallet: { id: string }, now: number): JobRef => ({
  type: 'deploy',
  walletId: wallet.id,
  attempt: attemptAt(now),
})

const payoutActionRef = (payout: PayoutRow): JobRef => ({
  type: payout.action!,
  payoutId: payout.id,
  version: payout.action_version,
})

/** Null unless a claim or reclaim of the payout is in flight. */
export function openActionRef(store: Store, payoutId: string): JobRef | null {
  const payout = store.payout(payoutId)!
  return payout.action && payout.done_tx === null ? payoutActionRef(payout) : null
}

type JobContent = Omit<RelayJob, 'id' | 'ref' | 'userId' | 'contractSet'> & { contractSet: number }

const job = (ctx: Context, ref: JobRef, rest: JobContent): RelayJob => ({
  id: jobId(ref),
  ref,
  userId: ctx.userId,
  ...(!isEstablished(ctx) && { isNewAccount: true }),
  ...rest,
})

/** Who made the payment, so that only their own failing payments delay it. Not set for the owner's. */
function principalOf(payment: PaymentRow) {
  const principal = spenderOf(payment)
  return principal === null ? {} : { principal }
}

/** The job of a signed payment: `send` on a smart wallet, an EIP-3009 authorization for an imported one. */
export function paymentJob(ctx: Context, wallet: WalletRow, payment: PaymentRow): RelayJob {
  if (payment.authorization !== null) return authorizationJob(ctx, wallet, payment, payment.authorization)
  const send = {
    to: payment.to_address!,
    amount: fromColumn(payment.amount),
    nonce: nonceOf(payment.epoch!, payment.sequence!),
    deadline: payment.deadline!,
    r: payment.r!,
    vs: payment.vs!,
  }
  return job(ctx, paymentRef(payment), {
    ...principalOf(payment),
    kind: 'send',
    contractSet: wallet.contract_set,
    target: wallet.address,
    data: sendCall(send),
    packed: { ...send, wallet: wallet.address, amount: send.amount.toString(), nonce: send.nonce.toString() },
    deadline: send.deadline,
    guard: { scope: `${wallet.address}:${send.nonce}`, content: `${send.to}:${send.amount}` },
  })
}

/** The token is called directly; it accepts each nonce once. */
function authorizationJob(ctx: Context, wallet: WalletRow, payment: PaymentRow, nonce: Hex): RelayJob {
  const to = payment.to_address!
  const amount = fromColumn(payment.amount)
  const deadline = payment.deadline!
  const signed = { from: wallet.address, to, amount, nonce, validBefore: deadline, r: payment.r!, vs: payment.vs! }
  return job(ctx, paymentRef(payment), {
    ...principalOf(payment),
    kind: 'send',
    contractSet: ctx.chains[wallet.chain_id].contractSets.newest,
    target: ctx.chains[wallet.chain_id].usdc,
    data: authorizedTransferCall(signed),
    deadline,
    guard: { scope: `${wallet.address}:${nonce}`, content: `${to}:${amount}` },
  })
}

/** A transfer signed by a recipient, who alone waits if it fails. */
export function sendOnJob(ctx: Context, row: SendOnRow): RelayJob {
  const { payout_id, nonce, from_address: from, to_address: to, valid_before } = row
  const { usdc, contractSets } = ctx.chains[row.chain_id]
  const amount = fromColumn(row.amount)
  const signed = { from, to, amount, nonce, validBefore: valid_before, r: row.r!, vs: row.vs! }
  return job(ctx, sendOnRef(row), {
    principal: payout_id,
    kind: 'sendOn',
    contractSet: contractSets.newest,
    target: usdc,
    data: authorizedTransferCall(signed),
    deadline: valid_before,
    guard: { scope: `${from}:${nonce}`, content: `${to}:${amount}` },
  })
}

export const sendOnRef = ({ payout_id, nonce }: Pick<SendOnRow, 'payout_id' | 'nonce'>): JobRef => ({
  type: 'sendOn',
  payoutId: payout_id,
  nonce,
})

export function deployJob(ctx: Context, wallet: WalletRow): RelayJob {
  const data = createWalletCall({
    owner: wallet.owner,
    salt: wallet.salt,
    sessionKey: wallet.session_key,
    limit: fromColumn(wallet.session_limit),
    purchaseAllowance: wallet.purchase_allowance,
    validUntil: wallet.valid_until,
  })
  return job(ctx, deployRef(wallet, ctx.now()), {
    principal: wallet.id,
    kind: 'deploy',
    contractSet: wallet.contract_set,
    target: wallet.factory,
    data,
    deadline: wallet.valid_until,
    guard: { scope: `${wallet.id}:deploy`, content: wallet.address },
  })
}

export function announceJob(ctx: Context, wallet: WalletRow, payout: PayoutRow): RelayJob {
  return job(
    ctx,
    { type: 'announce', payoutId: payout.id, attempt: attemptAt(ctx.now()) },
    {
      principal: payout.id,
      kind: 'announce',
      contractSet: payout.contract_set,
      target: payoutContracts(ctx, wallet, payout).escrow,
      data: announceCall(payoutTerms(payout)),
      deadline: payout.expiry,
      guard: { scope: `${payout.id}:announce`, content: payout.payout_hash },
    },
  )
}

/** The job of a signed claim or reclaim. */
export function payoutActionJob(ctx: Context, wallet: WalletRow, payout: PayoutRow): RelayJob {
  const signed = {
    atLeast: fromColumn(payout.amount),
    deadline: payout.action_deadline!,
    r: payout.action_r!,
    vs: payout.action_vs!,
  }
  return job(ctx, payoutActionRef(payout), {
    // The recipient chooses where a claim pays to, so a failing claim does not delay the sender's jobs.
    principal: payout.id,
    kind: payout.action!,
    contractSet: payout.contract_set,
    target: payoutContracts(ctx, wallet, payout).escrow,
    data:
      payout.action === 'claim'
        ? claimCall(payoutTerms(payout), { ...signed, to: payout.action_to! })
        : reclaimCall(payoutTerms(payout), signed),
    deadline: payout.action_deadline!,
  })
}

/** The job of a rotation, or of an action that the owner signed. */
export const walletActionJob = (ctx: Context, wallet: WalletRow, action: WalletActionRow): RelayJob =>
  job(
    ctx,
    { type: 'walletAction', actionId: action.id },
    {
      principal: wallet.id,
      kind: isExit(action) ? 'exit' : 'rotate',
      contractSet: wallet.contract_set,
      target: wallet.address,
      data: action.data!,
      deadline: action.deadline!,
    },
  )
