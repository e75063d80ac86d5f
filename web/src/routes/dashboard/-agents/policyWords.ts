import { capitalized } from '#domain/capitalized.ts'
import { type MicroUsdc, microUsdc, min, saturatingSub } from '#domain/money.ts'
import { type RuleField, type RuleValues, rulesFromWire, rulesInWords } from '#domain/rules/values.ts'
import { type PayScope, payScopes, prepareScope } from '#domain/scopes.ts'
import { percentUsed } from '#domain/statistics.ts'
import { isoOf } from '#domain/time.ts'
import { dollars, microOf, typedMicro } from '#web/lib/amounts.ts'
import { budgetLeftAsTyped, budgetLeftOf, countedIn, mostSpendable } from '#web/lib/budgetLeft.ts'
import { formatMoment } from '#web/lib/format.ts'
import type { PolicyGroup } from '#web/queries/agents.ts'
import type { GroupValues } from './groupForm.ts'
import { ruleValuesOf } from './ruleForm.ts'

/**
 * A sentence that says what the policy as typed would let agents spend; null while the input is invalid. `group` is null
 * for a new group. `free` is what the wallet has for new payments; null if unknown.
 */
export function effectAsTyped(
  group: PolicyGroup | null,
  typed: GroupValues,
  free: MicroUsdc | null,
  unit = 'USDC',
): string | null {
  const rules = ruleValuesOf(typed.rules)
  const left = budgetLeftAsTyped(group, typed, rules)
  if (left === undefined || rules === null) return null
  const { maxPayment: perPayment, maxUnclaimed: unclaimed } = rules
  if (!payScopes.some((scope) => typed.scopes.includes(scope)))
    return 'With this policy, agents could not pay anyone: no permission is selected.'
  if (free === null) return null
  const unclaimedLeft = unclaimed && saturatingSub(unclaimed, group ? microOf(group.unclaimed) : 0n)
  const most = mostSpendable({ left, free, scopes: typed.scopes, unclaimedLeft })
  const limits = [
    perPayment !== null && perPayment < most && `${dollars(perPayment)} at a time`,
    left === null || left > free ? 'all that its wallet can pay' : false,
  ].filter(Boolean)
  const paused = group?.status === 'paused' ? ' Nothing while the group is paused.' : ''
  const asked = approvalsInWords(rules)
  return `With this policy, agents could spend at most ${dollars(most)} ${unit} now${limits.length > 0 ? `: ${limits.join(', ')}` : ''}.${asked ? ` ${asked}` : ''}${paused}`
}

/** The policy as typed, a sentence for each permission and rule; those that are not valid yet are left out. */
export function policyAsTyped(typed: GroupValues): string[] {
  const { scopes } = typed
  if (!payScopes.some((scope) => scopes.includes(scope))) return ['Pay nobody: no permission is selected.']
  const rules = ruleValuesOf(typed.rules)
  const said = rules ? rulesInWords(rules, ownerWords, { scopes }).filter(({ rule }) => rule.section === 'limits') : []
  const names = rules ? { emailDomains: rules.emailDomains, phoneCodes: rules.phoneCodes, hosts: rules.hosts } : anyone
  const recipients = payScopes.filter((scope) => scopes.includes(scope)).map((scope) => whom(scope, names))
  const asked = rules && (approvalsInWords(rules) ?? 'Within these limits, nothing waits for your approval.')
  const budget = typedMicro(typed.budget)
  const total = budget === null ? [] : [`Spend at most ${dollars(budget)} in total.`]
  return [
    `Pay ${list.format(recipients)}.`,
    ...(scopes.includes(prepareScope) ? ['Prepare payout runs for them, which people decide about.'] : []),
    ...total,
    ...said.map(({ sentence }) => sentence),
    ...(asked ? [asked] : []),
  ]
}
const anyone = { emailDomains: null, phoneCodes: null, hosts: null }

/**
 * What the group's agents may do, in a sentence. `stopped` says what is paused, or is null. `free`: see `effectAsTyped`.
 */
export function mayDo(group: PolicyGroup, stopped: string | null, free: MicroUsdc | null): string {
  const recipients = payScopes.filter((scope) => group.scopes.includes(scope)).map((scope) => whom(scope, group))
  if (recipients.length === 0) return 'May view the budget and history, but not pay anyone.'
  if (stopped) return `${stopped}: may not pay anyone now.`
  const who = `May pay ${list.format(recipients)}`
  if (free === null) return `${who}.`
  const unclaimedLeft =
    group.maxUnclaimed === null ? null : saturatingSub(microOf(group.maxUnclaimed), microOf(group.unclaimed))
  const most = mostSpendable({ left: budgetLeftOf(group), free, scopes: group.scopes, unclaimedLeft })
  const each = group.maxPayment === null ? null : min(microOf(group.maxPayment), most)
  return `${who}: at most ${dollars(most)} now${each === null || each === most ? '' : `, ${dollars(each)} at a time`}.`
}

/** Whom the rules about recipients allow; null: anyone. */
type Recipients = { [Name in 'emailDomains' | 'phoneCodes']: readonly string[] | null } & {
  hosts: readonly { pattern: string }[] | null
}

const list = new Intl.ListFormat('en-US')

function whom(scope: PayScope, { emailDomains, phoneCodes, hosts }: Recipients): string {
  switch (scope) {
    case 'contact_payments:write':
      return 'whitelisted contacts'
    case 'address_payments:write':
      return 'any address'
    case 'email_payments:write':
      return emailDomains ? `email addresses at ${list.format(emailDomains)}` : 'any email address'
    case 'sms_payments:write':
      return phoneCodes ? `phone numbers with ${list.format(phoneCodes)}` : 'any phone number'
    case 'x402_payments:write':
      return hosts ? `sellers at ${list.format(hosts.map(({ pattern }) => pattern))}` : 'sellers that charge by x402'
  }
}

/** A sentence that says which payments need approval; null if none do. */
function approvalsInWords({ approveAbove, approveNewRecipient, duplicateMinutes }: RuleValues): string | null {
  const kinds = [
    approveAbove !== null && `payments above ${dollars(approveAbove)}`,
    approveNewRecipient && 'first payments to a recipient',
    duplicateMinutes > 0 && `repeats of a payment within ${duplicateMinutes} minutes`,
  ].filter((text) => typeof text === 'string')
  if (kinds.length === 0) return null
  const text = list.format(kinds)
  return `${capitalized(text)} wait for your approval.`
}

/** Which of the group's payments need approval; null if none do. */
export const askedFirst = (group: PolicyGroup): string | null => approvalsInWords(rulesFromWire(group))

/** How rules are worded for the owner. */
export const ownerWords = { money: dollars, moment: (at: number) => formatMoment(isoOf(at)) }

/** The group's budget per day, week or month, and what of it is used now; null if there is none. */
export function periodNow(group: PolicyGroup): { words: string; resets: string; percent: number } | null {
  const rule = rulesFromWire(group).periodBudget
  const counted = countedIn(group).periodBudget
  if (!rule || !counted || counted.resetsAt === null) return null
  const used = microUsdc(counted.used)
  return {
    words: `${names[rule.period]} ${dollars(used)} of ${dollars(rule.limit)}`,
    resets: `${dollars(saturatingSub(rule.limit, used))} left, resets ${dayFormats[rule.period].format(counted.resetsAt)}, 00:00 UTC`,
    percent: percentUsed(used, rule.limit),
  }
}

const names = { day: 'Today', week: 'This week', month: 'This month' }
const weekday = new Intl.DateTimeFormat('en-US', { weekday: 'long', timeZone: 'UTC' })
const monthDay = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const dayFormats = { day: weekday, week: weekday, month: monthDay }

/** The rules other than the budget and approvals, one sentence each. `except`: a rule that is shown in another way. */
export const limitsInWords = (group: PolicyGroup, except?: RuleField): string[] =>
  rulesInWords(rulesFromWire(group), ownerWords, {
    used: countedIn(group),
    unclaimed: microOf(group.unclaimed),
    scopes: group.scopes,
  })
    .filter(({ rule }) => rule.section === 'limits' && rule.field !== except)
    .map(({ sentence }) => sentence)
