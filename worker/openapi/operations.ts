import type { z } from 'zod'
import { maxPreparedRows } from '#domain/runs/prepared.ts'
import { payScopes, prepareScope, purchaseScope, type Scope, sendScopes } from '#domain/scopes.ts'
import { PaymentContextQuery, PaymentsQuery } from '#schemas/payment.ts'

/** Names of components of the document (components.ts). */
export type RequestName =
  | 'CreatePayment'
  | 'CreatePurchase'
  | 'PurchaseReceipt'
  | 'CreateBudgetRequest'
  | 'PrepareRun'
  | 'TokenRequest'
  | 'SubmittedToken'
export type ResponseName =
  | 'Payment'
  | 'PaymentList'
  | 'Purchase'
  | 'PaymentCheck'
  | 'PaymentContext'
  | 'BudgetRequest'
  | 'PayoutRun'
  | 'AccessToken'
  | 'Introspection'
export type HeaderName = 'Location' | 'Idempotent-Replayed' | 'Link' | 'Retry-After'

type Success = { status: 200 | 201 | 202; description: string; schema?: ResponseName; headers?: HeaderName[] }

export type Operation = {
  method: 'get' | 'post'
  path: string
  id: string
  tag: 'Payments' | 'Access tokens'
  summary: string
  description: string
  /** Any one of these scopes suffices, and an API key has them all. 'client' = the client's id and secret. */
  access: readonly Scope[] | 'client'
  needsKey?: true
  query?: z.ZodObject
  body?: RequestName
  success: Success
  /** An alternative successful response. */
  orElse?: Success
  /** Error statuses beyond those that every operation has. */
  errors: number[]
}

export const operations: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/payments',
    id: 'createPayment',
    tag: 'Payments',
    summary: 'Create a payment',
    description:
      'Decided immediately: 201 means that the amount is reserved and the payment is being processed. 202 means that the owner has to approve it first: nothing is reserved, and repeating the request with the same key returns the current state. Poll GET until the status is final. Payments to email addresses and phone numbers send a claim link; unclaimed money returns to the wallet.',
    access: sendScopes,
    needsKey: true,
    body: 'CreatePayment',
    success: {
      status: 201,
      description: 'Accepted, by this call or an earlier one with the same key.',
      schema: 'Payment',
      headers: ['Location', 'Idempotent-Replayed'],
    },
    orElse: {
      status: 202,
      description: 'PENDING_APPROVAL: the owner decides, until `approval.expires_at`.',
      schema: 'Payment',
      headers: ['Location', 'Idempotent-Replayed', 'Retry-After'],
    },
    errors: [400, 403, 404, 410, 413, 422, 502],
  },
  {
    method: 'post',
    path: '/v1/payments/check',
    id: 'checkPayment',
    tag: 'Payments',
    summary: 'Check a payment',
    description:
      'A dry run under the same rules. Nothing is reserved or recorded, so a later payment may still be refused. A refusal by a rule is a successful response with allowed: false.',
    access: sendScopes,
    body: 'CreatePayment',
    success: { status: 200, description: 'The expected result of the payment.', schema: 'PaymentCheck' },
    errors: [400, 403, 404, 413, 502],
  },
  {
    method: 'get',
    path: '/v1/payments',
    id: 'listPayments',
    tag: 'Payments',
    summary: 'List payments',
    description: 'The agent’s own payments, newest first. Refused payments are included for 30 days.',
    access: ['payment_context:read'],
    query: PaymentsQuery,
    success: { status: 200, description: 'One page.', schema: 'PaymentList', headers: ['Link'] },
    errors: [400],
  },
  {
    method: 'get',
    path: '/v1/payments/{paymentId}',
    id: 'getPayment',
    tag: 'Payments',
    summary: 'Get a payment',
    description: 'Returns 404 for another agent’s payment.',
    access: ['payment_context:read'],
    success: { status: 200, description: 'The current state of the payment.', schema: 'Payment' },
    errors: [404],
  },
  {
    method: 'post',
    path: '/v1/payments/{paymentId}/cancel',
    id: 'cancelPayment',
    tag: 'Payments',
    summary: 'Cancel a payment',
    description:
      'Possible while it is PENDING_APPROVAL or QUEUED. A signed payment cannot be cancelled. Repeating the call is safe.',
    access: payScopes,
    success: {
      status: 200,
      description: 'The payment with status CANCELLED; its amount is available again.',
      schema: 'Payment',
    },
    errors: [400, 403, 404, 409, 413],
  },
  {
    method: 'post',
    path: '/v1/x402-payments',
    id: 'createPurchase',
    tag: 'Payments',
    summary: 'Buy from an x402 seller',
    description:
      'For a request that was answered with 402: send what the seller asked for, then repeat your request with the header PAYMENT-SIGNATURE. The lowest offer in USDC on the wallet’s network is paid. The amount is reserved until the seller takes it, or no longer can. 202 means that the owner decides (PENDING_APPROVAL), or that it is not signed yet (QUEUED, also after an approval): repeat the request with the same key. The same key returns the same signature while it is valid, and the outcome afterwards. Anyone who has the signature can submit it; the money always goes to the seller.',
    access: [purchaseScope],
    needsKey: true,
    body: 'CreatePurchase',
    success: {
      status: 201,
      description: 'Signed, or by now ended, by this call or an earlier one with the same key.',
      schema: 'Purchase',
      headers: ['Location', 'Idempotent-Replayed'],
    },
    orElse: {
      status: 202,
      description: 'PENDING_APPROVAL or QUEUED: repeat the request.',
      schema: 'Purchase',
      headers: ['Location', 'Idempotent-Replayed', 'Retry-After'],
    },
    errors: [400, 403, 404, 410, 413, 422, 502],
  },
  {
    method: 'post',
    path: '/v1/x402-payments/check',
    id: 'checkPurchase',
    tag: 'Payments',
    summary: 'Check a purchase',
    description:
      'A dry run of POST /v1/x402-payments. Nothing is reserved, recorded or signed, so a later purchase may still be refused. A refusal by a rule is a successful response with allowed: false.',
    access: [purchaseScope],
    body: 'CreatePurchase',
    success: { status: 200, description: 'The expected result of the purchase.', schema: 'PaymentCheck' },
    errors: [400, 403, 404, 413, 422, 502],
  },
  {
    method: 'post',
    path: '/v1/x402-payments/{paymentId}/receipt',
    id: 'storeReceipt',
    tag: 'Payments',
    summary: 'Store a seller’s reply',
    description:
      'What the seller answered, for the records of the owner. It decides nothing: the chain shows whether the seller was paid. A later report replaces it.',
    access: [purchaseScope],
    body: 'PurchaseReceipt',
    success: { status: 200, description: 'The purchase.', schema: 'Payment' },
    errors: [400, 403, 404, 413, 422],
  },
  {
    method: 'post',
    path: '/v1/budget-requests',
    id: 'requestBudget',
    tag: 'Payments',
    summary: 'Request more budget',
    description:
      'Asks the owner to add an amount to the budget of the policy group. Refused for 24 hours after the owner has denied the same request. Repeating the request with the same key returns the current state.',
    access: payScopes,
    needsKey: true,
    body: 'CreateBudgetRequest',
    success: {
      status: 202,
      description: 'The owner has been asked.',
      schema: 'BudgetRequest',
      headers: ['Location', 'Idempotent-Replayed', 'Retry-After'],
    },
    orElse: {
      status: 200,
      description: 'An earlier request with the same key, which has ended.',
      schema: 'BudgetRequest',
      headers: ['Location', 'Idempotent-Replayed'],
    },
    errors: [400, 403, 404, 410, 413, 422],
  },
  {
    method: 'get',
    path: '/v1/budget-requests/{requestId}',
    id: 'getBudgetRequest',
    tag: 'Payments',
    summary: 'Get a budget request',
    description: 'Returns 404 for another agent’s request.',
    access: ['payment_context:read'],
    success: { status: 200, description: 'The current state of the request.', schema: 'BudgetRequest' },
    errors: [404],
  },
  {
    method: 'post',
    path: '/v1/runs',
    id: 'prepareRun',
    tag: 'Payments',
    summary: 'Prepare a payout run',
    description: `Prepares up to ${maxPreparedRows} payments from the wallet of the policy group as one run. Nothing is paid or reserved: a signed-in person submits the run and decides about it on the page at \`url\`; no credential of an agent can. \`verdicts\` names each row with an error, among them what the group’s rules about recipients and single amounts refuse; such rows are left out. Correct them and prepare all rows again with \`replaces\`. At most three runs of an agent are open. Rows that are a run already are refused (\`same_run\`) unless \`again\` is set. 202 means that the rows are still being checked.`,
    access: [prepareScope],
    needsKey: true,
    body: 'PrepareRun',
    success: {
      status: 201,
      description: 'The run with its verdicts, by this call or an earlier one with the same key.',
      schema: 'PayoutRun',
      headers: ['Location', 'Idempotent-Replayed'],
    },
    orElse: {
      status: 202,
      description: 'The rows are still being checked: GET the run.',
      schema: 'PayoutRun',
      headers: ['Location', 'Idempotent-Replayed', 'Retry-After'],
    },
    errors: [400, 403, 404, 409, 410, 413, 422],
  },
  {
    method: 'get',
    path: '/v1/runs/{runId}',
    id: 'getRun',
    tag: 'Payments',
    summary: 'Get a payout run',
    description: 'Returns 404 for any run but those that the agent has prepared.',
    access: ['payment_context:read'],
    success: { status: 200, description: 'The current state of the run.', schema: 'PayoutRun' },
    errors: [404],
  },
  {
    method: 'get',
    path: '/v1/context',
    id: 'getContext',
    tag: 'Payments',
    summary: 'Get the payment context',
    description: 'The agent, its budget, and its policy group with scopes and the first of its whitelisted contacts.',
    access: ['payment_context:read'],
    query: PaymentContextQuery,
    success: { status: 200, description: 'The current context.', schema: 'PaymentContext' },
    errors: [400, 404],
  },
  {
    method: 'post',
    path: '/oauth/token',
    id: 'issueToken',
    tag: 'Access tokens',
    summary: 'Request an access token',
    description:
      'RFC 6749 client credentials grant, with the client id and secret in the Authorization header (Basic) or in the body. Without scope, the token grants what the policy group currently allows. Apps that a person connects by URL use the grants that `/.well-known/oauth-authorization-server` lists.',
    access: 'client',
    body: 'TokenRequest',
    success: { status: 200, description: 'A bearer token that lasts 15 minutes.', schema: 'AccessToken' },
    errors: [],
  },
  {
    method: 'post',
    path: '/oauth/revoke',
    id: 'revokeToken',
    tag: 'Access tokens',
    summary: 'Revoke an access token',
    description: 'RFC 7009. Revokes a token of this client immediately; any other token is ignored.',
    access: 'client',
    body: 'SubmittedToken',
    success: { status: 200, description: 'Revoked, or there was nothing to revoke.' },
    errors: [],
  },
  {
    method: 'post',
    path: '/oauth/introspect',
    id: 'introspectToken',
    tag: 'Access tokens',
    summary: 'Introspect an access token',
    description: 'RFC 7662, for tokens of this client. scope is what the token currently grants.',
    access: 'client',
    body: 'SubmittedToken',
    success: { status: 200, description: 'The token, or active: false.', schema: 'Introspection' },
    errors: [],
  },
]
