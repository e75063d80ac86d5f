import type { ErrorCode } from '../errors.ts'

/** Meaning of each code of a /v1 problem. The `type` of a problem links to its entry on /docs. */
export const errorDescriptions = {
  invalid_input: 'The request is malformed; `errors` says where. Do not repeat it unchanged.',
  unauthenticated: 'Missing or invalid credentials. WWW-Authenticate says where to get a token.',
  insufficient_scope:
    'With WWW-Authenticate: the access token lacks the scope; request another one. Without it: the policy group does not allow this kind of payment.',
  agent_disabled: 'The agent, its policy group or the whole account is paused.',
  account_suspended: 'The operator has suspended the account. All calls of its agents are refused.',
  recipient_not_allowed: 'The recipient is not on the whitelist, or is outside what the group allows.',
  contact_changed: 'The contact changed after it was whitelisted. The owner has to confirm it in the policy group.',
  budget_exceeded: 'Exceeds what is left of the group’s budget, in total or for the current period.',
  payment_limit_exceeded: 'Exceeds the group’s per-payment limit.',
  unclaimed_limit_exceeded: 'Exceeds the group’s limit for unclaimed payouts.',
  policy_limit_exceeded: 'Exceeds the amount that a rule of the group allows; `rule` names it.',
  policy_refused: 'A rule of the group refuses it, whatever the amount; `rule` names it.',
  policy_unknown: 'The group has a rule that this version of the service does not know. Nothing is paid until it does.',
  approval_denied: 'The owner denied it. The same request is refused for 24 hours.',
  approval_expired: 'The owner did not answer in time. Nothing was paid.',
  approval_cancelled: 'It was cancelled before the owner approved it. Nothing was paid.',
  approvals_full: 'Too many requests are waiting for the owner. Wait for a decision, or cancel one.',
  forbidden: 'The caller is not allowed to do this.',
  not_found: 'No such resource, or it belongs to someone else.',
  method_not_allowed: 'Method not allowed; see the Allow header.',
  same_run: 'These rows are a payout run already. Set `again` only if everybody is to be paid once more.',
  conflict: 'Too late: the payment is already signed or final, or the run was submitted; or too many runs are open.',
  misdirected_request: 'The service is not at the address that was called; `detail` has its address.',
  payload_too_large: 'The request is larger than 64 kB.',
  idempotency_key_reused: 'This Idempotency-Key belongs to a different payment. Use a new key for a new payment.',
  unprocessable: 'The request is well-formed but cannot be carried out; see `detail`.',
  wallet_not_ready: 'The wallet is being created, is paused, or is halted.',
  session_key_expired: 'The wallet’s session key has expired. The owner has to rotate it.',
  session_limit_exceeded: 'Exceeds what is left of the wallet’s session key limit.',
  insufficient_balance: 'Exceeds the wallet’s available balance.',
  rate_limited: 'Too many requests. Nothing was done; wait for the seconds in Retry-After.',
  recipient_blocked: 'The issuer of USDC has blocked this address, so it cannot receive USDC.',
  recipient_screened: 'This service does not pay this address. Do not repeat the request.',
  payment_rate_exceeded:
    'The agent, or the account, makes payments faster than this service accepts. Repeat with the same key after Retry-After.',
  queue_full: 'Too many payments of this agent are queued. Repeat with the same key after Retry-After.',
  gas_allowance_exceeded:
    'Today’s gas for this agent or account is used up; `resets_at` says when there is more. Payments accepted before continue.',
  message_limit:
    'Too many messages were sent today, by this account or to this recipient; `resets_at` says when more are possible.',
  internal: 'Something went wrong and the outcome is unknown. Repeat the request with the same Idempotency-Key.',
  upstream_unavailable:
    'The Base network is unreachable. Nothing was sent; repeat the request with the same Idempotency-Key.',
  payments_paused:
    'The operator has paused payments for all accounts. Nothing was done; repeat the request with the same Idempotency-Key after Retry-After.',
  screening_unavailable:
    'Recipients can’t be checked right now. Nothing was sent; repeat the request with the same Idempotency-Key after Retry-After.',
  service_updating:
    'The service is being updated and this account waits for it. Nothing was done; repeat the request with the same Idempotency-Key after Retry-After.',
  account_restoring:
    'The account is being restored from a backup. Nothing was done; repeat the request with the same Idempotency-Key after Retry-After.',
  unavailable: 'Temporarily unavailable. Repeat the request with the same Idempotency-Key after Retry-After.',
} as const satisfies Partial<Record<ErrorCode, string>>

export const scopeDescriptions = {
  'contact_payments:write': 'Pay whitelisted contacts',
  'address_payments:write': 'Pay any address',
  'email_payments:write': 'Pay email addresses by claim link',
  'sms_payments:write': 'Pay phone numbers by claim link',
  'x402_payments:write': 'Buy from sellers that charge by x402',
  'payout_runs:prepare': 'Prepare payout runs, which people decide about',
  'payment_context:read': 'Read the budget, payments and whitelisted contacts; always granted',
} as const

/** Paragraphs in the Markdown subset that /docs renders: **bold** and `code`. */
export const introduction = `Bursar lets agents pay in USDC on Base, within a budget and rules that their owner sets.

**Credentials.** An agent has a client id with a secret, and an API key. The API key is a bearer token without expiry; the \
client credentials give access tokens that last 15 minutes. Both grant the same access. Permissions are checked on every \
call, so pausing or deleting an agent takes effect immediately.

**Amounts** are decimal strings of USDC with at most 6 decimals, such as "12.5". JSON numbers are rejected.

**Idempotency.** Every payment needs an \`Idempotency-Key\` that you choose: 1 to 255 visible ASCII characters without \
commas, the same on every retry. The same key with the same content always refers to the same payment, over REST and MCP; a \
replayed response carries \`Idempotent-Replayed: true\`. The same key with different content is refused. A refused payment \
does not use up its key. After a lost response, a 429 or a 5xx, repeat the request with the same key: it never pays twice.

**Refusals** are RFC 9457 problems. \`code\` is stable; \`rule\` names the rule that refused, the figures show what the \
decision was based on, \`max_allowed_now\` is the largest amount that would pass, \`max_without_asking\` the part of it that \
needs no approval, and \`next\` says what to do. GET /v1/context lists the rules, each as a sentence and a value.

**Approvals.** A rule of the policy group may require the owner's approval for a payment that the budget allows. Then the \
response is 202 with \`status: "PENDING_APPROVAL"\`, the payment's id and \`approval\`; nothing is reserved or paid. GET the \
payment, or repeat the request with the same key, until the owner has decided. A \`reason\` helps the owner decide. POST \
/v1/payments/check tells you beforehand whether the owner would be asked.

**Limits.** Every response has a \`RateLimit\` header with the number of calls left, and a created \
payment also with the payments left to the agent and its account. GET /v1/context lists these and the gas left for \
today. A refusal by a limit is a 429 with \`rule\`, \`resets_at\` and \`Retry-After\`; nothing was reserved.

**MCP.** The same payments are available as tools at \`/mcp\`, with the same credentials and idempotency keys.`
