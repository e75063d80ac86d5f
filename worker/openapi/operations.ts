import type { z } from 'zod'
import { type Scope, visibleScopes } from '../domain/scopes.ts'
import { PaymentsQuery } from '../schemas/payment.ts'

/** Names of components of the document (components.ts). */
export type BodyName = 'CreatePayment' | 'TokenRequest' | 'TokenToLookAt'
export type AnswerName = 'Payment' | 'PaymentList' | 'PaymentCheck' | 'PaymentContext' | 'AccessToken' | 'Introspection'
export type HeaderName = 'Location' | 'Idempotent-Replayed' | 'Link'

export type Operation = {
  method: 'get' | 'post'
  path: string
  id: string
  tag: 'Payments' | 'Access tokens'
  summary: string
  description: string
  /** Any one of these scopes; an API key has them all. 'client' = the client's own id and secret. */
  access: readonly Scope[] | 'client'
  needsKey?: true
  query?: z.ZodObject
  body?: BodyName
  answer: { status: 200 | 201; description: string; schema?: AnswerName; headers?: HeaderName[] }
  /** Statuses of refusals beside those every call may have. */
  refusals: number[]
}

export const operations: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/payments',
    id: 'createPayment',
    tag: 'Payments',
    summary: 'Pay',
    description:
      'Decides at once: when this answers 201 the money is reserved and the payment is on its way. Follow it with GET until its status is final. Payments to email addresses and phones send a claim link; unclaimed money returns to the wallet.',
    access: visibleScopes,
    needsKey: true,
    body: 'CreatePayment',
    answer: {
      status: 201,
      description: 'Accepted, now or by an earlier call with this key.',
      schema: 'Payment',
      headers: ['Location', 'Idempotent-Replayed'],
    },
    refusals: [400, 403, 404, 413, 422, 502],
  },
  {
    method: 'post',
    path: '/v1/payments/check',
    id: 'checkPayment',
    tag: 'Payments',
    summary: 'Would this be allowed?',
    description:
      'A dry run by the same rules. Nothing is reserved or recorded, so a later payment may still be refused. A refusal by a rule is an answer here: allowed is false.',
    access: visibleScopes,
    body: 'CreatePayment',
    answer: { status: 200, description: 'What would happen.', schema: 'PaymentCheck' },
    refusals: [400, 403, 404, 413, 502],
  },
  {
    method: 'get',
    path: '/v1/payments',
    id: 'listPayments',
    tag: 'Payments',
    summary: 'List payments',
    description: 'The agent’s own payments, newest first, refused ones included for 30 days.',
    access: ['payment_context:read'],
    query: PaymentsQuery,
    answer: { status: 200, description: 'One page.', schema: 'PaymentList', headers: ['Link'] },
    refusals: [400],
  },
  {
    method: 'get',
    path: '/v1/payments/{paymentId}',
    id: 'getPayment',
    tag: 'Payments',
    summary: 'Look up a payment',
    description: 'Another agent’s payment is not found.',
    access: ['payment_context:read'],
    answer: { status: 200, description: 'The payment as it is now.', schema: 'Payment' },
    refusals: [404],
  },
  {
    method: 'post',
    path: '/v1/payments/{paymentId}/cancel',
    id: 'cancelPayment',
    tag: 'Payments',
    summary: 'Cancel a payment',
    description:
      'Possible while it is QUEUED. What is signed is on its way and cannot be taken back. A repeat answers the same.',
    access: visibleScopes,
    answer: { status: 200, description: 'The payment, CANCELLED; its amount is available again.', schema: 'Payment' },
    refusals: [400, 403, 404, 409, 413],
  },
  {
    method: 'get',
    path: '/v1/context',
    id: 'getContext',
    tag: 'Payments',
    summary: 'What may I pay?',
    description: 'The agent, its policy group with scopes and whitelisted contacts, and its budget.',
    access: ['payment_context:read'],
    answer: { status: 200, description: 'As it is now.', schema: 'PaymentContext' },
    refusals: [404],
  },
  {
    method: 'post',
    path: '/oauth/token',
    id: 'issueToken',
    tag: 'Access tokens',
    summary: 'Get an access token',
    description:
      'RFC 6749 client credentials, with the client id and secret in the Authorization header (Basic) or in the body. Without scope the token carries what the policy group allows now.',
    access: 'client',
    body: 'TokenRequest',
    answer: { status: 200, description: 'A bearer token for 15 minutes.', schema: 'AccessToken' },
    refusals: [],
  },
  {
    method: 'post',
    path: '/oauth/revoke',
    id: 'revokeToken',
    tag: 'Access tokens',
    summary: 'Revoke an access token',
    description: 'RFC 7009. The client’s own token is refused from now on; anything else changes nothing.',
    access: 'client',
    body: 'TokenToLookAt',
    answer: { status: 200, description: 'Done, or there was nothing to do.' },
    refusals: [],
  },
  {
    method: 'post',
    path: '/oauth/introspect',
    id: 'introspectToken',
    tag: 'Access tokens',
    summary: 'Is this token good?',
    description: 'RFC 7662, for the client’s own tokens. scope is what the token opens now.',
    access: 'client',
    body: 'TokenToLookAt',
    answer: { status: 200, description: 'The token, or that it is not active.', schema: 'Introspection' },
    refusals: [],
  },
]
