import type { MicroUsdc } from '#domain/money.ts'
import type { PayoutStatus } from '#domain/payment.ts'
import type { Period } from '#domain/policyPeriod.ts'
import type { Scope } from '#domain/scopes.ts'
import type { ClaimLink, CreateEscrowReply, Escrow, ReclaimAllReply } from '#schemas/escrow.ts'
import type { Overview } from '#schemas/overview.ts'
import type { Payment, PaymentCheck } from '#schemas/payment.ts'
import type {
  AccountState,
  Agent,
  AgentRefusal,
  Paused,
  PolicyGroup,
  PolicyGroupWithAgents,
  Removed,
  ToppedUp,
  UpdatedPolicyGroup,
} from '#schemas/policy.ts'
import type {
  OwnerActionReply,
  OwnerSigningContext,
  RotateReply,
  SessionKeyInfo,
  SessionOffer,
} from '#schemas/sessionKey.ts'
import type { RecipientHistory, Transaction } from '#schemas/transaction.ts'
import type { BudgetHistory, Spending, Usage } from '#schemas/usage.ts'
import type { Wallet } from '#schemas/wallet.ts'
import type { Address, ChainId, Hex } from '../chain/types.ts'
import type { JobReport } from '../relayer/api.ts'
import type { Result } from '../result.ts'
import type { ApprovalCalls } from './approvals/api.ts'
import type { BackupCalls } from './backup/api.ts'
import type { KeyCalls } from './keys/api.ts'
import type { OperatorCalls } from './operators/api.ts'
import type { AgentInput, NewCredential } from './policies/api.ts'
import type { Principal } from './principal.ts'
import type { RestoreCalls } from './restore/api.ts'
import type { WebhookCalls } from './webhooks/api.ts'

export type { AgentInput, NewCredential, Principal }

/** A recipient as asked for. For contacts the whitelist snapshot decides where the money goes. */
export type Recipient =
  | { type: 'address'; address: Address }
  | { type: 'email'; email: string }
  | { type: 'phone'; phone: string }
  | { type: 'contact'; contactId: string; method?: 'address' | 'email' | 'phone' }

export type PayInput = {
  principal: Principal
  /** Null only for dashboard calls without the header: then one is made up. */
  key: string | null
  /** Agents pay from their group's wallet; the user names one. */
  walletId: string | null
  to: Recipient
  amount: MicroUsdc
  memo: string | null
  /** An agent's words to its owner, in case the payment has to be approved. */
  reason?: string | null
  /** The user's own contact that this goes to, for lists alone: `to` says where the money goes. */
  contact?: { id: string; name: string } | null
  /** Payouts only. */
  expiresInDays?: 1 | 7 | 30 | 90
  senderName?: string | null
}
export type DeployInput = { key: string | null; owner: Address; chainId: ChainId; name: string | null }
export type GroupInput = {
  key: string | null
  name: string
  spendLimit: MicroUsdc | null
  scopes: string[]
  walletId: string
  contacts: ContactSnapshot[]
  limits?: GroupLimits
}
export type ContactMethods = { address: string | null; email: string | null; phone: string | null }
export type ContactSnapshot = ContactMethods & { id: string; name: string }
/** Absent = unchanged (none for a new group), null = no such limit. */
export type GroupLimits = {
  maxPayment?: MicroUsdc | null | undefined
  periodBudget?: { period: Period; limit: MicroUsdc } | null | undefined
  maxUnclaimed?: MicroUsdc | null | undefined
  emailDomains?: string[] | null | undefined
  phoneCodes?: string[] | null | undefined
  approveAbove?: MicroUsdc | null | undefined
  approveNewRecipient?: boolean | undefined
  approvalTtlHours?: number | undefined
  duplicateMinutes?: number | undefined
}
/** `contactIds` absent: the whitelist stays. `contacts`: those of them that exist, as they are now. */
export type GroupEdit = {
  version: number | undefined
  name: string
  scopes: string[]
  walletId: string | undefined
  spendLimit: MicroUsdc | null | undefined
  contactIds: string[] | undefined
  contacts: ContactSnapshot[]
  limits: GroupLimits
}
export type PauseSubject = { kind: 'account' } | { kind: 'agent' | 'group' | 'wallet'; id: string }
/** Who renews a payout's code. `desk`: its ClaimDesk, after too many wrong ones. */
export type RenewedBy = 'sender' | 'recipient' | 'desk'
export type ClaimInput = { payoutId: string; codeVersion: number; to: Address }
/** A wallet's ledger beside the chain, for anyone who checks the books (invariant I1). Decimal USDC. */
export type LedgerView = {
  walletId: string
  address: Address
  deposits: string
  returns: string
  out: string
  withdrawn: string
  held: string
  available: string
  escrowed: string
  spent: string
  /** USDC balance on chain at the block below; null when it can't be read. */
  chainBalance: string | null
  scannedBlock: number
}

/** `agentId`: for the owner, who asks as one of their agents. */
export type CheckInput = { to: Recipient; amount: MicroUsdc; agentId?: string }

export type RecipientInput = {
  amount: MicroUsdc
  toAddress?: string | undefined
  recipientEmail?: string | undefined
  recipientPhone?: string | undefined
}

/** `limit` in micro-USDC. */
export type RotateInput = { key: string | null; walletId: string; limit: bigint; hours: number }

/** An owner's signature over one of the wallet's owner actions. `deadline` in unix seconds. */
export type OwnerActionInput = {
  walletId: string
  ownerNonce: bigint
  deadline: number
  signature: Hex
} & (
  | { kind: 'setSession'; actionId: string }
  | { kind: 'revokeSession' | 'disableRotation' }
  | { kind: 'withdraw'; to: Address; amount: bigint }
)

export type ImportInput = {
  key: string | null
  name: string | null
  address: Address
  chainId: ChainId
  policyGroupId: string | null
  privateKey: Hex
  masterPassword: string
}

export type AgentContext = {
  agent: Agent
  group: PolicyGroup
  maxAllowedNow: string
  rates: RateState[]
  gas: GasAllowance
}

export type PaymentRateName = 'agent_payments' | 'user_payments'

/** A rate that applies to the caller. `limit`: at once; it is full again after `resetSeconds`. */
export type RateState = {
  name: PaymentRateName
  limit: number
  remaining: number
  windowSeconds: number
  resetSeconds: number
}
/** Gas units that this service pays for the account today (UTC). `remaining`: for the caller. `resetsAt`: ISO 8601. */
export type GasAllowance = { limit: number; used: number; remaining: number; resetsAt: string }

/** The last row of a page, for the next one. `createdAt` in ms. */
export type PaymentCursor = { createdAt: number; id: string }

export type PayoutAction = { status: PayoutStatus; txHash: string | null }

/**
 * What other parts of the Worker call over RPC; treasury.ts implements it. Callers depend on this file alone, never on
 * the object's internals.
 */
/** `walletId`: absent for all wallets on Base. */
export type SpendingInput = { days: number; by: 'agent' | 'group'; walletId?: string | undefined }
/** `before`: the last event (ms, number in the audit log) of the page before. */
export type BudgetHistoryInput = { days: number; before?: { at: number; seq: number } | undefined }

export interface TreasuryApi
  extends Rpc.DurableObjectBranded,
    ApprovalCalls,
    BackupCalls,
    RestoreCalls,
    KeyCalls,
    OperatorCalls,
    WebhookCalls {
  /** POST /v1/payments. The same key returns the same payment, whatever happened since. */
  payAsAgent(input: PayInput): Promise<Result<{ payment: Payment; replayed: boolean; rates: RateState[] }>>
  /** POST /transactions/send. Waits up to 300 ms for a transaction hash. */
  send(input: PayInput): Promise<Result<Transaction>>
  /** POST /escrow/create. Link and code are returned to the sender once, after the link is in D1. */
  createPayout(input: PayInput): Promise<Result<CreateEscrowReply>>
  /** While it is unsigned; releases its reservation once. Another agent's id is not found. */
  cancelPayment(principal: Principal, id: string): Promise<Result<Payment>>
  /** POST /v1/payments/check, or the owner asking as one of their agents. Reserves and records nothing. */
  checkPayment(principal: Principal, input: CheckInput): Promise<Result<PaymentCheck>>
  /** The agent's own payments only. */
  payment(principal: Principal, id: string): Promise<Result<Payment>>
  /** Newest first. */
  payments(
    principal: Principal,
    limit: number,
    after: PaymentCursor | null,
  ): Promise<Result<{ payments: Payment[]; last: PaymentCursor | null; more: boolean }>>
  transaction(id: string): Promise<Result<Transaction>>
  recipientHistory(input: RecipientInput): Promise<RecipientHistory>

  escrow(id: string): Promise<Result<Escrow>>
  /** For the sender alone: agents never see it. */
  claimLink(payoutId: string): Promise<Result<ClaimLink>>
  /** From the ClaimDesk, for a recipient whose code was right. */
  claim(input: ClaimInput): Promise<Result<PayoutAction>>
  reclaim(payoutId: string): Promise<Result<PayoutAction>>
  reclaimAll(): Promise<Result<ReclaimAllReply>>
  /**
   * The ClaimDesk knows the new code before this returns, so the old one is refused from then on. The desk names the version
   * whose tries are used up: if the code was renewed since, nothing happens.
   */
  resendCode(payoutId: string, by: RenewedBy, triesVersion?: number): Promise<Result<{ resendsLeft: number }>>

  wallets(): Promise<Wallet[]>
  deploy(input: DeployInput): Promise<Result<Wallet>>
  importWallet(input: ImportInput): Promise<Result<Wallet>>
  renameWallet(walletId: string, name: string | null): Promise<Result<Wallet>>
  deleteWallet(walletId: string): Promise<Result<null>>
  viewPrivateKey(walletId: string, masterPassword: string): Promise<Result<{ privateKey: string }>>
  /** Decimal USDC on chain; null when it can't be read. */
  balance(walletId: string): Promise<Result<string | null>>
  /** Is this an active wallet of the user on Base? */
  hasWallet(address: string): Promise<boolean>
  /** The books beside the chain, after reading it up to now. */
  ledger(walletId: string): Promise<Result<LedgerView>>
  sessionKey(walletId: string): Promise<Result<SessionKeyInfo>>
  rotateSessionKey(input: RotateInput): Promise<Result<RotateReply>>
  /** What the owner's next signature must bind. */
  ownerSigningContext(walletId: string): Promise<Result<OwnerSigningContext>>
  offerSession(input: RotateInput): Promise<Result<SessionOffer>>
  submitOwnerAction(input: OwnerActionInput): Promise<Result<OwnerActionReply>>

  groups(): Promise<PolicyGroupWithAgents[]>
  createGroup(input: GroupInput): Promise<Result<PolicyGroup>>
  editGroup(id: string, edit: GroupEdit): Promise<Result<UpdatedPolicyGroup>>
  topUp(id: string, amount: MicroUsdc, key: string | null): Promise<Result<ToppedUp>>
  deleteGroup(id: string): Promise<Result<Removed & { agentIds: string[] }>>
  confirmContact(groupId: string, contactId: string, seen: ContactMethods): Promise<Result<PolicyGroup>>
  /** Before a contact changes; null: before it is deleted. */
  contactChanged(contactId: string, now: (ContactMethods & { name?: string }) | null): Promise<void>
  agents(): Promise<Agent[]>
  agent(id: string): Promise<Result<Agent>>
  createAgent(input: AgentInput): Promise<Result<{ agent: Agent; repeated: boolean }>>
  editAgent(id: string, edit: { name: string; memo: string | null }): Promise<Result<Agent>>
  deleteAgent(id: string): Promise<Result<Removed>>
  replaceCredential(id: string, input: NewCredential): Promise<Result<{ previousUntil: number | null }>>
  pause(subject: PauseSubject, paused: boolean): Promise<Result<Paused>>
  account(): Promise<AccountState>
  /** The agent's recorded refusals, newest first. */
  refusals(agentId: string): Promise<Result<AgentRefusal[]>>
  /** GET /v1/context: what the agent may do now. */
  agentContext(principal: Principal): Promise<Result<AgentContext>>
  /** POST /oauth/token: what the group allows now. */
  agentScopes(principal: Principal): Promise<Result<Scope[]>>
  /** POST /oauth/revoke: refused from now on. `endsAt` (ms) is when it would have expired. */
  revokeToken(tokenId: string, endsAt: number): Promise<void>

  overview(): Promise<Omit<Overview, 'contactCount'>>
  usage(): Promise<Usage>
  spending(input: SpendingInput): Promise<Result<Spending>>
  budgetHistory(groupId: string, input: BudgetHistoryInput): Promise<Result<BudgetHistory>>
  /** Writes to D1 what its lists do not show yet, so that a list read next has it. What fails is retried later. */
  syncReadModel(): Promise<void>
  auditCheck(): Promise<{ rows: number; head: string; brokenAt: number | null }>

  /** From the Relayer: hints about jobs. Nothing is settled by them. */
  reportJobs(reports: JobReport[]): Promise<void>
  /** From the cron watchdog: sets the alarm again. True: work was due and the alarm was lost. */
  wakeUp(): Promise<boolean>
}
