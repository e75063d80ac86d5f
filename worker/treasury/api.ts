import type { RowCursor } from '#domain/listCursor.ts'
import type { MicroUsdc } from '#domain/money.ts'
import type { PayoutStatus } from '#domain/payment.ts'
import type { Period } from '#domain/policyPeriod.ts'
import type { Scope } from '#domain/scopes.ts'
import type { ClaimLink, CreateEscrowReply, Escrow, ReclaimAllReply } from '#schemas/escrow.ts'
import type { Overview } from '#schemas/overview.ts'
import type { Payment, PaymentCheck } from '#schemas/payment.ts'
import type { PaymentTerms } from '#schemas/paymentTerms.ts'
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
import type { Wallet, WalletLedger } from '#schemas/wallet.ts'
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

export type PayInput = {
  principal: Principal
  /** Null for dashboard calls without the header and when an approval is carried out; nothing is deduplicated then. */
  key: string | null
  terms: PaymentTerms
  /**
   * The agent's reason, shown to its owner if the payment needs approval. Not part of the terms: a model that words it
   * differently must get the same payment, not a second one.
   */
  reason?: string | null
  /** The user's contact that is paid, for lists only; `terms.to` decides where the money goes. */
  contact?: { id: string; name: string } | null
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
/** Missing: unchanged (no limit for a new group). Null: no limit. */
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
/** The whitelist stays unchanged without `contactIds`. `contacts` has the current data of those that exist. */
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
/** Who renews a payout's code. `desk` is its ClaimDesk, after too many wrong codes. */
export type RenewedBy = 'sender' | 'recipient' | 'desk'
export type ClaimInput = { payoutId: string; codeVersion: number; to: Address }
/** `agentId` is set if the owner makes a dry run as one of their agents. */
export type CheckInput = Pick<PaymentTerms, 'to' | 'amount'> & { agentId?: string }

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

/** A rate that applies to the caller. `limit` is the burst, which is fully available again after `resetSeconds`. */
export type RateState = {
  name: PaymentRateName
  limit: number
  remaining: number
  windowSeconds: number
  resetSeconds: number
}
/** Gas units that this service pays for the account today (UTC). `remaining` is the caller's; `resetsAt` is ISO 8601. */
export type GasAllowance = { limit: number; used: number; remaining: number; resetsAt: string }

/** `after` is the last row of the previous page. `reference`: only payments with exactly this one. */
export type PaymentsInput = { limit: number; after: RowCursor | null; reference: string | null }

export type PayoutAction = { status: PayoutStatus; txHash: string | null }

/** All wallets on Base if `walletId` is missing. */
export type SpendingInput = { days: number; by: 'agent' | 'group'; walletId?: string | undefined }
/** `before` is the last event of the previous page; its id is the number in the audit log. */
export type BudgetHistoryInput = { days: number; before?: RowCursor | undefined }

/**
 * The RPC methods that other parts of the Worker call, implemented by treasury.ts. Callers depend on this file only, never
 * on the object's internals.
 */
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
  /** Cancels an unsigned payment and releases its reservation once. Another agent's payment is not found. */
  cancelPayment(principal: Principal, id: string): Promise<Result<Payment>>
  /** POST /v1/payments/check, or the owner's dry run as one of their agents. Reserves and records nothing. */
  checkPayment(principal: Principal, input: CheckInput): Promise<Result<PaymentCheck>>
  /** Agents see only their own payments. */
  payment(principal: Principal, id: string): Promise<Result<Payment>>
  /** Newest first. */
  payments(principal: Principal, input: PaymentsInput): Promise<Result<{ payments: Payment[]; next: RowCursor | null }>>
  transaction(id: string): Promise<Result<Transaction>>
  recipientHistory(input: RecipientInput): Promise<RecipientHistory>

  escrow(id: string): Promise<Result<Escrow>>
  /** For the sender only; agents never see the link. */
  claimLink(payoutId: string): Promise<Result<ClaimLink>>
  /** Called by the ClaimDesk after the recipient has entered the right code. */
  claim(input: ClaimInput): Promise<Result<PayoutAction>>
  reclaim(payoutId: string): Promise<Result<PayoutAction>>
  reclaimAll(): Promise<Result<ReclaimAllReply>>
  /**
   * The ClaimDesk has the new code before this returns, so the old one is refused from then on. The desk passes the version
   * whose attempts are used up; if the code has been renewed since, the call is a no-op.
   */
  resendCode(payoutId: string, by: RenewedBy, triesVersion?: number): Promise<Result<{ resendsLeft: number }>>

  wallets(): Promise<Wallet[]>
  deploy(input: DeployInput): Promise<Result<Wallet>>
  importWallet(input: ImportInput): Promise<Result<Wallet>>
  renameWallet(walletId: string, name: string | null): Promise<Result<Wallet>>
  deleteWallet(walletId: string): Promise<Result<null>>
  viewPrivateKey(walletId: string, masterPassword: string): Promise<Result<{ privateKey: string }>>
  /** Decimal USDC on chain; null if it can't be read. */
  balance(walletId: string): Promise<Result<string | null>>
  /** Whether `address` is an active wallet of the user on Base. */
  hasWallet(address: string): Promise<boolean>
  /** The wallet's ledger next to its on-chain balance, after a fresh reading of the chain. */
  ledger(walletId: string): Promise<Result<WalletLedger>>
  sessionKey(walletId: string): Promise<Result<SessionKeyInfo>>
  rotateSessionKey(input: RotateInput): Promise<Result<RotateReply>>
  /** The values that the owner's next signature must bind. */
  ownerSigningContext(walletId: string): Promise<Result<OwnerSigningContext>>
  offerSession(input: RotateInput): Promise<Result<SessionOffer>>
  submitOwnerAction(input: OwnerActionInput): Promise<Result<OwnerActionReply>>

  groups(): Promise<PolicyGroupWithAgents[]>
  group(id: string): Promise<Result<PolicyGroup>>
  createGroup(input: GroupInput): Promise<Result<PolicyGroup>>
  editGroup(id: string, edit: GroupEdit): Promise<Result<UpdatedPolicyGroup>>
  topUp(id: string, amount: MicroUsdc, key: string | null): Promise<Result<ToppedUp>>
  deleteGroup(id: string): Promise<Result<Removed & { agentIds: string[] }>>
  confirmContact(groupId: string, contactId: string, seen: ContactMethods): Promise<Result<PolicyGroup>>
  /** Called before a contact changes, or with null before it is deleted. */
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
  /** POST /oauth/revoke: the token is refused from now on. `endsAt` (ms) is when it would have expired. */
  revokeToken(tokenId: string, endsAt: number): Promise<void>

  overview(): Promise<Omit<Overview, 'contactCount'>>
  usage(): Promise<Usage>
  spending(input: SpendingInput): Promise<Result<Spending>>
  budgetHistory(groupId: string, input: BudgetHistoryInput): Promise<Result<BudgetHistory>>
  /** Sends pending changes to D1's lists, so that a list read next includes them. Failed ones are retried later. */
  syncReadModel(): Promise<void>
  auditCheck(): Promise<{ rows: number; head: string; brokenAt: number | null }>

  /** Called by the Relayer with hints about jobs, which settle nothing. */
  reportJobs(reports: JobReport[]): Promise<void>
  /** Called by the cron watchdog. Re-arms the alarm; returns true if it had been lost although work was due. */
  wakeUp(): Promise<boolean>
}
