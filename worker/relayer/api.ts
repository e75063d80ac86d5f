import type { Address, ChainId, Hex } from '../chain/types.ts'

/** What a job is for, in the Treasury's terms. The Relayer stores it unread and returns it in reports. */
export type JobRef =
  | { type: 'payment'; paymentId: string; version: number }
  | { type: 'deploy'; walletId: string; attempt: number }
  | { type: 'announce'; payoutId: string; attempt: number }
  | { type: 'claim' | 'reclaim'; payoutId: string; version: number }
  | { type: 'walletAction'; actionId: string }

/** A signed intent, or a call that anyone may make, to be executed on chain. Executing it twice is harmless. */
export type RelayJob = {
  /** Stable per signature: `${intent id}:${signature version}`. Submitting the same id again changes nothing. */
  id: string
  ref?: JobRef
  userId: string
  /** The account is new (domain/limits.ts): its jobs share one turn with those of all other new accounts. */
  isNewAccount?: boolean
  /**
   * What the job waits with when others of its account fail in simulation: an agent's id for its payments, a payout's
   * for its announcement and end, a wallet's for its deployment and changes. Unset: the owner's own payments.
   */
  principal?: string
  /** exit: an owner takes their wallet back (withdraw, revoke, disable rotation). */
  kind: 'send' | 'deploy' | 'announce' | 'claim' | 'reclaim' | 'rotate' | 'exit'
  /** The version of the contracts that it calls, which names the Relay contract of its batches. Unset: 1. */
  contractSet?: number
  /** The call, when the job has its own transaction. */
  target: Address
  data: Hex
  /** Set for the sends of smart wallets, which `Relay.sends` executes in batches. `amount` (micro-USDC) and `nonce` are decimal. */
  packed?: { wallet: Address; to: Address; amount: string; nonce: string; deadline: number; r: Hex; vs: Hex }
  /** Unix seconds of chain time. A job with less than 60 s left is dropped. */
  deadline: number
  /**
   * What must never exist twice with different contents, such as `${wallet}:${nonce}` → recipient and amount. The
   * Relayer refuses another content under a known scope, and keeps the scope until a finalized block shows that it was
   * executed or that the last deadline accepted for it has passed. A new job replaces a waiting one of the same scope,
   * since it is a newer signature of the same intent.
   */
  guard?: { scope: string; content: string }
}

/**
 * Ids in the order of submission. `reason` is `frozen`, `full`, `malformed` or a guard conflict. `full`: the object's
 * storage has grown beyond its limit, so it takes only further steps of what was accepted, and exits.
 */
export type SubmitResult = { accepted: string[]; refused: { id: string; reason: string }[] }

/** What the Relayer knows of a job: a hint for people, never proof of payment. */
export type JobReport = {
  id: string
  ref?: JobRef
  /**
   * waiting: not sent yet. parked: cannot be executed now, retried later. broadcast: in a transaction that a node
   * accepted. Final: mined; failed (on chain, three times); dropped (expired, superseded or frozen).
   */
  state: 'waiting' | 'parked' | 'broadcast' | 'mined' | 'failed' | 'dropped'
  /** Set from `broadcast` on. It changes when the transaction is replaced. */
  txHash?: Hex
  /** Why it is parked, failed or dropped, or why nothing is sent at present, in plain words. */
  reason?: string
  /** The contract refuses the call, in simulation or on chain: signing it again would not help. */
  reverts?: boolean
  /** Gas units paid for this job so far: its share of every transaction that was mined with it. */
  gasUsed?: number
}

/** What an operator needs to know of a Relayer. */
export type RelayerHealth = {
  /** Why nothing is sent: a node asks for fees above the ceilings, or an operator has stopped it. Null: jobs are sent. */
  holding: string | null
  /** The error that ended the last step; null: it succeeded. */
  stepError: string | null
  /** Jobs not in a transaction yet, and when the oldest of them was submitted (ms); null without any. */
  waiting: number
  oldestAt: number | null
  /** Jobs of these that could be sent now, and for how long the first of them could have been; 0 without any. */
  ready: number
  readyMs: number
  /** For how long jobs could be sent and none was, while this instance has been loaded; 0: jobs are sent. */
  stalledMs: number
  inFlight: number
  /** Of the object's storage. `isFull`: new work is refused until old rows are pruned. */
  databaseBytes: number
  maxDatabaseBytes: number
  isFull: boolean
}

/** A job that is not in a transaction yet. `since` and `retryAt` in ms. */
export type StuckJob = {
  id: string
  userId: string
  kind: RelayJob['kind']
  state: 'waiting' | 'parked'
  since: number
  retryAt: number
  reason: string | null
}

/** `balance` in wei, `nextNonce` null before the first transaction. */
export type RelayerAccount = {
  address: Address
  balance: bigint
  nextNonce: number | null
  inFlight: number
  /** How long the balance lasts at the pace of the last hours; null: nothing was spent, or it is not known yet. */
  runwayHours: number | null
}

/** One of a Relayer's accounts, by the version of the seed. `balance` in wei. */
export type RelayerAccountState = {
  version: number
  address: Address
  balance: bigint
  /** Transactions whose end is not known. */
  inFlight: number
  /** waiting: it takes over when it has ETH. older: it is followed until nothing is in flight, then swept. */
  state: 'waiting' | 'sending' | 'older'
}

/** An account of an older version with less than this (wei) counts as swept. */
export const sweptWei = 3n * 10n ** 14n // 0.0003 ETH

/** Object name of a shard: one relayer account per chain and shard. */
export const relayerName = (chainId: ChainId, shard: number) => `${chainId}:${shard}`

/** What Treasuries, the cron trigger and operators call over RPC; relayer.ts implements it. */
export interface RelayerApi extends Rpc.DurableObjectBranded {
  /** Queues jobs for delivery. Submitting the same id again changes nothing, whatever became of the job. */
  submit(jobs: RelayJob[]): Promise<SubmitResult>
  /** What is known of these jobs; unknown ids are left out. */
  status(ids: string[]): Promise<JobReport[]>
  /** Like `status`, but returns once the job is no longer `waiting`, or after `ms` (at most 5,000). Null if unknown. */
  wait(id: string, ms: number): Promise<JobReport | null>
  /** The account that pays gas. Throws RpcUnavailable. */
  account(): Promise<RelayerAccount>
  /** All its accounts, of older versions of the seed too. Throws RpcUnavailable. */
  accounts(): Promise<RelayerAccountState[]>
  /** What the Relayer knows by itself: nothing is read from the chain. */
  health(): Promise<RelayerHealth>
  /** Jobs that have waited for a minute or longer, oldest first, and why. */
  stuckJobs(limit: number): Promise<StuckJob[]>
  /**
   * Takes `gas` units from what new accounts may cost on this Relayer today (UTC). False: it is used up. A grant whose
   * reply is lost is not returned.
   */
  grantGas(gas: number): Promise<boolean>
  /**
   * Called by the cron watchdog: works at once, whatever the alarm or a back-off says. True: work was due and the alarm
   * was lost.
   */
  wakeUp(): Promise<boolean>
  /** Drops the user's waiting jobs and refuses new ones: for a restore from a backup. */
  freeze(userId: string): Promise<void>
  /** Accepts the user's jobs again, including those that freezing dropped. */
  unfreeze(userId: string): Promise<void>
}
