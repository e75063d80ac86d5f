import { type RateName, rates } from '#domain/limitList.ts'
import { type Bucket, refill, takeTokens } from '#domain/limits.ts'
import type { Refused } from '../../result.ts'
import type { Context } from '../core/context.ts'
import { runs, type Spender } from '../core/spender.ts'
import { rateRefusal } from './limitRefusal.ts'
import type { PaymentRateName, RateState } from './rpcTypes.ts'

/** The bucket of one principal, in the table `rate`. */
type AppliedRate<Name extends string = RateName> = [name: Name, principal: string]

/**
 * Rates of accepted payments: of the agent, and of all the user's spenders together. Runs use none, so that they leave them to
 * others: their turns are a rate.
 */
export const paymentRates = (spender: Spender): AppliedRate<PaymentRateName>[] => [
  ...(spender === null || spender === runs ? [] : [['agent_payments', spender] satisfies AppliedRate]),
  ...(spender === runs ? [] : [['user_payments', 'account'] satisfies AppliedRate]),
]

/** Tokens that were taken and are counted once `save` is called, in the same transaction. */
export type TakenRates = { ok: true; save: () => void }

/** Takes `count` tokens of each rate, or refuses. Nothing is stored before `save`, which belongs in the same transaction. */
export function takeRates(ctx: Context, wanted: readonly AppliedRate[], count = 1): Refused | TakenRates {
  const now = ctx.now()
  const taken: { applied: AppliedRate; bucket: Bucket }[] = []
  for (const applied of wanted) {
    const [name] = applied
    const result = takeTokens(bucketOf(ctx, applied), rates[name].rate(ctx.limits), now, count)
    if (!result.ok) return rateRefusal(ctx, name, now + result.waitMs, now)
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
    const applied: AppliedRate<string> = [name, 'account']
    const bucket = bucketOf(ctx, applied)
    const left = bucket?.at === startsAt ? Math.min(bucket.tokens, most) : most
    return { applied, bucket: { tokens: left - 1, at: startsAt } }
  })
  if (taken.some(({ bucket }) => bucket.tokens < 0)) return false
  saveBuckets(ctx, taken)
  return true
}

function saveBuckets({ store }: Context, taken: readonly { applied: AppliedRate<string>; bucket: Bucket }[]): void {
  if (taken.length === 0) return
  store.runCached(
    'rate',
    taken.map(({ applied, bucket }) => [keyOf(applied), bucket]),
    `INSERT INTO rate (principal, name, tokens, at) VALUES ${taken.map(() => '(?, ?, ?, ?)')}
     ON CONFLICT (principal, name) DO UPDATE SET tokens = excluded.tokens, at = excluded.at`,
    ...taken.flatMap(({ applied: [name, principal], bucket: { tokens, at } }) => [principal, name, tokens, at]),
  )
}

/** Takes `count` tokens of this rate and stores it. Returns a refusal if fewer are left. */
export function takeRate(ctx: Context, name: RateName, principal: string, count = 1): Refused | null {
  const taken = takeRates(ctx, [[name, principal]], count)
  if (!taken.ok) return taken
  taken.save()
  return null
}

/** The rates of a principal's payments, and how much of each is left. */
export const paymentRateStates = (ctx: Context, agentId: string | null): RateState[] =>
  paymentRates(agentId).map((applied) => {
    const [name] = applied
    const rate = rates[name].rate(ctx.limits)
    const { tokens } = refill(bucketOf(ctx, applied), rate, ctx.now())
    return {
      name,
      limit: rate.burst,
      remaining: Math.floor(tokens),
      windowSeconds: Math.ceil(rate.burst / rate.perSecond),
      resetSeconds: Math.ceil((rate.burst - tokens) / rate.perSecond),
    }
  })

const keyOf = ([name, principal]: AppliedRate<string>) => `${principal}|${name}`

const bucketOf = ({ store }: Context, applied: AppliedRate<string>) =>
  store.cached('rate', keyOf(applied), () => {
    const [name, principal] = applied
    return store.first<Bucket>('SELECT tokens, at FROM rate WHERE principal = ? AND name = ?', principal, name)
  })
