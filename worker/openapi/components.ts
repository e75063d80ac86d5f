import { z } from 'zod'
import { allScopes } from '#domain/scopes.ts'
import * as payment from '#schemas/payment.ts'
import { PaymentRecipient } from '#schemas/paymentTerms.ts'
import * as run from '#schemas/preparedRun.ts'
import { ConnectionEventData, PaymentEventData, RunEventData, TestEventData } from '#schemas/webhook.ts'
import * as x402 from '#schemas/x402.ts'
import { agentCalls } from '../services/quotas.ts'
import type { HeaderName, RequestName, ResponseName } from './operations.ts'

export type Json = { [name: string]: unknown }

/** The schemas that validate requests and describe responses. */
const fromZod = {
  ApprovalReference: payment.ApprovalReference,
  Budget: payment.Budget,
  BudgetRequest: payment.BudgetRequest,
  CreateBudgetRequest: payment.CreateBudgetRequest,
  CreatePayment: payment.CreatePayment,
  CreatePurchase: x402.CreatePurchase,
  Payment: payment.Payment,
  PaymentCheck: payment.PaymentCheck,
  PaymentContext: payment.PaymentContext,
  PaymentList: payment.PaymentList,
  PaymentRecipient,
  PayoutRun: run.PayoutRun,
  PrepareRun: run.PrepareRun,
  Purchase: payment.Purchase,
  PurchaseReceipt: x402.PurchaseReceipt,
  PurchaseSignature: x402.PurchaseSignature,
  Problem: payment.Problem,
  PaymentEventData,
  ConnectionEventData,
  RunEventData,
  TestEventData,
}

/** Forms and bodies of OAuth, as defined by RFC 6749, 7009 and 7662. */
const text = (description: string) => ({ type: 'string', description })
const clientFields = {
  client_id: text('Required unless sent in the Authorization header.'),
  client_secret: text('Required unless sent in the Authorization header.'),
}
const oauthSchemas: Record<string, Json> = {
  TokenRequest: {
    type: 'object',
    required: ['grant_type'],
    properties: {
      grant_type: { type: 'string', const: 'client_credentials' },
      scope: text(`Separated by spaces. Known scopes: ${allScopes.join(' ')}.`),
      resource: text('The resource to issue the token for (RFC 8707): the URL of /v1 (default) or of /mcp.'),
      ...clientFields,
    },
  },
  SubmittedToken: {
    type: 'object',
    required: ['token'],
    properties: { token: text('An access token.'), token_type_hint: text('Ignored.'), ...clientFields },
  },
  AccessToken: {
    type: 'object',
    required: ['access_token', 'token_type', 'expires_in', 'scope'],
    properties: {
      access_token: text('Send it in the Authorization header: Bearer …'),
      token_type: { type: 'string', const: 'Bearer' },
      expires_in: { type: 'integer', description: 'Seconds.' },
      scope: text('The granted scopes, which may be fewer than requested.'),
    },
  },
  Introspection: {
    type: 'object',
    required: ['active'],
    properties: {
      active: { type: 'boolean' },
      scope: text('The scopes that the token currently grants.'),
      client_id: { type: 'string' },
      token_type: { type: 'string', const: 'Bearer' },
      exp: { type: 'integer', description: 'Unix seconds.' },
      iat: { type: 'integer', description: 'Unix seconds.' },
      sub: text('The agent’s id.'),
      aud: text('The resource that the token was issued for.'),
      iss: { type: 'string' },
      jti: { type: 'string' },
    },
  },
  OAuthError: {
    type: 'object',
    required: ['error', 'error_description'],
    properties: { error: text('An error code of RFC 6749.'), error_description: { type: 'string' } },
  },
}

export const ref = (
  name:
    | RequestName
    | ResponseName
    | 'Problem'
    | 'OAuthError'
    | 'PaymentEventData'
    | 'ConnectionEventData'
    | 'RunEventData'
    | 'TestEventData',
) => ({
  $ref: `#/components/schemas/${name}`,
})

export function schemas(): Record<string, Json> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(fromZod)) registry.add(schema, { id })
  const made = z.toJSONSchema(registry, {
    io: 'input', // the form that callers send; responses are the same either way
    target: 'draft-2020-12',
    uri: (id) => `#/components/schemas/${id}`,
  })
  const plain = Object.entries(made.schemas).map(([id, { $schema: _, $id: __, id: ___, ...schema }]) => [id, schema])
  return { ...Object.fromEntries(plain), ...oauthSchemas }
}

const quota = `"${agentCalls.name}";q=${agentCalls.limit};w=${agentCalls.windowMs / 1000}`

/** Headers by name. Every response to an agent has the first two. */
export const commonHeaders = ['RateLimit-Policy', 'RateLimit'] as const
export const headers: Record<HeaderName | (typeof commonHeaders)[number] | 'WWW-Authenticate', Json> = {
  'RateLimit-Policy': {
    description: 'The number of calls (q) allowed at once, and in each w seconds.',
    schema: { type: 'string' },
    example: quota,
  },
  RateLimit: {
    description: 'The number of calls left (r). In t seconds all are allowed again; if none is left, one is.',
    schema: { type: 'string' },
    example: `"${agentCalls.name}";r=${agentCalls.limit - 1};t=1`,
  },
  'Retry-After': { description: 'Seconds to wait before retrying.', schema: { type: 'integer', minimum: 1 } },
  'WWW-Authenticate': {
    description: 'Where to get an access token, and which scope it needs.',
    schema: { type: 'string' },
  },
  Location: { description: 'The URL of the payment, budget request or run.', schema: { type: 'string' } },
  'Idempotent-Replayed': {
    description: 'true if an earlier call with this key created the payment.',
    schema: { type: 'string', enum: ['true'] },
  },
  Link: { description: 'The next page, with rel="next".', schema: { type: 'string' } },
}

const pathId = (name: string, description: string): Json => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', minLength: 1, maxLength: 64 },
})

export const parameters: Record<string, Json> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description:
      'A value that you choose for this payment, request or run, the same on every retry. Bare, or quoted as in the IETF draft.',
    schema: { type: 'string', minLength: 1, maxLength: 257, pattern: '^[!-+\\--~]+$' },
    example: '7f9c2ba4-order-1142',
  },
  PaymentId: pathId('paymentId', 'The id that POST /v1/payments returned.'),
  RequestId: pathId('requestId', 'The id that POST /v1/budget-requests returned.'),
  RunId: pathId('runId', 'The id that POST /v1/runs returned.'),
}
