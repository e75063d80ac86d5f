import { z } from 'zod'
import { allScopes } from '../domain/scopes.ts'
import {
  Budget,
  CreatePayment,
  Payment,
  PaymentCheck,
  PaymentContext,
  PaymentList,
  PaymentRecipient,
  Problem,
} from '../schemas/payment.ts'
import { agentCalls } from '../services/quotas.ts'
import type { AnswerName, BodyName, HeaderName } from './operations.ts'

export type Json = { [name: string]: unknown }

/** The schemas requests are checked with and answers are made of. */
const fromZod = { Budget, CreatePayment, Payment, PaymentCheck, PaymentContext, PaymentList, PaymentRecipient, Problem }

/** OAuth's forms and bodies, which RFC 6749, 7009 and 7662 define. */
const text = (description: string) => ({ type: 'string', description })
const clientFields = {
  client_id: text('Unless it is in the Authorization header.'),
  client_secret: text('Unless it is in the Authorization header.'),
}
const oauthSchemas: Record<string, Json> = {
  TokenRequest: {
    type: 'object',
    required: ['grant_type'],
    properties: {
      grant_type: { type: 'string', const: 'client_credentials' },
      scope: text(`Separated by spaces: ${allScopes.join(' ')}.`),
      resource: text('What the token is for (RFC 8707): the address of /v1, which is the default, or of /mcp.'),
      ...clientFields,
    },
  },
  TokenToLookAt: {
    type: 'object',
    required: ['token'],
    properties: { token: text('An access token.'), token_type_hint: text('Ignored.'), ...clientFields },
  },
  AccessToken: {
    type: 'object',
    required: ['access_token', 'token_type', 'expires_in', 'scope'],
    properties: {
      access_token: text('For the Authorization header: Bearer …'),
      token_type: { type: 'string', const: 'Bearer' },
      expires_in: { type: 'integer', description: 'Seconds.' },
      scope: text('What the token carries, which may be less than was asked for.'),
    },
  },
  Introspection: {
    type: 'object',
    required: ['active'],
    properties: {
      active: { type: 'boolean' },
      scope: text('What the token opens now.'),
      client_id: { type: 'string' },
      token_type: { type: 'string', const: 'Bearer' },
      exp: { type: 'integer', description: 'Unix seconds.' },
      iat: { type: 'integer', description: 'Unix seconds.' },
      sub: text('The agent.'),
      aud: text('What the token is for.'),
      iss: { type: 'string' },
      jti: { type: 'string' },
    },
  },
  OAuthError: {
    type: 'object',
    required: ['error', 'error_description'],
    properties: { error: text('A code of RFC 6749.'), error_description: { type: 'string' } },
  },
}

export const ref = (name: BodyName | AnswerName | 'Problem' | 'OAuthError') => ({
  $ref: `#/components/schemas/${name}`,
})

export function schemas(): Record<string, Json> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(fromZod)) registry.add(schema, { id })
  const made = z.toJSONSchema(registry, {
    io: 'input', // what callers send; answers are the same either way
    target: 'draft-2020-12',
    uri: (id) => `#/components/schemas/${id}`,
  })
  const plain = Object.entries(made.schemas).map(([id, { $schema: _, $id: __, id: ___, ...schema }]) => [id, schema])
  return { ...Object.fromEntries(plain), ...oauthSchemas }
}

const quota = `"${agentCalls.name}";q=${agentCalls.limit};w=${agentCalls.windowMs / 1000}`

/** Headers by name; those of every answer to an agent come first. */
export const commonHeaders = ['RateLimit-Policy', 'RateLimit'] as const
export const headers: Record<HeaderName | (typeof commonHeaders)[number] | 'Retry-After' | 'WWW-Authenticate', Json> = {
  'RateLimit-Policy': {
    description: 'Calls (q) in a window of seconds (w).',
    schema: { type: 'string' },
    example: quota,
  },
  RateLimit: {
    description: 'Calls left (r) until the window ends in t seconds.',
    schema: { type: 'string' },
    example: `"${agentCalls.name}";r=${agentCalls.limit - 1};t=${agentCalls.windowMs / 1000}`,
  },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
  'WWW-Authenticate': { description: 'Where to get a token, and with which scope.', schema: { type: 'string' } },
  Location: { description: 'The payment.', schema: { type: 'string' } },
  'Idempotent-Replayed': {
    description: 'true when an earlier call with this key made the payment.',
    schema: { type: 'string', enum: ['true'] },
  },
  Link: { description: 'The next page, rel="next".', schema: { type: 'string' } },
}

export const parameters: Record<string, Json> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description: 'Your own text for this payment, the same on every retry. Bare, or quoted as in the IETF draft.',
    schema: { type: 'string', minLength: 1, maxLength: 257, pattern: '^[!-+\\--~]+$' },
    example: '7f9c2ba4-order-1142',
  },
  PaymentId: {
    name: 'paymentId',
    in: 'path',
    required: true,
    description: 'As answered by POST /v1/payments.',
    schema: { type: 'string', minLength: 1, maxLength: 64 },
  },
}
