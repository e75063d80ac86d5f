import type { Address, ChainId, Hex, Log } from '../chain/types.ts'

/** What a job is for, in the Treasury's terms. The Relayer stores it unread and returns it in reports. */
export type JobRef =
  | { type: 'payment'; paymentId: string; version: number }
  | { type: 'deploy'; walletId: string; attempt: number }
  | { type: 'announce'; payoutId: string; attempt: number }
  | { type: 'claim' | 'reclaim'; payoutId: string; version: number }
  | { type: 'sendOn'; payoutId: string; nonce: Hex }
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
   * When a job fails in simulation, the other jobs of its account with the same principal wait with it: an agent's id for
   * its payments, a payout's for its announcement, end and what its recipient sends on, a wallet's for its deployment and changes. Not set for the
   * owner's own payments.
   */
  principal?: string
  /** sendOn: by a payout's recipient. exit: an owner takes their wallet back (withdraw, revoke, disable rotation). */
  kind: 'send' | 'sendOn' | 'deploy' | 'announce' | 'claim' | 'reclaim' | 'rotate' | 'exit'
  /** The version of the contracts that it calls, which determines the Relay contract of its batches. Defaults to 1. */
  contractSet?: number
  /** The call, unless the job is sent packed in a batch. */
  target: Address
  data: Hex
  /** Set for sends of smart wallets, which `Relay.sends` executes in batches. `amount` (micro-USDC) and `nonce`: decimal. */
  packed?: { wallet: Address; to: Address; amount: string; nonce: string; deadline: number; r: Hex; vs: Hex }
  /** Unix seconds of chain time. A job with less than 60 s left is dropped. */
  deadline: number
  /**
   * What must never exist twice with different contents, such as `${wallet}:${nonce}` → recipient and amount. The
   * Relayer refuses different content under a known scope, and keeps the scope until a finalized block shows that it was
   * executed or that the last deadline accepted for it has passed. A new job replaces a waiting one of the same scope,
   * since it is a newer signature of the same intent.
   */
  guard?: { scope: string; content: string }
}

/**
 * Ids in the order of submission. `reason` is `frozen`, `full`, `malformed` or a guard conflict. `full`: the object's
 * storage has grown beyond its limit, so it accepts only further steps of accepted work, and exits.
 */
export type SubmitResult = { accepted: string[]; refused: { id: string; reason: string }[] }

/** What the Relayer knows of a job: a hint for people, never proof of payment by itself. */
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
  /** If mined: in which block, as the Relayer's node showed it. */
  block?: number
  /** If a send was mined: the logs in its receipt that its smart wallet emitted, or that name it, if they are still known. */
  logs?: Log[]
  /** Why it is parked, failed or dropped, or why nothing is sent at present, in plain words. */
  reason?: string
  /** The contract refuses the call, in simulation or on chain: signing it again would not help. */
  reverts?: boolean
  /** Gas units paid for this job so far: its share of every transaction that was mined with it. */
  gasUsed?: number
}

/** Relayer status, for operators. */
export type RelayerHealth = {
  /** Why nothing is sent: fees above the ceilings, or an operator has stopped delivery. Null if jobs are sent. */
  holding: string | null
  /** The error that ended the last step; null if it succeeded. */
  stepError: string | null
  /** Number of jobs not in a transaction yet, and when the oldest was submitted (ms); null if there are none. */
  waiting: number
  oldestAt: number | null
  /** Number of jobs ready to send, and how long the oldest of them has been ready (ms); 0 if there are none. */
  ready: number
  readyMs: number
  /** How long jobs have been ready without any being sent (ms), since this instance was loaded; 0 if jobs are sent. */
  stalledMs: number
  inFlight: number
  /** Size of the object's storage. `isFull`: new work is refused until old rows are pruned. */
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
  /** How long the balance lasts at the rate of the last hours; null if nothing was spent or if it is not known yet. */
  runwayHours: number | null
}

/** One of a Relayer's accounts, by the version of the seed. `balance` in wei. */
export type RelayerAccountState = {
  version: number
  address: Address
  balance: bigint
  /** Number of transactions whose outcome is not known. */
  inFlight: number
  /** waiting: it takes over when it has ETH. older: it is followed until nothing is in flight, then swept. */
  state: 'waiting' | 'sending' | 'older'
}

/** An account of an older version with less than this (wei) counts as swept. */
export const sweptWei = 3n * 10n ** 14n // 0.0003 ETH

/** What a new account asks gas for: the first deploy of its first wallet, an owner exit, or anything else. */
export type GasPurpose = 'firstDeploy' | 'exit' | 'work'

/** Object name of a shard: one relayer account per chain and shard. */
export const relayerName = (chainId: ChainId, shard: number) => `${chainId}:${shard}`

/** The RPC calls of Treasuries, the cron trigger and operators; relayer.ts implements them. */
export interface RelayerApi extends Rpc.DurableObjectBranded {
  /** Queues jobs for delivery. Submitting the same id again changes nothing, whatever the outcome of the job. */
  submit(jobs: RelayJob[]): Promise<SubmitResult>
  /** The reports of these jobs; unknown ids are left out. */
  status(ids: string[]): Promise<JobReport[]>
  /** Like `status`, but returns once the job is no longer `waiting`, or after `ms` (at most 5,000). Null if unknown. */
  wait(id: string, ms: number): Promise<JobReport | null>
  /** The account that pays gas. Throws RpcUnavailable. */
  account(): Promise<RelayerAccount>
  /** All its accounts, including those of older versions of the seed. Throws RpcUnavailable. */
  accounts(): Promise<RelayerAccountState[]>
  /** The Relayer's own status; nothing is read from the chain. */
  health(): Promise<RelayerHealth>
  /** Jobs that have waited for a minute or longer, oldest first, and why. */
  stuckJobs(limit: number): Promise<StuckJob[]>
  /**
   * Takes `gas` units from what new accounts may cost on this Relayer today (UTC). Returns false if it is used up. A grant
   * whose reply is lost is not refunded.
   */
  grantGas(gas: number, purpose: GasPurpose): Promise<boolean>
  /** Whether `grantGas` would take this now. */
  hasGas(gas: number, purpose: GasPurpose): Promise<boolean>
  /**
   * Called by the cron watchdog. Works immediately, regardless of the alarm or a back-off. Returns true if work was due
   * and the alarm was lost.
   */
  wakeUp(): Promise<boolean>
  /** Drops the user's waiting jobs and refuses new ones: for a restore from a backup. */
  freeze(userId: string): Promise<void>
  /** Accepts the user's jobs again, including those that freezing dropped. */
  unfreeze(userId: string): Promise<void>
}
