import { utcDay } from '#domain/gasAllowance.ts'
import { type MicroUsdc, saturatingSub } from '#domain/money.ts'
import type { Address } from '../../chain/types.ts'
import { countAttempt } from '../../db/attempts.ts'
import type { Refused, Result } from '../../result.ts'
import type { PayInput } from '../api.ts'
import type { Context, RecipientLookup } from '../context.ts'
import { bookedOf } from '../ledger/balances.ts'
import { type Grants, type LimitNeed, takeLookup } from '../limits/admission.ts'
import { askForGas } from '../limits/gasGrant.ts'
import { type MessageTo, mailboxOf } from '../limits/messageLimits.ts'
import { draftPayout, type PayoutDraft } from '../payouts/draft.ts'
import type { WalletRow } from '../storage/rows.ts'
import type { ChainRefresh } from '../wallets/chainRefresh.ts'
import { balanceOf } from '../wallets/snapshots.ts'
import { isLookedUp, lookUpRecipient } from './recipients.ts'

/**
 * What a decision lacks and has to await. Deciding is one synchronous transaction, so it returns its need, changes
 * nothing, and is tried again with what was gathered.
 */
export type Need =
  /** Keys, address, link and code of a payout. */
  | { need: 'draft'; wallet: WalletRow }
  /** Is this address some user's payout, or blocked by the token? */
  | { need: 'lookup'; wallet: WalletRow; address: Address }
  /** The wallet's balance and session; a reading younger than `freshEnoughMs` will do. */
  | { need: 'refresh'; wallet: WalletRow; freshEnoughMs: number }
  | LimitNeed

/** A new recipient has to be looked up. Refused: the caller has caused too many look-ups. */
export function lookupNeed(ctx: Context, wallet: WalletRow, agentId: string | null, address: Address): Refused | Need {
  const refused = isLookedUp(ctx, wallet, address) ? null : takeLookup(ctx, agentId)
  return refused ?? { need: 'lookup', wallet, address }
}

export type Gathered = {
  draft: PayoutDraft | null
  /** The address looked up last. */
  lookup: { address: Address; found: RecipientLookup } | null
  refreshed: boolean
  /** Of the refreshed wallet; absent: it could not be read. */
  arriving?: MicroUsdc
  grants: Grants
}

/** Gathers what decisions need. Everything of a payment that awaits before it is accepted happens here. */
export class NeedResolver {
  readonly #context: Context
  readonly #chain: ChainRefresh

  constructor(context: Context, chain: ChainRefresh) {
    this.#context = context
    this.#chain = chain
  }

  /** Runs `decide` until it needs nothing more. `input`: the terms of a payout, where one may be drafted, and its id. */
  async decide<T>(
    decide: (gathered: Gathered) => Result<T> | Need,
    input?: Pick<PayInput, 'amount' | 'expiresInDays' | 'senderName'> & { id?: string | null },
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
          await this.#chain.refresh(result.wallet, result.freshEnoughMs)
          gathered.refreshed = true
          Object.assign(gathered, await arrivingIn(this.#context, result.wallet))
          break
        case 'gasGrant':
          gathered.grants.gas = await askForGas(this.#context, result.wallet.chain_id, result.gas)
          break
        case 'messageGrant':
          gathered.grants.message = await this.#askForMessage(result.to)
          break
        case 'draft':
          if (!input) throw new Error('a payout draft is needed where none can be made')
          gathered.draft = await draftPayout(this.#context, result.wallet, {
            id: input.id ?? null,
            amount: input.amount,
            expiresInDays: input.expiresInDays ?? 30,
            senderName: input.senderName ?? null,
          })
      }
    }
  }

  /** New accounts share a number of messages for each recipient and day, which D1 counts. */
  async #askForMessage(to: MessageTo): Promise<boolean> {
    const { db, limits, now } = this.#context
    const key = `new-account-message:${to.channel}:${mailboxOf(to)}:${utcDay(now())}`
    const { count } = await countAttempt(db, key, 24 * 3600_000, now())
    return count <= limits.newAccountMessagesPerRecipient
  }
}

/** What is in the wallet's balance and not in its books yet; nothing when the chain can't be read. */
async function arrivingIn(ctx: Context, wallet: WalletRow): Promise<Pick<Gathered, 'arriving'>> {
  const balance = await balanceOf(ctx, wallet)
  return balance === null ? {} : { arriving: saturatingSub(balance, bookedOf(ctx.store.wallet(wallet.id)!)) }
}
