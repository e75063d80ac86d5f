import type { MicroUsdc } from '../money.ts'
import type { Figures, Next, RefusalCode } from '../refusal.ts'
import type { RecipientType, Scope } from '../scopes.ts'
import type { Input, InputValue } from './inputs.ts'
import type { Used, Window } from './windows.ts'

/** What rules know about a payment. They never read a clock or a table. */
export type PaymentFacts = {
  /** Our time (ms). */
  at: number
  isPayout: boolean
  /** Null when no payment is meant, and when only its recipient is judged. */
  amount: MicroUsdc | null
  /** Sum of the group's unclaimed payouts. */
  unclaimed: MicroUsdc
  /** Null when no payment is meant, only what the group allows in general. The functions read tables. */
  recipient: {
    type: RecipientType
    /** Who is paid, or whose seller is; null for a payout. */
    address: string | null
    /** Where a payout's message goes; both null for a payment to an address or a seller. */
    email: string | null
    phone: string | null
    /** Of a purchase: who is paid for what; null for all others. A host: with its port, in lower case. */
    seller: { host: string; isConfirmed: () => boolean } | null
    /** The account has not paid them before. */
    isNew: () => boolean
    /** The group has paid, or asked for, the same amount to them within so many minutes. */
    isDuplicate: (minutes: number) => boolean
  } | null
}

/** What a rule says about a payment: amounts above `above` are refused, or the owner is asked. Null: all amounts. */
export type Verdict = {
  above: MicroUsdc | null
  outcome: 'refuse' | 'ask'
  rule: string
  code: RefusalCode
  /** A sentence. Of a rule that asks, the owner reads it as the reason. */
  message: string
  next: Next
  figures?: Figures
  resetsAt?: number | null
}

/** How a reader's sentences are worded: an amount with its unit, an instant (ms). */
export type Words = { money: (amount: MicroUsdc) => string; moment: (at: number) => string }

export type Inputs = Input | Readonly<Record<string, Input>>
/** The value of a rule that is on. */
export type ValueOf<I extends Inputs> = I extends Input
  ? InputValue<I>
  : { [Name in keyof I]: I[Name] extends Input ? InputValue<I[Name]> : never }

/** A policy rule. docs/contributing.md has the recipe. */
export type Rule<Field extends string = string, I extends Inputs = Inputs, Off = unknown> = {
  /** The name in requests and replies. */
  field: Field
  /** The names that its refusals may have, and how the owner's pages call them. Stable, never reused. */
  names: Readonly<Record<string, string>>
  section: 'limits' | 'approvals'
  /** In lists of rules, and for the search. */
  title: string
  hint?: string
  /** One input, or several by name. */
  inputs: I
  /** The value of a group that does not use the rule. Only a rule that is off with null can be removed with null. */
  off: Off
  /** Its off value judges as well: payments that this scope allows. */
  appliesWhenOff?: Scope
  /** What an editor proposes when the rule is added. */
  proposed: unknown
  window?: (value: ValueOf<I>) => Window
  /**
   * Counts payments instead of their amounts: all of them, or those for which it returns true. A window of all payments, or of
   * their amounts, is filled with past ones when the rule is added or its window changes; one of some begins empty. A released
   * payment returns its amount, but stays counted.
   */
  counts?: 'all' | ((facts: PaymentFacts) => boolean)
  /** A grant of the owner answers it. */
  isGrantable?: true
  /** A verdict on all amounts is about the recipient alone, and is given before the wallet is looked at. */
  isAboutRecipient?: true
  /** The problem of values that are valid one by one, at one of the inputs. */
  problem?: (value: ValueOf<I>) => { input: keyof I & string; message: string } | null
  /** `used`: what the window contains; missing if there is none, or no recipient. Null: nothing to say. */
  judge?: (value: ValueOf<I>, facts: PaymentFacts, used: Used | undefined) => Verdict | null
  /** What owners and agents read. */
  words: (value: ValueOf<I>, say: Words, used?: Used, unclaimed?: MicroUsdc) => string | null
}

/** Keeps the literal types of a rule. */
export const defineRule = <const Field extends string, const I extends Inputs, Off extends ValueOf<I> | null>(
  rule: Rule<Field, I, Off>,
): Rule<Field, I, Off> => rule

export const isSingle = (inputs: Inputs): inputs is Input => typeof (inputs as Input).kind === 'string'
