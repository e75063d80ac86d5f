import { utcDay } from '#domain/gasAllowance.ts'
import { type MicroUsdc, saturatingSub } from '#domain/money.ts'
import type { Refusal } from '#domain/refusal.ts'
import type { PaymentTerms } from '#schemas/paymentTerms.ts'
import type { Address } from '../../chain/types.ts'
import { messageCounterOf } from '../../messageCounts/counterOf.ts'
import type { Refused, Result } from '../../result.ts'
import { freshHead } from '../core/chainHeads.ts'
import type { Context, RecipientLookup } from '../core/context.ts'
import { freshStop } from '../core/stop.ts'
import { bookedOf } from '../ledger/balances.ts'
import { type Grants, type LimitNeed, lookupLimitRefusal } from '../limits/admission.ts'
import { askForGas } from '../limits/gas.ts'
import { countedAs, type MessageTo } from '../limits/messageLimits.ts'
import { draftPayout, type PayoutDraft } from '../payouts/draft.ts'
import { askSeller, type SellerTo } from '../purchases/sellers.ts'
import { readToken } from '../purchases/token.ts'
import type { WalletRow } from '../storage/rows.ts'
import { loadSessionKey } from '../wallets/sessionKeys.ts'
import { balanceOf } from '../wallets/snapshots.ts'
import { isBeingLookedUp, lookUpRecipient } from './recipients.ts'

/**
 * Input that a decision lacks and that has to be awaited. Deciding is one synchronous transaction, so it returns its need
 * without changing anything and is retried with what was gathered.
 */
export type Need =
  /** Keys, address, link and code of a payout. */
  | { need: 'draft'; wallet: WalletRow }
  /** Whether the token blocks this address. */
  | { need: 'lookup'; wallet: WalletRow; address: Address }
  /** The wallet's balance and session; a reading younger than `freshEnoughMs` is good enough. */
  | { need: 'refresh'; wallet: WalletRow; freshEnoughMs: number }
  /** What the host itself asks for, before it is paid for the first time. */
  | { need: 'seller'; wallet: WalletRow; to: SellerTo }
  /** Key, head and token for a purchase, which its agent needs in the reply. */
  | { need: 'signer'; wallet: WalletRow }
  | LimitNeed

/** The need to look up a new recipient, or a refusal if the caller has caused too many look-ups. */
export function lookupNeed(ctx: Context, wallet: WalletRow, agentId: string | null, address: Address): Refused | Need {
  const refused = isBeingLookedUp(ctx, wallet, address) ? null : lookupLimitRefusal(ctx, agentId)
  return refused ?? { need: 'lookup', wallet, address }
}

export type Gathered = {
  draft: PayoutDraft | null
  /** The most recent look-up. */
  lookup: { address: Address; found: RecipientLookup } | null
  refreshed: boolean
  /** The part of the refreshed wallet's balance that is not booked yet. Missing if it could not be read. */
  arriving?: MicroUsdc
  grants: Grants
  /** Key, head and token were read, as far as possible. */
  signer?: boolean
}

/** Whether the refusal is about a balance that could not be read: it would be recorded, and might be untrue. */
export const isUnread = ({ code }: Refusal, { refreshed, arriving }: Gathered): boolean =>
  code === 'insufficient_balance' && refreshed && arriving === undefined

/** Gathers what decisions need, so that deciding itself stays synchronous. */
export class NeedResolver {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  /** Runs `decide` until it needs nothing more. `input` has the terms of a payout, if one may be drafted, and its id. */
  async decide<T>(
    decide: (gathered: Gathered) => Result<T> | Need,
    input?: { id?: string; terms: PaymentTerms },
  ): Promise<Result<T>> {
    const gathered: Gathered = { draft: null, lookup: null, refreshed: false, grants: {} }
    for (;;) {
      const result = decide(gathered)
      if (!('need' in result)) return result
      switch (result.need) {
        case 'lookup': {
          const found = await lookUpRecipient(this.#context, result.wallet, result.address)
          gathered.lookup = { address: result.address, found }
          break
        }
        case 'refresh':
          await this.#context.refreshWallet(result.wallet, result.freshEnoughMs)
          gathered.refreshed = true
          Object.assign(gathered, await arrivingIn(this.#context, result.wallet))
          break
        case 'seller':
          await askSeller(this.#context, result.wallet, result.to)
          break
        case 'signer':
          await loadSigner(this.#context, result.wallet)
          gathered.signer = true
          break
        case 'gasGrant':
          gathered.grants.gas = await askForGas(this.#context, result.wallet.chain_id, result.gas)
          break
        case 'messageGrant':
          gathered.grants.message = await this.#askForMessage(result.to)
          break
        case 'draft':
          if (!input) throw new Error('a payout draft is needed, but no terms were given')
          gathered.draft = await draftPayout(this.#context, result.wallet, input.terms, input.id)
      }
    }
  }

  /** New accounts share a daily number of messages per recipient, which is counted in the recipient's own object. */
  async #askForMessage(to: MessageTo): Promise<boolean> {
    const { env, limits, now } = this.#context
    const counter = messageCounterOf(env, `${to.channel}:${countedAs(to)}`, now())
    return counter.count(utcDay(now()), limits.newAccountMessagesPerRecipient)
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
