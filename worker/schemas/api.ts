/**
 * The types of all /api calls: what the browser's client may send and what it receives. The client takes its types from
 * this table (web/src/lib/api.ts), and tests/worker/apiContract.test.ts compares it with the types that Hono infers from
 * the routes, so neither side can change alone. Types only: none of this ends up in a bundle.
 *
 * A key is the method and the path below /api, with Hono's `:name` for a path parameter. An entry has
 * - `reply`: `data` of the envelope, as JSON; or `file: true` for a file instead of an envelope;
 * - `body`, `query`: the input before validation (decimal USDC as strings); a `?` means that it may be left out;
 * - `page: true`: the envelope has a `page` in addition to `data`;
 * - `public: true`: no session is required.
 */
import type { z } from 'zod'
import type * as account from './account.ts'
import type { AgentRequests, PaidTo, PaidToParams, PeriodParams, Refusals } from './answers.ts'
import type * as approval from './approval.ts'
import type * as change from './change.ts'
import type * as connection from './connection.ts'
import type {
  Contact,
  ContactBalances,
  ContactBalancesQuery,
  ContactFilter,
  ContactMatches,
  ContactMatchesQuery,
  ContactNames,
  SaveContact,
} from './contact.ts'
import type * as escrow from './escrow.ts'
import type { BooksQuery, PayoutFilter, TransactionFilter } from './lists.ts'
import type { NoticeCount, NoticeList, ReadNotices } from './notice.ts'
import type { CreateOnrampSession, OnrampSession } from './onramp.ts'
import type { Overview, OverviewBalance } from './overview.ts'
import type { CheckPayment, PaymentCheck } from './payment.ts'
import type * as people from './people.ts'
import type * as policy from './policy.ts'
import type { Preferences } from './preferences.ts'
import type { NamedPushSubscription, PushKey, PushTest, SavePushSubscription } from './push.ts'
import type * as replay from './replay.ts'
import type * as runs from './runs.ts'
import type * as sendOn from './sendOn.ts'
import type * as session from './sessionKey.ts'
import type * as transaction from './transaction.ts'
import type { BudgetHistory, BudgetHistoryParams, Spending, SpendingParams, Usage } from './usage.ts'
import type {
  DeleteWallet,
  DeployReply,
  DeployWallet,
  ImportWallet,
  ViewPrivateKey,
  Wallet,
  WalletLedger,
} from './wallet.ts'
import type * as webhook from './webhook.ts'

/** A call whose body is validated by `Schema`. */
type Body<Schema extends z.ZodType, Reply> = { body: z.input<Schema>; reply: Reply }
/** The same without a session. */
type Public<Schema extends z.ZodType, Reply> = Body<Schema, Reply> & { public: true }

export type ApiCalls = {
  'GET /health': { public: true; reply: { status: 'ok' } }
  'GET /ready': { public: true; reply: { status: 'ready' } }
  'GET /config': { public: true; reply: account.PublicConfig }

  'POST /auth/cognito/login': Public<typeof account.Login, account.LoginReply>
  'POST /auth/cognito/new-password': Public<typeof account.AnswerChallenge, account.SignedIn>
  'POST /auth/cognito/refresh': Public<typeof account.Refresh, account.SignedIn>
  'POST /auth/cognito/sign-out': Public<typeof account.Refresh, null>
  'POST /auth/cognito/signup': Public<typeof account.Signup, account.SignupReply & account.SignupToken>
  'POST /auth/cognito/confirm': Public<typeof account.ConfirmEmail, account.ConfirmReply>
  'POST /auth/cognito/confirm-link': Public<typeof account.ConfirmByLink, account.ConfirmReply>
  'POST /auth/cognito/resend-code': Public<typeof account.AskForCode, null>
  'POST /auth/cognito/forgot-password': Public<typeof account.AskForCode, null>
  'POST /auth/cognito/reset-password': Public<typeof account.ResetPassword, null>
  'POST /auth/cognito/reset-password-link': Public<typeof account.ResetPasswordByLink, null>
  'POST /login': Public<
    typeof account.Login,
    { token: string; user: account.User } | Exclude<account.LoginReply, account.SignedIn>
  >

  'POST /users': Public<typeof account.SignupWithPasscode, account.SignupReply>
  'POST /users/complete-onboarding': Body<typeof account.CompleteOnboarding, account.User>
  'GET /users/:userId': { reply: account.User }
  'PATCH /users/:userId': Body<typeof account.EditUser, account.User>
  'POST /users/:userId/public-address/nonce': { reply: account.AddressNonce }
  'PATCH /users/:userId/public-address': Body<typeof account.LinkAddress, account.User>
  'PATCH /users/:userId/change-password': Body<typeof account.ChangePassword, null>

  'GET /contacts': { query?: Omit<PageQuery, 'cursor'> & z.input<typeof ContactFilter>; reply: Contact[]; page: true }
  'GET /contacts/matches': { query?: z.input<typeof ContactMatchesQuery>; reply: ContactMatches }
  'POST /contacts/names': Body<typeof ContactNames, ContactNames>
  'POST /contacts': { body: ContactInput; reply: Contact }
  'GET /contacts/:contactId/groups': { reply: policy.GroupName[] }
  'GET /contacts/balances': { query: z.input<typeof ContactBalancesQuery>; reply: ContactBalances }
  'GET /contacts/:contactId': { reply: Contact }
  'PUT /contacts/:contactId': { body: ContactInput; reply: Contact }
  'DELETE /contacts/:contactId': { reply: null }
  'POST /contacts/:contactId/restore': { reply: Contact }

  'GET /wallets': { reply: Wallet[] }
  'POST /wallets/smart-wallets-v2/deploy': Body<typeof DeployWallet, DeployReply>
  'GET /wallets/smart-wallets-v2/:walletId/session-key': { reply: session.SessionKeyInfo }
  'POST /wallets/smart-wallets-v2/:walletId/rotate-session-key': Body<
    typeof session.RotateSessionKey,
    session.RotateReply
  >
  'POST /wallets/smart-wallets-v2/:walletId/session-offers': Body<typeof session.RotateSessionKey, session.SessionOffer>
  'GET /wallets/smart-wallets-v2/:walletId/owner-signing-context': { reply: session.OwnerSigningContext }
  'POST /wallets/smart-wallets-v2/:walletId/owner-actions': Body<
    typeof session.SubmitOwnerAction,
    session.OwnerActionReply
  >
  'POST /wallets/with-private-key': Body<typeof ImportWallet, Wallet>
  /** Null or blank clears the name. */
  'PUT /wallets/:walletId': { body: { name: string | null }; reply: Wallet }
  'DELETE /wallets/:walletId': Body<typeof DeleteWallet, null>
  'POST /wallets/:walletId/private-key': Body<typeof ViewPrivateKey, { privateKey: string }>
  'POST /wallets/:walletId/pause': { reply: policy.Paused }
  'POST /wallets/:walletId/resume': { reply: policy.Paused }
  'GET /wallets/:walletId/usdc-balance': { reply: { balance: string; symbol: 'USDC' } }
  'GET /wallets/:walletId/ledger': { reply: WalletLedger }

  'GET /policy-groups': { reply: policy.PolicyGroup[] }
  'GET /policy-groups/with-agents': { reply: policy.PolicyGroupWithAgents[] }
  'POST /policy-groups': Body<typeof policy.CreatePolicyGroup, policy.PolicyGroup>
  'GET /policy-groups/:groupId': { reply: policy.PolicyGroup }
  'GET /policy-groups/:groupId/whitelist': { reply: policy.Whitelist }
  'PUT /policy-groups/:groupId': Body<typeof policy.UpdatePolicyGroup, policy.UpdatedPolicyGroup>
  'POST /policy-groups/:groupId/replay': Body<typeof replay.ReplayRequest, replay.Replay>
  'GET /policy-groups/:groupId/budget-history': { query?: BudgetHistoryParams; reply: BudgetHistory }
  'POST /policy-groups/:groupId/top-up': Body<typeof policy.TopUp, policy.ToppedUp>
  'DELETE /policy-groups/:groupId/cascade': { reply: policy.Removed }
  'POST /policy-groups/:groupId/pause': { reply: policy.Paused }
  'POST /policy-groups/:groupId/resume': { reply: policy.Paused }
  'POST /policy-groups/:groupId/confirm': Body<typeof policy.ConfirmRules, policy.PolicyGroup>
  'POST /policy-groups/:groupId/contacts/:contactId/confirm': Body<typeof policy.ConfirmContact, policy.PolicyGroup>

  'GET /account': { reply: policy.AccountState }
  'GET /account/handed-out': { reply: policy.HandedOut[] }
  'POST /account/pause': { reply: policy.Paused }
  'POST /account/resume': { reply: policy.Paused }

  'GET /agents': { reply: policy.Agent[] }
  'POST /agents': Body<typeof policy.CreateAgent, policy.CreatedAgent>
  'PUT /agents/:agentId': Body<typeof policy.UpdateAgent, policy.Agent>
  'DELETE /agents/:agentId': { reply: policy.Removed }
  'POST /agents/:agentId/regenerate-api-key': Body<typeof policy.Regenerate, policy.RegeneratedApiKey>
  'POST /agents/:agentId/regenerate-credentials': Body<typeof policy.Regenerate, policy.RegeneratedCredentials>
  'POST /agents/:agentId/pause': { reply: policy.Paused }
  'POST /agents/:agentId/resume': { reply: policy.Paused }
  'GET /agents/:agentId/refusals': { reply: policy.AgentRefusal[] }
  'POST /agents/:agentId/check': Body<typeof CheckPayment, PaymentCheck>

  'POST /transactions/send': Body<typeof transaction.SendTransaction, transaction.SendReply>
  'POST /transactions/recipient-check': Body<typeof transaction.RecipientCheck, transaction.RecipientHistory>
  'GET /transactions/user': {
    query?: PageQuery & z.input<typeof TransactionFilter>
    reply: transaction.Transaction[]
    page: true
  }
  'GET /transactions/export': { query?: z.input<typeof TransactionFilter>; file: true }
  'GET /transactions/books': { query: z.input<typeof BooksQuery>; file: true }
  'GET /transactions/:transactionId': { reply: transaction.Transaction }

  'GET /escrow/claim/:accessToken': { public: true; reply: escrow.ClaimPayout }
  'POST /escrow/verify-passcode': Public<typeof escrow.VerifyPasscode, escrow.VerifyReply>
  'POST /escrow/claim': Public<typeof escrow.Claim, escrow.ClaimReply>
  'POST /escrow/receipt': Public<typeof escrow.SendReceipt, escrow.ReceiptReply>
  'POST /escrow/resend-passcode': Public<typeof escrow.ResendPasscode, escrow.ResendPasscodeReply>
  'POST /escrow/send-on': Public<typeof sendOn.SendOn, sendOn.SendOnReply>
  'GET /escrow/send-on/:accessToken': {
    public: true
    query: z.input<typeof sendOn.SendOnQuery>
    reply: sendOn.SendOnReply
  }
  'GET /escrow/kept-balance/:accessToken': { public: true; reply: sendOn.KeptBalance }
  'POST /escrow/create': Body<typeof escrow.CreateEscrow, escrow.CreateEscrowReply>
  'GET /escrow/list': {
    query?: PageQuery & z.input<typeof PayoutFilter>
    reply: { escrows: escrow.EscrowItem[] }
    page: true
  }
  'GET /escrow/export': { query?: z.input<typeof PayoutFilter>; file: true }
  'POST /escrow/reclaim-all': { reply: escrow.ReclaimAllReply }
  'GET /escrow/:escrowId': { reply: escrow.EscrowItem }
  'GET /escrow/:escrowId/link': { reply: escrow.ClaimLink }
  'POST /escrow/:escrowId/resend': { reply: escrow.ResendReply }
  'POST /escrow/:escrowId/reclaim': { reply: escrow.ReclaimReply }

  'GET /approvals': { query?: z.input<typeof approval.ApprovalsQuery>; reply: approval.ApprovalList }
  'GET /approvals/:approvalId': { reply: approval.Approval }
  'POST /approvals/:approvalId/approve': Body<typeof approval.Approve, approval.Approval>
  'POST /approvals/:approvalId/deny': Body<typeof approval.Deny, approval.Approval>
  'GET /grants': { query?: z.input<typeof approval.GrantsQuery>; reply: approval.Grant[] }
  'POST /grants/:grantId/end': { reply: approval.Grant }
  'GET /approval-settings': { reply: approval.ApprovalSettings }
  'PUT /approval-settings': Body<typeof approval.SetApprovalSettings, approval.ApprovalSettings>

  'GET /connections': { reply: connection.Connection[] }
  'DELETE /connections/:connectionId': { reply: null }
  'GET /connections/requests/:requestId': { reply: connection.ConnectionRequest }
  'POST /connections/requests/:requestId/allow': Body<typeof connection.AllowConnection, connection.ConnectionAnswer>
  'POST /connections/requests/:requestId/deny': { reply: connection.ConnectionAnswer }
  'POST /connections/device': Body<typeof connection.EnterDeviceCode, connection.EnteredDevice>

  'GET /changes': { query?: z.input<typeof change.ChangesQuery>; reply: change.ChangeList }
  'GET /changes/export': { query?: z.input<typeof change.ChangesFilter>; file: true }
  'POST /changes/end': Body<typeof change.EndChanges, change.EndedChanges>
  'GET /notices': { reply: NoticeList }
  'GET /notices/count': { reply: NoticeCount }
  'POST /notices/read': Body<typeof ReadNotices, NoticeCount>

  'POST /onramp/session': Body<typeof CreateOnrampSession, OnrampSession>
  'GET /overview': { reply: Overview }
  'GET /overview/balance': { reply: OverviewBalance }
  'GET /usage/dashboard': { reply: Usage }
  'GET /usage/spending': { query?: SpendingParams; reply: Spending }
  'GET /usage/recipients': { query?: PaidToParams; reply: PaidTo }
  'GET /usage/agents/:agentId': { params: { agentId: string }; query?: PeriodParams; reply: AgentRequests }
  'GET /usage/refusals': { query?: PeriodParams; reply: Refusals }
  'GET /preferences': { reply: Preferences }
  /** Replaces only the fields in the body. */
  'PUT /preferences': Body<typeof Preferences, null>
  'GET /runs': { query?: z.input<typeof runs.RunsQuery>; reply: runs.RunList }
  'POST /runs': Body<typeof runs.CreateRun, runs.Run>
  'GET /runs/:runId': { reply: runs.Run }
  'GET /runs/:runId/rows': { query?: z.input<typeof runs.RunRowsQuery>; reply: runs.RunRows }
  'GET /runs/:runId/export': { file: true }
  'POST /runs/:runId/submit': { reply: runs.Run }
  'POST /runs/:runId/approve': Body<typeof runs.ApproveRun, runs.Run>
  'POST /runs/:runId/deny': Body<typeof runs.DenyRun, runs.Run>
  'POST /runs/:runId/stop': { reply: runs.Run }
  'POST /runs/:runId/repeat': Body<typeof runs.RepeatRun, runs.Run>

  'GET /people': { reply: people.People }
  'POST /people': Body<typeof people.InvitePerson, people.Member>
  'PUT /people/second-person': Body<typeof people.SetSecondPerson, people.SecondPerson>
  'GET /people/accounts': { reply: people.JoinedAccount[] }
  'POST /people/invitation': Body<typeof people.NamedInvitation, people.Invitation>
  'POST /people/join': Body<typeof people.NamedInvitation, { accountId: string }>
  'POST /people/leave': { reply: null }
  'PATCH /people/:memberId': Body<typeof people.ChangeRole, people.Member>
  'DELETE /people/:memberId': { reply: null }
  'GET /webhooks': { reply: webhook.Webhook[] }
  'POST /webhooks': Body<typeof webhook.CreateWebhook, webhook.CreatedWebhook>
  'PATCH /webhooks/:webhookId': Body<typeof webhook.EditWebhook, webhook.Webhook>
  'DELETE /webhooks/:webhookId': { reply: null }
  'POST /webhooks/:webhookId/rotate-secret': Body<typeof webhook.RotateSecret, webhook.RotatedSecret>
  'POST /webhooks/:webhookId/test': { reply: { id: string } }
  'GET /webhooks/:webhookId/deliveries': {
    query?: z.input<typeof webhook.DeliveriesQuery>
    reply: webhook.DeliveryPage
  }
  'POST /webhooks/:webhookId/deliveries/:deliveryId/replay': { reply: webhook.Delivery }
  'GET /push/key': { reply: PushKey }
  'POST /push/subscriptions': Body<typeof SavePushSubscription, null>
  'DELETE /push/subscriptions': Body<typeof NamedPushSubscription, null>
  'POST /push/test': Body<typeof NamedPushSubscription, PushTest>
  'GET /audit/export': { query?: z.input<typeof change.LogQuery>; file: true }
  /** Local stacks only. `brokenAt`: number of the first row whose hash is wrong. */
  'GET /audit': { reply: { rows: number; head: string; brokenAt: number | null } }
}

/** Pages start at 1 and have at most 100 rows. `cursor` is `next` or `previous` of an earlier page. */
export type PageQuery = { page?: number | undefined; pageSize?: number | undefined; cursor?: string | undefined }

/** At least one of address, email and phone. Absent, null and blank mean the same. */
export type ContactInput = Omit<z.input<typeof SaveContact>, ContactText> & {
  [Field in ContactText]?: string | null | undefined
}
type ContactText = 'address' | 'email' | 'phone' | 'description'

export type ApiCall = keyof ApiCalls

/** Names of the parameters in a path: 'a' | 'b' for '/x/:a/y/:b', `never` if there are none. */
export type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never
