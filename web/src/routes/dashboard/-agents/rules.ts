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
  'group.max_payment': { name: 'Maximum per payment', place: 'limits' },
  'group.budget_per_day': { name: 'Daily budget', place: 'limits' },
  'group.budget_per_week': { name: 'Weekly budget', place: 'limits' },
  'group.budget_per_month': { name: 'Monthly budget', place: 'limits' },
  'group.max_unclaimed': { name: 'Unclaimed payouts', place: 'limits' },
  'group.email_domains': { name: 'Email domains', place: 'limits' },
  'approval.denied': { name: 'Denied by you', place: 'approvals' },
  'approval.expired': { name: 'Not approved in time', place: 'approvals' },
  'approval.cancelled': { name: 'Cancelled before approval', place: 'approvals' },
  'approval.pending': { name: 'Too many open requests', place: 'approvals' },
  'group.phone_codes': { name: 'Phone country codes', place: 'limits' },
}

/** A scope is also the name of a rule. An unknown rule is shown by its own name. */
export const ruleOf = (rule: string): { name: string; place: RulePlace } =>
  rules[rule] ??
  (rule.endsWith(':write') ? { name: 'Permissions', place: 'permissions' } : { name: rule, place: 'budget' })

/** Element id of the section of the page where a place's rules are set. */
export const placeId = (place: RulePlace, agentId?: string) =>
  place === 'agent' ? `agent-${agentId}` : place === 'account' ? 'content' : `policy-${place}`

/** What a refusal tells the agent to do next, for its owner: 'or ask the owner to top up' becomes 'or top up'. */
export const nextForOwner = (next: string) =>
  next.replaceAll('ask the owner to ', '').replace(/Ask the owner to (.)/g, (_, first: string) => first.toUpperCase())
