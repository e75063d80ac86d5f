import { capitalized } from './capitalized.ts'
import { type MicroUsdc, zeroUsdc } from './money.ts'
import { utcText } from './utcText.ts'
import type { PurchaseClass } from './x402/purchaseClasses.ts'

/** Why a payment is refused, and what to do about it. */

export type RefusalCode =
  | 'agent_disabled'
  | 'insufficient_scope'
  | 'recipient_not_allowed'
  | 'contact_changed'
  | 'payment_limit_exceeded'
  | 'budget_exceeded'
  | 'unclaimed_limit_exceeded'
  /** For rules without a code of their own: `rule` says which one. `…_exceeded` if a smaller amount would pass. */
  | 'policy_limit_exceeded'
  | 'policy_refused'
  | 'policy_unknown'
  | 'wallet_not_ready'
  | 'session_key_expired'
  | 'session_limit_exceeded'
  | 'insufficient_balance'
  /** The session key has signed all the purchases of this size that it may. */
  | 'purchases_used_up'

/** Figures of a rule. Of a rule that counts payments, `count` alone is set. */
export type Figures =
  | { limit: MicroUsdc | null; spent: MicroUsdc; held: MicroUsdc; remaining: MicroUsdc | null }
  | { count: { limit: number; used: number } }

/** What to do next, in the words of each reader. */
export type Next = { agent: string; owner: string }

/** `told`: such as 'Send less', or empty. `owner`: what only the owner can do, such as 'top up'. */
export const orOwner = (told: string, owner: string): Next => ({
  agent: told ? `${told}, or ask the owner to ${owner}.` : `Ask the owner to ${owner}.`,
  owner: told ? `${told}, or ${owner}.` : `${capitalized(owner)}.`,
})
/** The same sentence for both. */
export const both = (sentence: string): Next => ({ agent: sentence, owner: sentence })
/** For the owner to read: with times as people write them, such as 'November 28, 2026 at 12:00 AM UTC'. */
export const nextForOwner = ({ owner }: Next): string =>
  owner.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, (iso) => utcText(Date.parse(iso)))

/** Names the rule, says what to do next, and has the figures that the decision was based on. */
export type Refusal = {
  code: RefusalCode
  rule: string
  message: string
  next: Next
  figures: Figures | null
  /** When the rule lets more pass (ms). Null for rules that do not depend on time. */
  resetsAt: number | null
  /** The largest amount that this recipient could be paid now; 0 if the refusal does not depend on the amount. */
  maxAllowedNow: MicroUsdc
  /** The part of `maxAllowedNow` that would not need the owner's approval. */
  maxWithoutAsking: MicroUsdc
  /** Of `purchases_used_up`. */
  purchaseClass?: PurchaseClass
}
export type Decision = { ok: true } | { ok: false; refusal: Refusal }

export const allow: Decision = { ok: true }

/** A refusal that no smaller amount would avoid. */
export const refuse = (code: RefusalCode, rule: string, message: string, next: Next): Decision => ({
  ok: false,
  refusal: {
    code,
    rule,
    message,
    next,
    figures: null,
    resetsAt: null,
    maxAllowedNow: zeroUsdc,
    maxWithoutAsking: zeroUsdc,
  },
})
