/** Each is a kind of recipient of POST /v1/payments. */
export const sendScopes = [
  'contact_payments:write',
  'address_payments:write',
  'email_payments:write',
  'sms_payments:write',
] as const
/** Buying from sellers that speak x402, from the session's purchase allowance. */
export const purchaseScope = 'x402_payments:write'
/** Each lets agents pay somebody by themselves. */
export const payScopes = [...sendScopes, purchaseScope] as const
/** Preparing payout runs for people to decide about: nothing is paid by it alone. */
export const prepareScope = 'payout_runs:prepare'
/** What a policy group allows its agents. `payment_context:read` is always granted and not displayed. */
export const visibleScopes = [...payScopes, prepareScope] as const
export type PayScope = (typeof payScopes)[number]
export type VisibleScope = (typeof visibleScopes)[number]
/** What people call them. */
export const scopeNames: Record<VisibleScope, string> = {
  'contact_payments:write': 'Contact payments',
  'address_payments:write': 'Address payments',
  'email_payments:write': 'Email payouts',
  'sms_payments:write': 'SMS payouts',
  'x402_payments:write': 'x402 purchases',
  'payout_runs:prepare': 'Prepare payout runs',
}
export type Scope = VisibleScope | 'payment_context:read'
export const allScopes: readonly Scope[] = [...visibleScopes, 'payment_context:read']

/** What a token grants: the requested scopes (null means all) that the agent's group allows. Reading is always granted. */
export const grantedScopes = (requested: readonly Scope[] | null, allowed: readonly Scope[]): Scope[] =>
  allScopes.filter(
    (scope) =>
      scope === 'payment_context:read' ||
      (allowed.includes(scope) && (requested === null || requested.includes(scope))),
  )

/** `x402`: a seller, who is paid for a resource. */
export type RecipientType = 'contact' | 'address' | 'email' | 'phone' | 'x402'
export const scopeFor = {
  contact: 'contact_payments:write',
  address: 'address_payments:write',
  email: 'email_payments:write',
  phone: 'sms_payments:write',
  x402: purchaseScope,
} as const satisfies Record<RecipientType, PayScope>
