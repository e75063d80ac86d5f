import { type VisibleScope, visibleScopes } from '../../../worker/domain/scopes.ts'

/** What a scope allows, in words. */
export const scopeWords: Record<VisibleScope, { name: string; hint: string }> = {
  'contact_payments:write': { name: 'Contact payments', hint: 'Pay the contacts you choose below' },
  'address_payments:write': { name: 'Address payments', hint: 'Pay any wallet address, contact or not' },
  'email_payments:write': { name: 'Email payouts', hint: 'Create claimable payouts to any email address' },
  'sms_payments:write': { name: 'SMS payouts', hint: 'Create claimable payouts to any phone number' },
}

const allowed: Record<VisibleScope, string> = {
  'contact_payments:write': 'the contacts listed below',
  'address_payments:write': 'any address',
  'email_payments:write': 'any email address, by payout',
  'sms_payments:write': 'any phone number, by payout',
}

/** 'May pay any address and any email address, by payout.' */
export function permissionsInWords(scopes: readonly string[]): string {
  const parts = visibleScopes.filter((scope) => scopes.includes(scope)).map((scope) => allowed[scope])
  if (parts.length === 0) return 'Agents may look at the budget and history, but pay nobody.'
  const last = parts.at(-1)
  return `Agents may pay ${parts.length === 1 ? last : `${parts.slice(0, -1).join('; ')}; and ${last}`}.`
}
