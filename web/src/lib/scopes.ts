import { type PayScope, payScopes, prepareScope, type VisibleScope } from '#domain/scopes.ts'

/** What each scope allows, for checkboxes. */
export const scopeHints: Record<VisibleScope, string> = {
  'contact_payments:write': 'Pay the contacts you choose below',
  'address_payments:write': 'Pay any wallet address, contact or not',
  'email_payments:write': 'Create claimable payouts to any email address',
  'sms_payments:write': 'Create claimable payouts to any phone number',
  'x402_payments:write': 'Buy from any website or API that charges by x402',
  'payout_runs:prepare': 'Prepare many payments to recipients ticked here, for a person to approve',
}

const recipients: Record<PayScope, string> = {
  'contact_payments:write': 'the contacts listed below',
  'address_payments:write': 'any address',
  'email_payments:write': 'any email address (by payout)',
  'sms_payments:write': 'any phone number (by payout)',
  'x402_payments:write': 'sellers that charge by x402',
}

const list = new Intl.ListFormat('en-US')

/** 'Agents may pay any address and any email address (by payout).' */
export function permissionsInWords(scopes: readonly string[]): string {
  const allowed = payScopes.filter((scope) => scopes.includes(scope)).map((scope) => recipients[scope])
  if (allowed.length === 0) return 'Agents can view the budget and history, but can’t pay anyone.'
  const runs = scopes.includes(prepareScope) ? ', and prepare payout runs, which people decide about' : ''
  return `Agents may pay ${list.format(allowed)}${runs}.`
}
