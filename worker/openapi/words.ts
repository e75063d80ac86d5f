import type { ErrorCode } from '../errors.ts'

/** What each code of a /v1 problem means; its `type` leads to this entry on /docs. */
export const problemCodes = {
  invalid_input: 'The request is malformed: errors says where and how. Repeating it as it is cannot succeed.',
  unauthenticated:
    'No credential, or one that is unknown, revoked, run out or made for another resource. WWW-Authenticate says where to get a token.',
  insufficient_scope:
    'With WWW-Authenticate: this access token lacks the scope, ask for another one. Without it: the policy group does not allow this kind of payment.',
  agent_disabled: 'The agent, its policy group or the whole account is paused.',
  recipient_not_allowed: 'The recipient is not on the whitelist, or outside of what the group allows.',
  contact_changed: 'The contact changed after it was whitelisted. Its owner has to confirm it in the policy group.',
  budget_exceeded:
    'More than the group’s budget, or its budget of this period, has left. Figures say how much that is.',
  payment_limit_exceeded: 'More than one payment of this group may be.',
  unclaimed_limit_exceeded: 'Unclaimed payouts of this group would add up to more than it allows.',
  forbidden: 'This is not for the caller.',
  not_found: 'There is nothing with this id, or it belongs to somebody else.',
  method_not_allowed: 'Another method; Allow names those there are.',
  conflict: 'It is too late for this: the payment is signed or over.',
  payload_too_large: 'The request is larger than 64 kB.',
  idempotency_key_reused: 'This Idempotency-Key was used for another payment. A new payment needs a new key.',
  unprocessable: 'The request is well formed and cannot be done; detail says why.',
  wallet_not_ready: 'The wallet is being created, paused or stopped.',
  session_key_expired: 'The wallet’s session key is over. Its owner has to rotate it.',
  session_limit_exceeded: 'More than the wallet’s session key has left.',
  insufficient_balance: 'More than the wallet has.',
  rate_limited: 'Too many requests. Retry-After says how many seconds to wait; nothing happened.',
  internal:
    'Something went wrong on our side, and nothing is known about the outcome: repeat it with the same Idempotency-Key.',
  upstream_unavailable:
    'The Base network cannot be reached. Nothing was sent; repeat it with the same Idempotency-Key.',
  unavailable: 'Not now. Repeat it with the same Idempotency-Key after Retry-After.',
} as const satisfies Partial<Record<ErrorCode, string>>

export const scopeWords = {
  'contact_payments:write': 'Pay whitelisted contacts',
  'address_payments:write': 'Pay any address',
  'email_payments:write': 'Pay email addresses by claim link',
  'sms_payments:write': 'Pay phone numbers by claim link',
  'payment_context:read': 'See budget, payments and whitelisted contacts; always granted',
} as const

export const introduction = `Bursar pays in USDC on Base for agents, from a budget and under rules that their owner sets.

**Credentials.** An agent has a client id and a secret, and an API key. The API key is a bearer token that does not run out; \
with the client credentials you get access tokens of 15 minutes. Both open the same things, and what they open is decided \
anew on every call: a paused or deleted agent stops at once.

**Amounts** are decimal strings of USDC with at most 6 decimals, such as "12.5". Numbers are refused.

**Idempotency.** Every payment needs an \`Idempotency-Key\` of your own: 1 to 255 visible ASCII characters without commas, \
the same on every retry. The same key and content are the same payment for ever, here and over MCP; the answer is then marked \
\`Idempotent-Replayed: true\`. Another content under a used key is refused. A refusal does not use up its key. When an \
answer is lost, or is 429 or 5xx, repeat the request with the same key: it can never pay twice.

**Refusals** are RFC 9457 problems. \`code\` is stable, \`rule\` says which rule refused, the figures what it decided on, \
\`max_allowed_now\` what would have passed, \`next\` what to do.

**Limits.** \`RateLimit\` says with every answer how many calls this agent has left in the running window.

**MCP.** The same payments are tools at \`/mcp\`, with the same credentials and the same idempotency keys.`
