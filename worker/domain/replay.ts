import { mailboxOf } from './email.ts'
import { microUsdc, zeroUsdc } from './money.ts'
import type { PaymentFacts, Verdict } from './rules/rule.ts'
import {
  countedAs,
  noRules,
  type RuleField,
  type RuleValues,
  recipientVerdict,
  ruleNamed,
  verdictsOf,
  windowsIn,
} from './rules/values.ts'
import { addTo, type Ring, returnTo, type Used, usedOf, type Window, windowOf, windowStart } from './rules/windows.ts'
import { type RecipientType, type Scope, scopeFor } from './scopes.ts'
import { minuteMs } from './time.ts'
import { sellerPair } from './x402/seller.ts'

/**
 * What rules would have decided about payments that were requested before. Amounts are micro-USDC, instants ms. Not replayed:
 * what depends on balances, budgets in total, whitelists, pauses, and limits of the service; such refusals stay.
 */

export type Outcome = 'allowed' | 'refused' | 'asked'

export type PastDecision = {
  id: string
  at: number
  /** Orders decisions of the same millisecond. */
  n: number
  amount: number
  isPayout: boolean
  type: RecipientType
  address: string | null
  email: string | null
  phone: string | null
  /** Of a purchase's seller, with its port; and whether the host itself had named the address. */
  host: string | null
  isConfirmed: boolean
  /** Identifies the recipient of a request that was refused before it was known where the money would go. */
  contactId: string | null
  outcome: Outcome
  /** The rules that refused, or that asked. */
  rules: string[]
  /** A grant answered the rules that asked. */
  granted: boolean
  /** The policy's version when it was accepted or refused. */
  version: number | null
  /** When its amount was reserved, after an approval if there was one; null if it never was. */
  acceptedAt: number | null
  /** When its amount was released. */
  releasedAt: number | null
  /** The account had not paid the recipient before. Only that of a recipient's first decision matters. */
  isNew: boolean
}

export type PastPolicy = { rules: RuleValues; scopes: readonly string[] }
export type Replayed = { decision: PastDecision; outcome: Outcome; rule: string | null }

type Counted = { decision: PastDecision; at: number; subject: string; released: boolean }

/** Decisions that one step of a replay decides. */
const decisionsInAStep = 100

/**
 * What each decision would have been under the policy that `policyAt` gives for it; null leaves it as it was, so that it
 * only counts for later ones. For an approval, `at` is when the payment was made. `decisions`: oldest first. Yields after
 * each step, so that the caller can let others have their turn.
 */
export function* replayInSteps(
  decisions: readonly PastDecision[],
  policyAt: (decision: PastDecision) => PastPolicy | null,
): Generator<void, Replayed[]> {
  const state = new ReplayState()
  const events: { at: number; order: number; n: number; run: () => void }[] = []
  const results = new Map<PastDecision, Replayed>()
  for (const decision of decisions) {
    const decide = () => results.set(decision, state.decide(decision, policyAt(decision)))
    events.push({ at: decision.at, order: 1, n: decision.n, run: decide })
    const { acceptedAt, releasedAt, n } = decision
    // An approval: the payment was made later than it was requested.
    if (decision.outcome === 'asked' && acceptedAt !== null)
      events.push({
        ...{ at: acceptedAt, order: 2, n },
        run: () => state.approve(decision, results.get(decision)!, policyAt({ ...decision, at: acceptedAt })),
      })
    if (releasedAt !== null) events.push({ at: releasedAt, order: 0, n, run: () => state.release(decision) })
  }
  events.sort((a, b) => a.at - b.at || a.order - b.order || a.n - b.n)
  for (const [i, { run }] of events.entries()) {
    if (i > 0 && i % decisionsInAStep === 0) yield
    run()
  }
  return decisions.map((decision) => results.get(decision)!)
}

/** How much was unclaimed then is not recorded. */
const isReplayed = (name: string) => ruleNamed(name) !== null && name !== 'group.max_unclaimed'

class ReplayState {
  #given: RuleValues | null = null
  #rules: RuleValues | null = null
  #windows: { field: RuleField; window: Window; counts: boolean; rings: Map<string, Ring> }[] = []
  readonly #counted: Counted[] = []
  /** Recipients: those of decisions so far, those that were paid before the first of them, and payments now alive. */
  readonly #seen = new Set<string>()
  readonly #paidBefore = new Set<string>()
  readonly #alive = new Map<string, number>()
  readonly #byDecision = new Map<PastDecision, Counted>()
  /** Payments of one amount to one recipient, newest last. Released ones may be left out. */
  readonly #equal = new Map<string, Counted[]>()

  decide(decision: PastDecision, policy: PastPolicy | null): Replayed {
    const recipient = exactOf(decision)
    if (!this.#seen.has(recipient)) {
      this.#seen.add(recipient)
      if (!decision.isNew) this.#paidBefore.add(recipient)
    }
    const refusedBy = decision.outcome === 'refused' ? decision.rules[0]! : null
    const say = (outcome: Outcome, rule: string | null = null) => ({ decision, outcome, rule })
    const isScope = (Object.values(scopeFor) as string[]).includes(refusedBy ?? '')
    if (refusedBy !== null && !isReplayed(refusedBy) && !isScope) return say('refused', refusedBy)
    if (policy === null) {
      if (decision.outcome === 'allowed') this.#count(decision, decision.at, noRules)
      return say(decision.outcome, decision.rules[0] ?? null)
    }
    const { scopes } = policy
    const rules = this.#use(policy.rules, decision.at)
    const scope: Scope = scopeFor[decision.type]
    if (!scopes.includes(scope)) return say('refused', scope)
    const { type, address, email, phone, host } = decision
    const unpayable = recipientVerdict(rules, { type, address, email, phone, host })
    if (unpayable) return say('refused', unpayable.rule)
    const verdicts = this.#verdicts(decision, rules)
    const amount = BigInt(decision.amount)
    const exceeded = verdicts.filter(({ above }) => above === null || amount > above)
    const refusing = exceeded.find(({ outcome }) => outcome === 'refuse')
    if (refusing) return say('refused', refusing.rule)
    const asking = exceeded.filter(
      ({ outcome, rule }) => outcome === 'ask' && !(decision.granted && ruleNamed(rule)?.isGrantable),
    )
    if (asking[0]) return say('asked', asking[0].rule)
    // What was never made is counted as if it had been, from now on; what was made, as it was.
    this.#count(decision, decision.at, rules)
    return say('allowed')
  }

  /** A person had approved it. If it is still asked about, it is made when it was. */
  approve(decision: PastDecision, { outcome }: Replayed, policy: PastPolicy | null): void {
    if (outcome !== 'asked') return
    const at = decision.acceptedAt!
    // The rules may have been edited since it was requested, and those of the approval count it.
    this.#count(decision, at, policy ? this.#use(policy.rules, at) : (this.#rules ?? noRules))
  }

  release(decision: PastDecision): void {
    const counted = this.#byDecision.get(decision)
    if (!counted) return
    counted.released = true
    this.#addAlive(decision, -1)
    for (const { window, counts, rings } of this.#windows) {
      const subject = window.perRecipient ? counted.subject : ''
      const ring = rings.get(subject)
      if (ring && !counts) rings.set(subject, returnTo(window.span, ring, counted.at, BigInt(decision.amount)))
    }
  }

  #count(decision: PastDecision, at: number, rules: RuleValues): void {
    const counted = { decision, at, subject: subjectOf(decision), released: false }
    this.#counted.push(counted)
    this.#byDecision.set(decision, counted)
    const key = equalityOf(decision)
    const equal = this.#equal.get(key)
    if (equal) equal.push(counted)
    else this.#equal.set(key, [counted])
    for (const { rule, window } of windowsIn(rules)) {
      const own = this.#windows.find(({ field }) => field === rule.field)!
      const amount = countedAs(rule, BigInt(decision.amount), () => this.#facts(decision, at))
      if (amount === 0n) continue
      const subject = window.perRecipient ? counted.subject : ''
      own.rings.set(subject, addTo(window.span, own.rings.get(subject) ?? null, at, amount))
    }
    this.#addAlive(decision, 1)
  }

  #addAlive(decision: PastDecision, by: 1 | -1): void {
    const recipient = exactOf(decision)
    this.#alive.set(recipient, (this.#alive.get(recipient) ?? 0) + by)
  }

  /** Changes the rules in force, as an edit of the group does. */
  #use(given: RuleValues, now: number): RuleValues {
    if (given === this.#given) return this.#rules!
    this.#given = given
    const rules = { ...given, maxUnclaimed: null }
    this.#rules = rules
    this.#windows = windowsIn(rules).map(({ rule, window }) => {
      const known = this.#windows.find(
        (each) =>
          each.field === rule.field &&
          each.window.span === window.span &&
          each.window.perRecipient === window.perRecipient,
      )
      const rings =
        known?.rings ??
        (typeof rule.counts === 'function' ? new Map() : this.#ringsOf(window, rule.counts === 'all', now))
      return { field: rule.field as RuleField, window, counts: rule.counts !== undefined, rings }
    })
    return rules
  }

  #ringsOf(window: Window, counts: boolean, now: number): Map<string, Ring> {
    const since = windowStart(window.span, now)
    const paid = this.#counted.filter(({ at, released }) => at >= since && (counts || !released))
    const bySubject = Map.groupBy(paid, ({ subject }) => (window.perRecipient ? subject : ''))
    return new Map(
      [...bySubject].map(([subject, own]) => [
        subject,
        windowOf(
          window.span,
          own.map(({ at, decision }) => ({ at, amount: counts ? 1n : BigInt(decision.amount) })),
          now,
        ),
      ]),
    )
  }

  #verdicts(decision: PastDecision, rules: RuleValues): Verdict[] {
    const used: Record<string, Used> = {}
    for (const { field, window, rings } of this.#windows)
      used[field] = usedOf(window.span, rings.get(window.perRecipient ? subjectOf(decision) : '') ?? null, decision.at)
    return verdictsOf(rules, this.#facts(decision, decision.at), used)
  }

  #facts(decision: PastDecision, at: number): PaymentFacts {
    const { type, address, email, phone, isPayout, host } = decision
    return {
      at,
      isPayout,
      amount: microUsdc(BigInt(decision.amount)),
      unclaimed: zeroUsdc,
      recipient: {
        type,
        address,
        email,
        phone,
        seller: host === null ? null : { host, isConfirmed: () => decision.isConfirmed },
        isNew: () => !this.#paidBefore.has(exactOf(decision)) && !this.#alive.get(exactOf(decision)),
        // As when it was decided: purchases are repeated on purpose.
        isDuplicate: (minutes) => host === null && this.#isDuplicate(decision, minutes),
      },
    }
  }

  #isDuplicate(decision: PastDecision, minutes: number): boolean {
    const equal = this.#equal.get(equalityOf(decision)) ?? []
    while (equal.at(-1)?.released) equal.pop()
    const newest = equal.at(-1)
    return newest !== undefined && newest.at > decision.at - minutes * minuteMs
  }
}

const equalityOf = (decision: PastDecision) => `${decision.amount} ${exactOf(decision)}`

const exactOf = ({ address, email, phone, contactId, host }: PastDecision) =>
  host !== null && address !== null
    ? sellerPair(host, address)
    : (address?.toLowerCase() ?? email ?? phone ?? contactId ?? '')
const subjectOf = (decision: PastDecision) => (decision.email === null ? exactOf(decision) : mailboxOf(decision.email))
