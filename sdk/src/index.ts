export { Bursar, type BursarOptions, type PayOptions, type WaitUntil } from './bursar.ts'
export type { AccessTokens } from './credentials.ts'
export {
  BursarError,
  BursarNotServed,
  BursarOutcomeUnknown,
  BursarPaymentFailed,
  BursarRefusal,
  BursarSignedOut,
  BursarWebhookRejected,
} from './errors.ts'
export type { FetchOptions, PaidResponse } from './paidFetch.ts'
export type { PurchaseOptions, ReceiptOptions, WaitForPurchase } from './purchases.ts'
export type {
  Budget,
  BudgetRequest,
  CallOptions,
  Payment,
  PaymentCheck,
  PaymentContext,
  PaymentFilters,
  PaymentRecipient,
  PaymentTerms,
  PayoutRun,
  Problem,
  Purchase,
  PurchaseSignature,
  PurchaseTerms,
  Recipient,
  RunTerms,
  WebhookEvent,
} from './types.ts'
export { type VerifyOptions, verifyWebhook } from './webhooks.ts'
