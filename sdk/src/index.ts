export { Bursar, type BursarOptions, type CallOptions, type PayOptions, type WaitUntil } from './bursar.ts'
export type { AccessTokens } from './credentials.ts'
export {
  BursarError,
  BursarOutcomeUnknown,
  BursarPaymentFailed,
  BursarRefusal,
  BursarSignedOut,
  BursarWebhookRejected,
} from './errors.ts'
export type {
  Budget,
  BudgetRequest,
  Payment,
  PaymentCheck,
  PaymentContext,
  PaymentFilters,
  PaymentRecipient,
  PaymentTerms,
  Problem,
  Recipient,
  WebhookEvent,
} from './types.ts'
export { type VerifyOptions, verifyWebhook } from './webhooks.ts'
