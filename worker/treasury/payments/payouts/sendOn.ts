import { stepGas } from '#domain/gasAllowance.ts'
import { formatUsdc, microUsdc } from '#domain/money.ts'
import { sameAddress } from '#domain/sameAddress.ts'
import { dayMs } from '#domain/time.ts'
import { authorizationIsOver, ownSignature, usdcDomainSeparator } from '../../../chain/authorization.ts'
import type { Address, Block, ChainId, Hex } from '../../../chain/types.ts'
import type { SentOn } from '../../../claims/api.ts'
import { notFound, ok, type Refused, type Result, refuse } from '../../../result.ts'
import { freshHead, unreachable } from '../../core/chainHeads.ts'
import type { Context } from '../../core/context.ts'
import { payoutSetRefusal } from '../../core/contracts.ts'
import { settleEveryMs } from '../../core/minedReports.ts'
import { deliveryRefusal, freshStop } from '../../core/stop.ts'
import { toColumn } from '../../core/storage/columns.ts'
import type { PayoutRow, SendOnRow, WalletRow } from '../../core/storage/rows.ts'
import { takePoolGas, withGas } from '../../limits/gas.ts'
import { limitRefusal } from '../../limits/limitRefusal.ts'
import { askAbout, lookupRefusal } from '../screening.ts'
import { forbiddenRecipient } from './actions.ts'
import type { SendOnInput } from './rpcTypes.ts'

/**
 * A recipient sends on what they keep. Bursar delivers what the account signed and books nothing: the money is not the owner's
 * of this Treasury, who only pays the gas.
 */

/** Seconds, with a minute for clocks that differ: what was signed cannot be taken back before it ends. */
const longestSeconds = 30 * 60 + 60
/** The Relayer no longer sends what has less time left. */
const shortestSeconds = 60

/** Accepts a transfer. The same one again returns it as it is now. */
export async function sendOn(ctx: Context, input: SendOnInput): Promise<Result<SentOn>> {
  const { store } = ctx
  const known = repeated(ctx, input)
  if (known) return known
  const payout = store.payout(input.payoutId)
  const wallet = payout && store.wallet(payout.wallet_id)
  if (!payout || !wallet) return notFound('Payout')
  const refused = payoutSetRefusal(ctx, wallet, payout) ?? notKept(payout)
  if (refused) return refused
  const from = payout.withdrawn_to!
  const [head, seen] = await Promise.all([
    freshHead(ctx, wallet.chain_id),
    readAccount(ctx, wallet.chain_id, from, input),
    freshStop(ctx),
  ])
  if (seen.separator === null || seen.sender === 'unknown' || seen.recipient === 'unknown') return unreachable
  const signature = ownSignature(seen.separator, { ...input, from }, input.signature)
  const start = (): Result<SentOn> => {
    const now = store.payout(payout.id)!
    const refused =
      repeated(ctx, input) ??
      deliveryRefusal(ctx) ??
      notKept(now) ??
      (signature && sameAddress(now.withdrawn_to, from) ? null : notSigned) ??
      timeRefusal(input, head) ??
      forbiddenRecipient(ctx, now, wallet, { to: input.to, field: 'to' }) ??
      accountRefusal(from, input, seen) ??
      countRefusal(ctx, payout.id, from) ??
      takePoolGas(ctx, 'sendOn', wallet.chain_id, stepGas.sendOn)
    if (refused) return refused
    store.insert('send_on', rowOf(ctx, { input, wallet, from, head, signature: signature! }))
    ctx.schedule('settle', ctx.now() + settleEveryMs)
    return sentOn(ctx, input.payoutId, input.nonce)
  }
  const work = { chainId: wallet.chain_id, gas: stepGas.sendOn, purpose: 'sendOn' } as const
  return withGas(ctx, work, () => store.transaction(start))
}

/** The transfer with this nonce. Not found for any other, because the sender of the payout has its link too. */
export function sentOn(ctx: Context, payoutId: string, nonce: Hex): Result<SentOn> {
  const row = find(ctx, payoutId, nonce)
  if (!row) return notFound('Transfer', 'nonce')
  const sendsLeft = Math.max(0, ctx.limits.sendOnsPerPayout - countOf(ctx, payoutId))
  return ok({ nonce, state: row.status, txHash: row.tx_hash, sendsLeft })
}

const find = ({ store }: Context, payoutId: string, nonce: Hex): SendOnRow | null =>
  store.first<SendOnRow>('SELECT * FROM send_on WHERE payout_id = ? AND nonce = ?', payoutId, nonce)

/** The reply to a nonce that is known; null if it is new. */
function repeated(ctx: Context, { payoutId, nonce, to, amount, validBefore }: SendOnInput): Result<SentOn> | null {
  const row = find(ctx, payoutId, nonce)
  if (!row) return null
  const isSame = sameAddress(row.to_address, to) && BigInt(row.amount) === amount && row.valid_before === validBefore
  return isSame
    ? sentOn(ctx, payoutId, nonce)
    : refuse('conflict', 'This nonce was already used for another transfer. Please sign again.', { field: 'nonce' })
}

/** While a claim is undone by a reorganization, the payout is not withdrawn. */
function notKept(payout: PayoutRow): Refused | null {
  if (payout.status !== 'WITHDRAWN' || payout.withdrawn_to === null)
    return refuse('conflict', 'The money can be sent on once it has arrived. Please try again in a moment.')
  return payout.kept_domain === null
    ? refuse('unprocessable', 'This payout was withdrawn to an address that this page can’t open.')
    : null
}

const notSigned = refuse('invalid_input', 'The signature is not by the account that keeps this payout.', {
  field: 'signature',
})

function timeRefusal({ validBefore }: SendOnInput, { timestamp }: Block): Refused | null {
  const wrong = (message: string) => refuse('invalid_input', message, { field: 'validBefore' })
  if (validBefore <= timestamp + shortestSeconds)
    return wrong('This transfer was signed too long ago. Please sign again.')
  return validBefore > timestamp + longestSeconds
    ? wrong(
        'This transfer would end more than 30 minutes from now. Please check the clock of this device and sign again.',
      )
    : null
}

type Account = Awaited<ReturnType<typeof readAccount>>

async function readAccount(ctx: Context, chainId: ChainId, from: Address, { to, nonce }: SendOnInput) {
  const chain = ctx.chains[chainId]
  const [separator, balance, isUsed, sender, recipient] = await Promise.all([
    usdcDomainSeparator(chain),
    chain.usdcBalance(from),
    authorizationIsOver(chain, from, nonce),
    askAbout(ctx, chainId, from),
    askAbout(ctx, chainId, to),
  ])
  return { separator, balance, isUsed, sender, recipient }
}

function accountRefusal(from: Address, { to, amount }: SendOnInput, account: Account): Refused | null {
  if (sameAddress(to, from)) return refuse('invalid_input', 'The money is already at this address.', { field: 'to' })
  if (account.isUsed)
    return refuse('conflict', 'This transfer was already made or cancelled. Please sign again.', { field: 'nonce' })
  if (account.sender === 'blocked')
    return refuse('recipient_blocked', 'The issuer of USDC has blocked this account, so its money can’t be moved.')
  if (account.sender === 'screened')
    return refuse('recipient_screened', 'This service can’t move the money of this account.')
  const refused = lookupRefusal(account.sender, 'to') ?? lookupRefusal(account.recipient, 'to')
  if (refused) return refused
  return account.balance < amount
    ? refuse('insufficient_balance', `There are ${formatUsdc(account.balance)} USDC in this account.`, {
        field: 'amount',
      })
    : null
}

/** Transfers that the payout has used up. One that failed without a transaction cost nothing. */
const countOf = ({ store }: Context, payoutId: string): number =>
  store.count("send_on WHERE payout_id = ? AND NOT (status = 'FAILED' AND tx_hash IS NULL)", payoutId)

/** One at a time, so that a balance is not promised twice and an end is known before the next begins. */
function countRefusal(ctx: Context, payoutId: string, from: Address): Refused | null {
  const { store, limits, now } = ctx
  if (store.first("SELECT 1 FROM send_on WHERE payout_id = ? AND status = 'PROCESSING' LIMIT 1", payoutId))
    return refuse('conflict', 'Another transfer is still on its way. Please wait until it has arrived or expired.')
  const inWords = 'With your 12 words you can send from any wallet app.'
  if (countOf(ctx, payoutId) >= limits.sendOnsPerPayout)
    return refuse(
      'unprocessable',
      `All ${limits.sendOnsPerPayout} free transfers of this payout are used up. ${inWords}`,
    )
  const day = Math.floor(now() / dayMs)
  if (store.count('send_on WHERE from_address = ? AND created_at >= ?', from, day * dayMs) < limits.sendOnsPerDay)
    return null
  return limitRefusal(ctx, 'send_ons', (day + 1) * dayMs)
}

type Signed = {
  input: SendOnInput
  wallet: WalletRow
  from: Address
  head: Block
  signature: { r: Hex; vs: Hex }
}

const rowOf = (ctx: Context, { input, wallet, from, head, signature }: Signed) => ({
  payout_id: input.payoutId,
  nonce: input.nonce,
  chain_id: wallet.chain_id,
  from_address: from,
  to_address: input.to,
  amount: toColumn(microUsdc(input.amount)),
  valid_before: input.validBefore,
  status: 'PROCESSING' as const,
  ...signature,
  created_at: ctx.now(),
  first_block: head.number,
})
