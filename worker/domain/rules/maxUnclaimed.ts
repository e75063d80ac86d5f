import { formatUsdcText, saturatingSub, zeroUsdc } from '../money.ts'
import { orOwner } from '../refusal.ts'
import { defineRule } from './rule.ts'

export const maxUnclaimed = defineRule({
  field: 'maxUnclaimed',
  names: { 'group.max_unclaimed': 'Unclaimed payouts' },
  section: 'limits',
  title: 'Unclaimed payouts in total',
  inputs: {
    kind: 'amount',
    label: 'Unclaimed payouts in total',
    hint: 'The most that unclaimed payouts may add up to.',
  },
  off: null,
  proposed: null,
  judge(limit, { isPayout, unclaimed }) {
    if (!isPayout) return null
    const left = saturatingSub(limit, unclaimed)
    return {
      above: left,
      outcome: 'refuse',
      rule: 'group.max_unclaimed',
      code: 'unclaimed_limit_exceeded',
      message: `Unclaimed payouts may increase by at most ${formatUsdcText(left)} USDC.`,
      next: orOwner('Wait until a payout is claimed or reclaimed', 'raise the limit'),
      figures: { limit, spent: zeroUsdc, held: unclaimed, remaining: left },
    }
  },
  words: (limit, say, _used, unclaimed) =>
    `At most ${say.money(limit)} in unclaimed payouts${unclaimed === undefined ? '' : `; ${say.money(unclaimed)} is unclaimed now`}.`,
})
