import type { CallerId } from '#domain/accounts.ts'
import type { Answer } from '#domain/answers.ts'
import type { MoneyState, PaymentMethod } from '#domain/figures.ts'
import type { ListCursor } from '#domain/lists.ts'
import type { ChainName } from '#domain/networks.ts'
import type { Period } from '#domain/periods.ts'
import type { PastDecision } from '#domain/replay.ts'
import type { AgentRequests, PaidTo, Refusals } from '#schemas/answers.ts'
import type { Page } from '#schemas/common.ts'
import type { Escrow } from '#schemas/escrow.ts'
import type { PayoutFilter, TransactionFilter } from '#schemas/lists.ts'
import type { AccountFigures, Overview } from '#schemas/overview.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type { Result } from '../result.ts'

/**
 * History: one Durable Object per user, under the user's id. Serves the lists of transactions and payouts from its own copy of
 * their rows, and keeps what the user's Treasury can be restored from. The Treasury numbers its changes, and History asks for
 * those it lacks before it answers, so a list has every change made before it was requested.
 */

/** How far History has followed its Treasury. */
export type Position = {
  /** The Treasury's incarnation (Treasury's meta `incarnation`); null if History is empty. */
  incarnation: string | null
  /** Number of the newest change that History has; 0 if it has none. */
  seq: number
  /** End of the Treasury's audit log at that time: a Treasury without this row has lost changes that History has. */
  audit: { seq: number; hash: string } | null
}

/** A row as the API returns it, with its amount in micro-USDC. `recoverable`: JSON to restore the row from; it is never shown. */
export type ListRow<Row> = { row: Row; amount: number; recoverable: string | null }

/** What figures count of a payment that was accepted or refused. `at`: when (ms). `amount` in micro-USDC. */
export type Counted = {
  chain: ChainName
  walletId: string
  at: number
  amount: number
  state: MoneyState
  method: PaymentMethod
  /** When it was spent (ms); null if it was not. */
  spentAt: number | null
  /** Null if it moved nothing and will not. `key` is the same for all payments to one recipient. */
  recipient: { key: string; contactId: string | null; name: string | null; address: string } | null
}

/** All that History has of a payment. `counted` is null while it waits for approval, and if it was not approved. */
export type PaymentCopy = {
  transactions: ListRow<Transaction>[]
  payout: ListRow<Escrow> | null
  counted: Counted | null
  /** Missing if no agent requested it. */
  decision?: Decided
}

/** A decision about an agent's payment. `recipient` is the key of `Counted`. */
export type Decided = Omit<PastDecision, 'id' | 'isNew'> & {
  groupId: string
  agentId: string
  answer: Answer
  /** The limit (micro-USDC) that would have let it pass; null if it was not refused, or by a rule without one. */
  needs: number | null
  chain: ChainName
  recipient: string | null
}
/** Where the next older part of a group's decisions begins. */
export type DecisionCursor = Pick<PastDecision, 'at' | 'n'>

/**
 * The current state of what changed last under this number. What a payment has no more is gone. A named value of the account
 * (Treasury's delivery/recoverableRows.ts) is never removed.
 */
export type Change = { seq: number; ref: string; rows: PaymentCopy; value: string | null }

/** Changes after the number `from`, in order. `to` is History's position with them. */
export type ChangePage = { from: number; to: Position; changes: Change[]; isLast: boolean }

/** The people that a filter names. `methods`: their addresses, emails and phone numbers. */
export type People = { contactIds: string[]; methods: string[] }

/**
 * `now` (ms): of figures about the last hours. `movedFrom` (ms): only rows whose money moved then or later. `recipient`: the text,
 * and the people whose names have it.
 */
export type TransactionsWanted = Omit<TransactionFilter, 'contact' | 'recipient'> & {
  now: number
  movedFrom?: number | undefined
  contact?: People | undefined
  recipient?: (People & { text: string }) | undefined
}
/** `expiresBefore` in ms. */
export type PayoutsWanted = Omit<PayoutFilter, 'expiresWithinDays'> & { expiresBefore?: number | undefined }
export type Paging = { page: number; pageSize: number; cursor?: ListCursor | undefined }
export type Listed<Row> = { rows: Row[]; page: Page }
/** Rows in a part of an export: one to three milliseconds of work. */
export const exportedAtOnce = 250

/**
 * A part of an export. `rows`: JSON array, with the names of the time when each row was copied; text costs less to pass on than
 * objects. `names`: the current ones. `next` is where to continue; null after the last row.
 */
export type Slice = { rows: string; names: Names; next: ListCursor | null }

/**
 * What agents and wallets are called now. A row is copied once and keeps the names of that time, so they are replaced when it is
 * shown: by the id of the agent or the wallet, and by the wallet's place.
 */
export type Names = Record<string, string | null>

export const placeOf = (chain: string, address: string) => `${chain} ${address}`

/** The row with the current names. */
export function withNames<Row extends Transaction | Escrow>(row: Row, names: Names): Row {
  const named = <Named extends { name: string | null } | null>(one: Named, key: string | null): Named =>
    one && key !== null && Object.hasOwn(names, key) ? { ...one, name: names[key]! } : one
  if ('sourceWallet' in row)
    return {
      ...row,
      sourceWallet: named(row.sourceWallet, row.sourceWallet?.id ?? null),
      agent: named(row.agent, row.agent?.id ?? null),
    }
  const { toWallet, fromWalletChain } = row
  return {
    ...row,
    agent: named(row.agent, row.agentId),
    fromWallet: named(row.fromWallet, row.fromWalletId),
    toWallet: named(toWallet, toWallet && placeOf(fromWalletChain, toWallet.address)),
  }
}

/** Where the next page of recoverable payments begins. `createdAt` in ms. */
export type RecoverableCursor = { createdAt: number; id: string }
/** JSON of a payment (`RecoverablePayment`) and of its payout (`RecoverablePayout`). */
export type RecoverableRow = RecoverableCursor & { recoverable: string; payout: string | null }
export type RecoverableValue = { name: string; value: string }

/** Counted payments on one network, summed by these. `amount` in micro-USDC. */
export type Total = Pick<Counted, 'walletId' | 'state' | 'method'> & { n: number; amount: number }

/** How a wallet's balance changed on a UTC day, today being 0 days ago. `change` in micro-USDC, negative if it fell. */
export type BalanceChange = { walletId: string; daysAgo: number; change: number }

/**
 * `recipients`: the five paid most recently. `failed`: payments that failed in the given time. `balanceChanges`: of the last
 * `balanceDays` days (schemas/overview.ts).
 */
export type Figures = {
  totals: Total[]
  failed: number
  recipients: Overview['recipients']
  balanceChanges: BalanceChange[]
}

/** `now` in ms. */
export type PeriodWanted = { period: Period; now: number }
export type PaidToWanted = PeriodWanted & { by: 'recipient' | 'seller'; limit: number; chain: ChainName }
/** Without what only the Treasury knows: the names of agents. */
export type RefusalSums = Omit<Refusals, 'rows'> & { rows: Omit<Refusals['rows'][number], 'agentName'>[] }
export type AgentSums = Omit<AgentRequests, 'agent'>

/** A wallet's balance before and after a period, by the rows of the list: decimal USDC. */
export type WalletBalance = {
  walletId: string
  name: string | null
  address: string
  chain: ChainName
  opening: string
  closing: string
}

export interface HistoryApi extends Rpc.DurableObjectBranded {
  /**
   * Refused with `unavailable` while History cannot follow its Treasury, or is far behind, and with `unauthenticated` if the
   * login session has ended.
   */
  transactions(caller: CallerId, filter: TransactionsWanted, paging: Paging): Promise<Result<Listed<Transaction>>>
  payouts(caller: CallerId, filter: PayoutsWanted, paging: Paging): Promise<Result<Listed<Escrow>>>
  /** For exports, row by row: a part at a time, the first one with `cursor` null. Only that one checks the owner's session. */
  transactionSlice(caller: CallerId, filter: TransactionsWanted, cursor: ListCursor | null): Promise<Result<Slice>>
  payoutSlice(caller: CallerId, filter: PayoutsWanted, cursor: ListCursor | null): Promise<Result<Slice>>

  /** A part of a group's decisions since `since` (ms), newest first. `next` is null after the last. The first one checks the owner's session. */
  decisions(
    caller: CallerId,
    groupId: string,
    since: number,
    before: DecisionCursor | null,
  ): Promise<Result<{ decisions: PastDecision[]; next: DecisionCursor | null }>>

  /** Balances of all wallets that money has moved in, deleted ones too. `from` and `to` in ms; rows at `to` are later. */
  balances(caller: CallerId, from: number, to: number): Promise<Result<WalletBalance[]>>

  /**
   * Figures of one network, and those of the Treasury, at this time (ms). Takes as long for any number of payments.
   */
  overview(
    caller: CallerId,
    chain: ChainName,
    now: number,
  ): Promise<Result<{ account: AccountFigures; figures: Figures }>>

  /** Who was paid, and what agents asked for. They take as long for any number of payments. */
  paidTo(caller: CallerId, wanted: PaidToWanted): Promise<Result<PaidTo>>
  agentRequests(caller: CallerId, agentId: string, wanted: PeriodWanted): Promise<Result<AgentSums>>
  refusals(caller: CallerId, wanted: PeriodWanted): Promise<Result<RefusalSums>>

  position(): Promise<Position>
  /** Called by the Treasury. Applies the page if it follows the position; repeated changes do nothing. Returns the position. */
  receive(page: ChangePage): Promise<Position>

  /** For a restore of the Treasury: payments that were accepted or have an Idempotency-Key, oldest first. */
  recoverableRows(after: RecoverableCursor, limit: number): Promise<RecoverableRow[]>
  /** The last deadline (unix seconds) of each wallet's payment signatures. */
  recoverableDeadlines(): Promise<{ walletId: string; deadline: number | null }[]>
  /** All named values, ordered by name. */
  recoverableValues(): Promise<RecoverableValue[]>
}
