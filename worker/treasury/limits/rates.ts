import { type Bucket, type Limits, type Rate, refill, takeTokens } from '#domain/limits.ts'
import { dayMs } from '#domain/time.ts'
import type { Refused } from '../../result.ts'
import type { Context } from '../core/context.ts'
import { limitRefusal, resetText, waitAndRepeat } from './limitRefusal.ts'
import type { PaymentRateName, RateState } from './rpcTypes.ts'

/** A rate limit of one principal, stored in the table `rate`. */
type AppliedRate<Name extends string = string> = {
  name: Name
  /** An agent's id, `owner`, or `account` for all principals of the user together. */
  principal: string
  rate: Rate
  code: 'payment_rate_exceeded' | 'rate_limited'
  /** The limit in words: 'This agent may make payments at 5 per second, with bursts of 200.' */
  limit: string
}

const each = ({ perSecond, burst }: Rate) => `${perSecond} per second, with bursts of ${burst}`

/** Rates of accepted payments: of the agent, and of all the user's principals together. */
export function paymentRates(limits: Limits, agentId: string | null): AppliedRate<PaymentRateName>[] {
  const paymentRate = (name: PaymentRateName, who: 'agent' | 'account', principal: string, rate: Rate) => ({
    name,
    principal,
    rate,
    code: 'payment_rate_exceeded' as const,
    limit: `This ${who} may make payments at ${each(rate)}.`,
  })
  const user = { perSecond: limits.userPaymentsPerSecond, burst: limits.userPaymentBurst }
  const ofAccount = paymentRate('user_payments', 'account', 'account', user)
  if (agentId === null) return [ofAccount]
  const agent = { perSecond: limits.agentPaymentsPerSecond, burst: limits.agentPaymentBurst }
  return [paymentRate('agent_payments', 'agent', agentId, agent), ofAccount]
}

/** A rate of anything but payments. */
const otherRate = (name: string, principal: string, rate: Rate, limit: string): AppliedRate => ({
  name,
  principal,
  rate,
  code: 'rate_limited',
  limit,
})

const times = (count: number) => (count === 1 ? 'once' : `${count} times`)
const daily = (burst: number): Rate => ({ perSecond: burst / 86_400, burst })
const hourly = (burst: number): Rate => ({ perSecond: burst / 3600, burst })

/** Look-ups on the network or in D1 that a call causes before it is decided. */
export function lookupRate(limits: Limits, agentId: string | null): AppliedRate {
  const rate = { perSecond: limits.agentLookupsPerSecond, burst: limits.agentLookupBurst }
  return otherRate('lookups', agentId ?? 'owner', rate, `New recipients can be checked at ${each(rate)}.`)
}

/** Requests of Bursar to hosts that an agent names, before they are paid for the first time. */
export const sellerRate = (agentId: string): AppliedRate =>
  otherRate('sellers', agentId, { perSecond: 1 / 3, burst: 20 }, 'New sellers can be checked at 20 per minute.')

/** Requests for the owner's approval. */
export const approvalRate = ({ agentApprovalsPerDay: most }: Limits, agentId: string): AppliedRate =>
  otherRate('approvals', agentId, daily(most), `An agent can ask its owner ${times(most)} a day.`)

/** Deploys, rotations and owner-signed actions. */
export const ownerActionRate = ({ ownerActionsPerHour: most }: Limits): AppliedRate =>
  otherRate('owner_actions', 'owner', hourly(most), `Wallets can be changed ${times(most)} an hour.`)

/** Changes to groups, agents and names. */
export const ownerChangeRate = ({ ownerChangesPerHour: most }: Limits): AppliedRate =>
  otherRate('owner_changes', 'owner', hourly(most), `Groups, agents and names can be changed ${times(most)} an hour.`)

/** Tokens that were taken and are counted once `save` is called, in the same transaction. */
export type TakenRates = { ok: true; save: () => void }

/** Takes one token of each rate, or refuses. Nothing is stored before `save`, which belongs in the same transaction. */
export function takeRates(ctx: Context, rates: readonly AppliedRate[]): Refused | TakenRates {
  const now = ctx.now()
  const taken: { applied: AppliedRate; bucket: Bucket }[] = []
  for (const applied of rates) {
    const result = takeTokens(bucketOf(ctx, applied), applied.rate, now)
    if (!result.ok) return rateRefusal(applied, now + result.waitMs, now)
    taken.push({ applied, bucket: result.bucket })
  }
  return { ok: true, save: () => saveBuckets(ctx, taken) }
}

/**
 * Takes one token of each bucket of the account, or returns false if one is empty. Unlike a rate, these buckets are filled only
 * when a minute or a UTC day starts, so that no day has more than `most`.
 */
export function takeOfPeriods(
  ctx: Context,
  periods: readonly { name: string; startsAt: number; most: number }[],
): boolean {
  const taken = periods.map(({ name, startsAt, most }) => {
    const applied = { principal: 'account', name }
    const bucket = bucketOf(ctx, applied)
    const left = bucket?.at === startsAt ? Math.min(bucket.tokens, most) : most
    return { applied, bucket: { tokens: left - 1, at: startsAt } }
  })
  if (taken.some(({ bucket }) => bucket.tokens < 0)) return false
  saveBuckets(ctx, taken)
  return true
}

function saveBuckets({ store }: Context, taken: readonly { applied: BucketName; bucket: Bucket }[]): void {
  store.runCached(
    'rate',
    taken.map(({ applied, bucket }) => [keyOf(applied), bucket]),
    `INSERT INTO rate (principal, name, tokens, at) VALUES ${taken.map(() => '(?, ?, ?, ?)')}
     ON CONFLICT (principal, name) DO UPDATE SET tokens = excluded.tokens, at = excluded.at`,
    ...taken.flatMap(({ applied, bucket }) => [applied.principal, applied.name, bucket.tokens, bucket.at]),
  )
}

/** Takes one token of this rate and stores it. Returns a refusal if none is left. */
export function takeRate(ctx: Context, rate: AppliedRate): Refused | null {
  const taken = takeRates(ctx, [rate])
  if (!taken.ok) return taken
  taken.save()
  return null
}

/** The rates of a principal's payments, and how much of each is left. */
export const paymentRateStates = (ctx: Context, agentId: string | null): RateState[] =>
  paymentRates(ctx.limits, agentId).map((applied) =>
    stateOf(applied, refill(bucketOf(ctx, applied), applied.rate, ctx.now())),
  )

type BucketName = Pick<AppliedRate, 'principal' | 'name'>

const keyOf = ({ principal, name }: BucketName) => `${principal}|${name}`

const bucketOf = ({ store }: Context, applied: BucketName) =>
  store.cached('rate', keyOf(applied), () =>
    store.first<Bucket>(
      'SELECT tokens, at FROM rate WHERE principal = ? AND name = ?',
      applied.principal,
      applied.name,
    ),
  )

function stateOf({ name, rate: { perSecond, burst } }: AppliedRate<PaymentRateName>, { tokens }: Bucket): RateState {
  return {
    name,
    limit: burst,
    remaining: Math.floor(tokens),
    windowSeconds: Math.ceil(burst / perSecond),
    resetSeconds: Math.ceil((burst - tokens) / perSecond),
  }
}

function rateRefusal({ name, code, limit }: AppliedRate, resetsAt: number, now: number): Refused {
  const at = Number.isFinite(resetsAt) ? resetsAt : now + dayMs
  return limitRefusal(now, code, {
    rule: `limits.${name}`,
    message: `${limit} Please try again ${resetText(at, now)}.`,
    next: waitAndRepeat,
    resetsAt: at,
  })
}
