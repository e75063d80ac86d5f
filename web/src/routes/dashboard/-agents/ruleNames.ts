import { ruleNamed } from '#domain/rules/values.ts'

/** Where a rule is set: a section of the Agents page, or the Wallets page. */
export type RulePlace =
  | 'budget'
  | 'limits'
  | 'approvals'
  | 'permissions'
  | 'contacts'
  | 'agent'
  | 'account'
  | 'wallet'
  | 'wallets'

/** Rules besides those of the group's policy, which domain/rules/ lists. */
const rules: Record<string, { name: string; place: RulePlace }> = {
  'agent.paused': { name: 'Agent paused', place: 'agent' },
  'group.paused': { name: 'Group paused', place: 'budget' },
  'account.paused': { name: 'Account paused', place: 'account' },
  'wallet.paused': { name: 'Wallet paused', place: 'wallet' },
  'wallet.status': { name: 'Wallet not ready', place: 'wallets' },
  'wallet.balance': { name: 'Wallet balance', place: 'wallets' },
  'session.limit': { name: 'Session key limit', place: 'wallets' },
  'session.valid_until': { name: 'Session key validity', place: 'wallets' },
  whitelist: { name: 'Whitelisted contacts', place: 'contacts' },
  'whitelist.snapshot': { name: 'Changed contact', place: 'contacts' },
  'whitelist.method': { name: 'Whitelisted contacts', place: 'contacts' },
  'group.budget': { name: 'Budget limit', place: 'budget' },
  'approval.denied': { name: 'Denied by you', place: 'approvals' },
  'approval.expired': { name: 'Not approved in time', place: 'approvals' },
  'approval.cancelled': { name: 'Cancelled before approval', place: 'approvals' },
  'approval.pending': { name: 'Too many open requests', place: 'approvals' },
}

/** A scope is also the name of a rule. An unknown rule is shown by its own name. */
export function ruleOf(rule: string): { name: string; place: RulePlace } {
  const own = ruleNamed(rule)
  if (own) return { name: own.names[rule]!, place: own.section }
  const other = { name: rule, place: 'budget' as const }
  return rules[rule] ?? (rule.endsWith(':write') ? { name: 'Permissions', place: 'permissions' } : other)
}

/** Element id of the section of the page where a place's rules are set. */
export const placeId = (place: RulePlace, agentId?: string) =>
  place === 'agent' ? `agent-${agentId}` : place === 'account' ? 'content' : `policy-${place}`
