import { utcDay } from '#domain/gasAllowance.ts'
import { type MicroUsdc, saturatingSub } from '#domain/money.ts'
import type { Refusal } from '#domain/refusal.ts'
import type { PaymentTerms } from '#schemas/paymentTerms.ts'
import type { Address } from '../../chain/types.ts'
import { messageCounterOf } from '../../messageCounts/counterOf.ts'
import type { Refused, Result } from '../../result.ts'
import { freshHead } from '../core/chainHeads.ts'
import type { Context, RecipientLookup } from '../core/context.ts'
import type { Spender } from '../core/spender.ts'
import { freshStop } from '../core/stop.ts'
import type { WalletRow } from '../core/storage/rows.ts'
import { readToken } from '../core/token.ts'
import { bookedOf } from '../ledger/balances.ts'
import { type Grants, type LimitNeed, lookupLimitRefusal } from '../limits/admission.ts'
import { askForGas, hasGas } from '../limits/gas.ts'
import { countedAs, type MessageTo } from '../limits/messageLimits.ts'
import { takeRate } from '../limits/rates.ts'
import { askSeller, type SellerTo } from '../policies/sellers.ts'
import { loadSessionKey } from '../wallets/sessionKeys.ts'
import { balanceOf } from '../wallets/snapshots.ts'
import { draftPayout, type PayoutDraft } from './payouts/draft.ts'
import { isBeingLookedUp, isUnused, lookUpRecipient } from './recipients.ts'

/**
 * Input that a decision lacks and that has to be awaited. Deciding is one synchronous transaction, so it returns its need
 * without changing anything and is retried with what was gathered.
 */
export type Need =
  /** Keys, address, link and code of a payout. */
  | { need: 'draft'; wallet: WalletRow }
  /** Whether the token blocks this address, or the sanctions oracle lists it. */
  | { need: 'lookup'; wallet: WalletRow; spender: Spender; address: Address }
  /** Whether anybody has used this address, for a dry run of a first payment. */
  | { need: 'usage'; wallet: WalletRow; address: Address; agentId: string | null }
  /** The wallet's balance and session; a reading younger than `freshEnoughMs` is good enough. */
  | { need: 'refresh'; wallet: WalletRow; spender: Spender; freshEnoughMs: number }
  /** What the host itself asks for, before it is paid for the first time. */
  | { need: 'seller'; wallet: WalletRow; agentId: string; to: SellerTo }
  /** Key, head and token for a purchase, which its agent needs in the reply. */
  | { need: 'signer'; wallet: WalletRow }
  | LimitNeed

/**
 * What was read for a decision. Each look-up takes a token of its caller's rate before it begins, also if the payment is refused
 * later; one that the rate forbids is not made.
 */
export type Gathered = {
  draft: PayoutDraft | null
  /** The most recent look-up, or why it was not made. */
  lookup: { address: Address; found: RecipientLookup | Refused } | null
  /** `limited`: the caller has caused too many look-ups. */
  refresh: 'none' | 'done' | 'limited'
  /** The part of the refreshed wallet's balance that is not booked yet. Missing if it could not be read. */
  arriving?: MicroUsdc
  grants: Grants
  /** Whether nobody has used the recipient's address; null if that could not be read. */
  unused?: boolean | null
  /** Why the seller was not asked. */
  sellerLimit?: Refused | null
  /** Key, head and token were read, as far as possible. */
  signer?: boolean
}

/** Whether the refusal is about a balance that could not be read: it would be recorded, and might be untrue. */
export const isUnread = ({ code }: Refusal, { refresh, arriving }: Gathered): boolean =>
  code === 'insufficient_balance' && refresh === 'done' && arriving === undefined

/** Gathers what decisions need, so that deciding itself stays synchronous. */
export class NeedResolver {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  /**
   * Runs `decide` until it needs nothing more. `input` has the terms of a payout, if one may be drafted, and its id. A dry run
   * takes nothing of what new accounts share.
   */
  async decide<T>(
    decide: (gathered: Gathered) => Result<T> | Need,
    input: { id?: string; terms: PaymentTerms } | 'dry run',
  ): Promise<Result<T>> {
    const isDryRun = input === 'dry run'
    const grants: Grants = isDryRun ? { isDryRun } : {}
    const gathered: Gathered = { draft: null, lookup: null, refresh: 'none', grants }
    for (;;) {
      const result = decide(gathered)
      if (!('need' in result)) return result
      switch (result.need) {
        case 'lookup': {
          const { wallet, address, spender } = result
          gathered.lookup = { address, found: await this.#lookUp(wallet, address, spender) }
          break
        }
        case 'usage': {
          const { wallet, address, agentId } = result
          gathered.unused = await isUnused(this.#context, wallet.chain_id, address, agentId)
          break
        }
        case 'refresh':
          Object.assign(gathered, await this.#refresh(result.wallet, result.spender, result.freshEnoughMs))
          break
        case 'seller':
          gathered.sellerLimit = takeRate(this.#context, 'sellers', result.agentId)
          if (!gathered.sellerLimit) await askSeller(this.#context, result.wallet, result.to)
          break
        case 'signer':
          await loadSigner(this.#context, result.wallet)
          gathered.signer = true
          break
        case 'gasGrant':
          grants.gas = await (isDryRun ? hasGas : askForGas)(this.#context, result.wallet.chain_id, result.gas)
          break
        case 'messageGrant':
          grants.message = await this.#askForMessage(result.to, isDryRun)
          break
        case 'draft':
          if (isDryRun) throw new Error('a dry run needs no payout draft')
          gathered.draft = await draftPayout(this.#context, result.wallet, input.terms, input.id)
      }
    }
  }

  /** Concurrent calls share a look-up, and its token. */
  #lookUp(wallet: WalletRow, address: Address, spender: Spender): Promise<RecipientLookup> | Refused {
    const ctx = this.#context
    const refused = isBeingLookedUp(ctx, wallet, address) ? null : lookupLimitRefusal(ctx, spender)
    return refused ?? lookUpRecipient(ctx, wallet, address)
  }

  async #refresh(
    wallet: WalletRow,
    spender: Spender,
    freshEnoughMs: number,
  ): Promise<Pick<Gathered, 'refresh' | 'arriving'>> {
    if (lookupLimitRefusal(this.#context, spender)) return { refresh: 'limited' }
    await this.#context.chainReads.refresh(wallet, freshEnoughMs)
    return { refresh: 'done', ...(await arrivingIn(this.#context, wallet)) }
  }

  /** New accounts share a daily number of messages per recipient, which is counted in the recipient's own object. */
  async #askForMessage(to: MessageTo, isDryRun: boolean): Promise<boolean> {
    const { env, limits, now } = this.#context
    const counter = messageCounterOf(env, `${to.channel}:${countedAs(to)}`, now())
    const [day, most] = [utcDay(now()), limits.newAccountMessagesPerRecipient]
    return isDryRun ? counter.hasRoom(day, most) : counter.count(day, most)
  }
}

/** Reads what signing a purchase needs. Throws RpcUnavailable. */
async function loadSigner(ctx: Context, wallet: WalletRow): Promise<void> {
  await Promise.all([freshHead(ctx, wallet.chain_id), readToken(ctx, wallet), freshStop(ctx)])
  await loadSessionKey(ctx, wallet)
}

/** The amount that is in the wallet's balance but not in its books yet. Empty if the chain can't be read. */
async function arrivingIn(ctx: Context, wallet: WalletRow): Promise<Pick<Gathered, 'arriving'>> {
  const balance = await balanceOf(ctx, wallet)
  return balance === null ? {} : { arriving: saturatingSub(balance, bookedOf(ctx.store.wallet(wallet.id)!)) }
}
