import { parseUsdc } from './money.ts'

/** What agents asked for, and what became of it. */

export const answers = [
  /** By the rules alone. */
  'allowed',
  /** By the owner. */
  'approved',
  /** For the owner's decision. */
  'waiting',
  /** By the owner, withdrawn by the agent, or not decided in time. */
  'denied',
  /** By a rule. */
  'refused',
] as const
export type Answer = (typeof answers)[number]

type RefusedBy = { rule?: string | undefined; limit?: string | null; spent?: string; held?: string }

/**
 * The limit (micro-USDC) with which the rule would have let the amount pass, by the refusal's own figures, which are decimal
 * USDC. Null if the rule has no limit of money.
 */
export function limitToPass({ rule, limit, spent, held }: RefusedBy, amount: number): number | null {
  // It limits each payment by itself, and so has nothing spent.
  if (rule === 'group.max_payment') return amount
  if (limit === undefined || limit === null) return null
  const used = (text: string | undefined) => Number(parseUsdc(text ?? '0') ?? 0)
  return used(spent) + used(held) + amount
}
