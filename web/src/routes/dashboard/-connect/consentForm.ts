import { saturatingSub } from '#domain/money.ts'
import { agentName } from '#domain/nameRules.ts'
import { problemIn } from '#domain/readers/read.ts'
import { readText } from '#domain/readers/text.ts'
import { rulesFromWire, rulesInWords } from '#domain/rules/values.ts'
import { type VisibleScope, visibleScopes } from '#domain/scopes.ts'
import { dollars, fieldText, microOf, typedDecimal, typedMicro, typedProblem } from '#web/lib/amounts.ts'
import { budgetLeftOf, countedIn, freeOf, mostSpendable } from '#web/lib/budgetLeft.ts'
import { formatMoment } from '#web/lib/format.ts'
import { permissionsInWords } from '#web/lib/scopes.ts'
import type { PolicyGroup } from '#web/queries/agents.ts'
import type { Allowed, ConnectionRequest } from '#web/queries/connections.ts'
import { canPay, type Wallet, walletName } from '#web/queries/wallets.ts'
import { typedAllowanceProblem } from '../-wallets/session/grant.ts'

/** What the owner chooses, as typed. */
export type ConsentValues = {
  /** The agent to use again; empty for a new one. */
  agentId: string
  name: string
  /** The new agent's group; empty for a new one. */
  groupId: string
  walletId: string
  perDay: string
  askAbove: string
  scopes: VisibleScope[]
  /** Whole USDC that the wallet is to keep for purchases, if that is asked. */
  allowance: string
  password: string
}

/** What is filled in at first: the agent from before, else a new one with the proposed budget, from the fullest wallet. */
export function firstValues({ existing, proposed }: ConnectionRequest, wallets: Wallet[]): ConsentValues {
  return {
    agentId: existing?.agentId ?? '',
    name: proposed.agentName,
    groupId: '',
    walletId: wallets.filter(canPay).toSorted(byFunds)[0]?.id ?? '',
    perDay: fieldText(proposed.group.periodBudget.limit),
    askAbove: fieldText(proposed.group.approveAbove),
    scopes: visibleScopes.filter((scope) => proposed.group.scopes.includes(scope)),
    allowance: '',
    password: '',
  }
}

const byFunds = (a: Wallet, b: Wallet) => Number(fundsOf(b) - fundsOf(a))
const fundsOf = ({ spendable }: Wallet) => microOf(spendable?.now ?? '0')

/** Problems in the order of the fields. `limit` is that of the session that keeps the allowance; null if none is asked for. */
export function consentProblems(values: ConsentValues, needsPassword: boolean, limit: bigint | null) {
  const isNew = values.agentId === ''
  const isNewGroup = isNew && values.groupId === ''
  return {
    name: isNew ? problemIn(readText(agentName, values.name)) : null,
    walletId: isNewGroup && !values.walletId ? 'Please select a wallet' : null,
    perDay: isNewGroup ? typedProblem(values.perDay, 'Enter an amount above 0') : null,
    askAbove: isNewGroup ? typedProblem(values.askAbove, 'Enter an amount; 0 asks every time', { zero: true }) : null,
    allowance: limit === null ? null : typedAllowanceProblem(values.allowance, limit),
    password: needsPassword && !values.password ? 'Please enter your password' : null,
  }
}

/** The body of the call that allows. */
export function allowedBody(values: ConsentValues, { proposed }: ConnectionRequest): Allowed {
  return { agent: chosenAgent(values, proposed.group.name), ...(values.password && { password: values.password }) }
}

function chosenAgent(values: ConsentValues, groupName: string): Allowed['agent'] {
  if (values.agentId) return { type: 'existing', agentId: values.agentId }
  const name = values.name.trim()
  if (values.groupId) return { type: 'new', name, policyGroup: { type: 'existing', policyGroupId: values.groupId } }
  return {
    type: 'new',
    name,
    policyGroup: {
      type: 'new',
      name: groupName,
      walletId: values.walletId,
      scopes: values.scopes,
      periodBudget: { period: 'day', limit: typedDecimal(values.perDay) },
      approveAbove: typedDecimal(values.askAbove),
    },
  }
}

/** The form's field for one of the API. */
export const consentField = (apiField: string): keyof ConsentValues | undefined => {
  const last = apiField.split('.').filter((part) => part !== 'agent' && part !== 'policyGroup')
  const named = last[0] ?? ''
  const fields: Record<string, keyof ConsentValues> = {
    periodBudget: 'perDay',
    approveAbove: 'askAbove',
    policyGroupId: 'groupId',
    name: 'name',
    walletId: 'walletId',
    password: 'password',
  }
  return fields[named]
}

/** The most that can leave by a new group, as a figure and the rest of its sentence; null while an amount is not valid. */
export function mostByNewGroup(values: ConsentValues, wallet: Wallet | undefined, unit: string) {
  const [perDay, askAbove] = [typedMicro(values.perDay), typedMicro(values.askAbove)]
  if (!perDay || askAbove === null || !wallet) return null
  if (values.scopes.length === 0) return { figure: `$0.00 ${unit}`, rest: 'can leave: it may not pay anyone.' }
  const asks = askAbove < perDay ? ` Payments above ${dollars(askAbove)} wait for your approval.` : ''
  const free = freeOf(wallet, values.scopes)
  const now = free === null ? '' : ` ${walletName(wallet)} can pay ${dollars(free)} now.`
  return {
    figure: `${dollars(perDay)} ${unit} a day`,
    rest: `(UTC) can leave until you change or revoke it.${now}${asks}`,
  }
}

/** The most that can leave by an existing group now, in the same form. Null if unknown. */
export function mostByGroup(group: PolicyGroup, wallet: Wallet | undefined, unit: string) {
  const free = freeOf(wallet, group.scopes)
  if (free === null) return null
  const most = mostSpendable({
    left: budgetLeftOf(group),
    free,
    scopes: group.scopes,
    unclaimedLeft:
      group.maxUnclaimed === null ? null : saturatingSub(microOf(group.maxUnclaimed), microOf(group.unclaimed)),
  })
  const paused = group.status === 'paused' ? ' Nothing while the group is paused.' : ''
  return {
    figure: `${dollars(most)} ${unit}`,
    rest: `can leave now, by all agents of ${group.name} together.${paused}`,
  }
}

/** Whom an existing group may pay and its rules, in sentences. */
export const rulesOf = (group: PolicyGroup): string[] => [
  permissionsInWords(group.scopes),
  ...rulesInWords(rulesFromWire(group), ownerWords, {
    used: countedIn(group),
    unclaimed: microOf(group.unclaimed),
    scopes: group.scopes,
  }).map(({ sentence }) => sentence),
]
const ownerWords = { money: dollars, moment: formatMoment }
