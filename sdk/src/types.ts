import type { components, paths, webhooks } from './openapi.gen.ts'

type Schemas = components['schemas']

export type CallOptions = {
  /** Ends the call early. What was sent before may still take effect. */
  signal?: AbortSignal
}

/** A payment as /v1 shows it. Amounts are decimal USDC, times are ISO 8601 in UTC. */
export type Payment = Schemas['Payment']
/** The expected result of a payment. Amounts are decimal USDC. */
export type PaymentCheck = Schemas['PaymentCheck']
/** The agent, its budget and the rules of its policy group. Amounts are decimal USDC. */
export type PaymentContext = Schemas['PaymentContext']
/** The budget of a policy group, shared by its agents. Amounts are decimal USDC. */
export type Budget = Schemas['Budget']
/** A request for more budget, which the owner approves or denies. */
export type BudgetRequest = Schemas['BudgetRequest']
/** Body of an error reply (RFC 9457). */
export type Problem = Schemas['Problem']

/** Recipient of a payment: a whitelisted contact, an address on Base, an email address or a phone number. */
export type PaymentRecipient = Schemas['PaymentRecipient']
/**
 * A recipient, or a text that says what kind it is: `0x…`, also after the name of a network, is an address, a text with `@` an email
 * address, one that starts with `+` or `00` a phone number.
 */
export type Recipient = PaymentRecipient | string

/** What to pay. */
export type PaymentTerms = Omit<Schemas['CreatePayment'], 'to' | 'amount'> & {
  to: Recipient
  /** Decimal USDC as a string with at most 6 decimals, such as `'12.5'`. A number is refused, because it may be inexact. */
  amount: string
}

/** Filters of the list of payments. */
export type PaymentFilters = Omit<NonNullable<paths['/v1/payments']['get']['parameters']['query']>, 'limit' | 'cursor'>

type BodyOf<Hook> = Hook extends { post: { requestBody: { content: { 'application/json': infer Body } } } }
  ? Body
  : never
/** A payout run that the agent has prepared: its verdicts, and what became of it. */
export type PayoutRun = Schemas['PayoutRun']
/** What to prepare: either `rows` or `csv`. */
export type RunTerms = Schemas['PrepareRun']

/** What a webhook receives: `type`, `timestamp` (ISO 8601, UTC) and `data`. */
export type WebhookEvent = { [Name in keyof webhooks]: BodyOf<webhooks[Name]> & { type: Name } }[keyof webhooks]

/** What the agent hands to the seller. `valid_before` is in unix seconds. */
export type PurchaseSignature = Schemas['PurchaseSignature']
/** A purchase from an x402 seller, which is a payment to it. */
export type Purchase = Schemas['Purchase']

/** What to buy. */
export type PurchaseTerms = Omit<Schemas['CreatePurchase'], 'method' | 'payment_required' | 'max_amount'> & {
  /** The method of your request. Default: GET. */
  method?: string
  /** What the seller sent: the header PAYMENT-REQUIRED as it is, or its JSON as an object. */
  paymentRequired: Schemas['CreatePurchase']['payment_required']
  /** Decimal USDC, such as `'0.05'`. Refused if the seller's lowest offer is above it. Default: only the owner's rules decide. */
  maxAmount?: string
}
