import { formatUsdcText } from '../money.ts'
import { orOwner } from '../refusal.ts'
import { limitOfHost } from './hostPatterns.ts'
import { defineRule } from './rule.ts'
import { anyOf, listText } from './texts.ts'

/** Applies to purchases only. Of several patterns that match a host, the closest one decides. */
export const hosts = defineRule({
  field: 'hosts',
  names: { 'group.hosts': 'Sellers’ hosts' },
  section: 'limits',
  title: 'Hosts to buy from',
  hint: 'Agents buy only from these hosts. *.example.com means every subdomain of example.com, but not example.com itself.',
  inputs: { kind: 'hosts', label: 'Hosts' },
  off: null,
  proposed: [{ pattern: '', maxAmount: null }],
  isAboutRecipient: true,
  judge(limits, { recipient }) {
    const host = recipient?.seller?.host
    if (host === undefined) return null
    const limit = limitOfHost(limits, host)
    const common = { outcome: 'refuse', rule: 'group.hosts' } as const
    if (limit === null)
      return {
        ...common,
        above: null,
        code: 'recipient_not_allowed',
        message: `The policy group does not allow purchases from ${host}.`,
        next: orOwner(`Buy from ${anyOf(limits.map(({ pattern }) => pattern))}`, 'allow the host'),
      }
    if (limit.maxAmount === null) return null
    return {
      ...common,
      above: limit.maxAmount,
      code: 'payment_limit_exceeded',
      message: `One purchase from ${host} may cost at most ${formatUsdcText(limit.maxAmount)} USDC.`,
      next: orOwner('Buy something cheaper', 'raise the limit of the host'),
    }
  },
  words: (limits, say) =>
    `Purchases only from ${listText(limits.map(({ pattern, maxAmount }) => (maxAmount === null ? pattern : `${pattern} (at most ${say.money(maxAmount)} each)`)))}.`,
})
