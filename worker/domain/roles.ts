import type { OwnerCall, ownerMethods, ownerObjects } from './ownerCalls.ts'

/**
 * What each role may do in an account: the only place that says so. A call that is not named here is the owner's: whatever
 * loosens a rule, creates a credential, adds funds or moves money by itself.
 */

export const memberRoles = ['approver', 'preparer', 'viewer'] as const
export type MemberRole = (typeof memberRoles)[number]
export type Role = 'owner' | MemberRole

/** What a role may do, as messages and pages say it. */
export const roleTexts: Record<MemberRole, string> = {
  approver: 'see payments and rules, approve or deny payout runs and what agents ask for, and pause agents',
  preparer: 'see payments and rules, keep the contacts, and prepare payout runs',
  viewer: 'see payments and rules, and export them',
}

/**
 * `object.method` of a Treasury, a method of the Treasury itself, or one of those that a route or a method asks for besides:
 * `contacts` and `lists` are in D1 and History, and the others depend on what a call is given.
 */
export type Call =
  | `${(typeof ownerObjects)[number]}.${string}`
  | (typeof ownerMethods)[number]
  | 'contacts.read'
  | 'contacts.change'
  | 'lists.read'
  | 'onramp.start'

const everyone = memberRoles
const approver = ['approver'] as const
const preparer = ['preparer'] as const

export const allowed = {
  'lists.read': everyone,
  transaction: everyone,
  escrow: everyone,
  'reports.overview': everyone,
  'reports.balance': everyone,
  'reports.usage': everyone,
  'reports.spending': everyone,
  'reports.budgetHistory': everyone,
  'reports.agentNames': everyone,
  'reports.walletLedger': everyone,
  'wallets.list': everyone,
  'wallets.balance': everyone,
  'wallets.sessionKey': everyone,
  'policies.account': everyone,
  'policies.groups': everyone,
  'policies.group': everyone,
  'policies.whitelist': everyone,
  'policies.groupsWithContact': everyone,
  'policies.contactChanged': preparer,
  'policies.rules': everyone,
  'policies.agents': everyone,
  'policies.agent': everyone,
  'policies.refusals': everyone,
  'policies.pause': approver,
  'policies.confirmRules': approver,
  'approvals.list': everyone,
  'approvals.get': everyone,
  'approvals.grants': everyone,
  'approvals.settings': everyone,
  'approvals.approve': approver,
  'approvals.deny': approver,
  'runs.list': everyone,
  'runs.get': everyone,
  'runs.rows': everyone,
  'runs.export': everyone,
  'runs.create': preparer,
  'runs.submit': preparer,
  'runs.repeat': preparer,
  'runs.approve': approver,
  'runs.deny': approver,
  /** A preparer cancels only what they made. */
  'runs.stop': ['approver', 'preparer'],
  'connections.list': everyone,
  'notices.list': everyone,
  'notices.count': everyone,
  'notices.markRead': everyone,
  'review.changes': everyone,
  'review.log': everyone,
  'people.list': everyone,
  /** Asks only whether a member may do something else. */
  'people.mayCall': everyone,
  'people.leave': everyone,
  'contacts.read': everyone,
  'contacts.change': preparer,
} as const satisfies { [Name in Call]?: readonly MemberRole[] }

/** Acts that depend on what a call is given, and that stay the owner's although `allowed` names the call. */
export const ownerOnly = ['policies.resume', 'approvals.grant', 'approvals.raiseBudget'] as const satisfies Call[]

/** What only others do: a second person is somebody else, and an account is never without its owner. */
export const notByOwner: readonly Call[] = ['policies.confirmRules', 'people.leave']

/** The name under which the table has a call. */
export const callOf = ({ object, method }: Pick<OwnerCall, 'object' | 'method'>): Call =>
  (object === null ? method : `${object}.${method}`) as Call

export const isAllowed = (role: Role, call: Call): boolean =>
  role === 'owner'
    ? !notByOwner.includes(call)
    : ((allowed as Record<string, readonly MemberRole[]>)[call]?.includes(role) ?? false)

/** True if `after` may do something that `before` may not. */
export const isRaised = (before: MemberRole, after: MemberRole): boolean =>
  Object.values<readonly MemberRole[]>(allowed).some((roles) => roles.includes(after) && !roles.includes(before))
