import { formatUsdcText, type MicroUsdc, microUsdc, saturatingSub, zeroUsdc } from '../money.ts'
import { orOwner } from '../refusal.ts'
import type { Verdict } from './rule.ts'
import { waitText } from './texts.ts'
import type { Used } from './windows.ts'

/** The refusal of a budget that counts over time. `budget` is how its message names it. */
export function overBudget(limit: MicroUsdc, counted: Used, rule: string, budget: string): Verdict {
  const used = microUsdc(counted.used)
  const left = saturatingSub(limit, used)
  return {
    above: left,
    outcome: 'refuse',
    rule,
    code: 'budget_exceeded',
    message: `The group's budget for ${budget} has ${formatUsdcText(left)} USDC left.`,
    next: orOwner(`Send less${waitText(counted.resetsAt)}`, 'raise the budget'),
    // A window counts what was reserved in it, confirmed or not.
    figures: { limit, spent: used, held: zeroUsdc, remaining: left },
    resetsAt: counted.resetsAt,
  }
}
