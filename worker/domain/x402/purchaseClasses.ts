import { type MicroUsdc, microUsdc } from '../money.ts'
import { allowanceInMicro } from '../sessionKey.ts'

/**
 * A session's purchase allowance has three classes, as contracts/src/Purchase.sol defines them: a cap for one purchase, and
 * a share of the allowance, which gives the number of purchases.
 */
const classes = [
  { cap: microUsdc(10_000n), percent: 10n },
  { cap: microUsdc(100_000n), percent: 30n },
  { cap: microUsdc(1_000_000n), percent: 60n },
]

export const purchaseClasses = [0, 1, 2] as const
export type PurchaseClass = (typeof purchaseClasses)[number]

/** The most that a purchase can cost: 1 USDC. */
export const maxPurchase: MicroUsdc = classes[2]!.cap

export const capOf = (purchaseClass: PurchaseClass): MicroUsdc => classes[purchaseClass]!.cap

/** The cheapest class that may pay `amount`. Null above `maxPurchase`. */
export const classFor = (amount: MicroUsdc): PurchaseClass | null =>
  purchaseClasses.find((purchaseClass) => amount <= capOf(purchaseClass)) ?? null

/** How many purchases of a class a session allows. Their numbers are 0 to this minus 1. `allowance` is in whole USDC. */
export function countOf(purchaseClass: PurchaseClass, allowance: number): number {
  const { cap, percent } = classes[purchaseClass]!
  return Number((allowanceInMicro(allowance) * percent) / 100n / cap)
}

/** Of a class, in one session. A number is taken from when it is signed until it is proven dead; settled ones stay taken. */
export type ClassUse = { count: number; taken: number }

/** The numbers that one agent may have handed out and not settled: a quarter of the class, rounded up. */
export const shareOfAgent = ({ count }: Pick<ClassUse, 'count'>): number => Math.ceil(count / 4)

/** The numbers that agents leave to the owner: a tenth, rounded down. */
export const reserveOfOwner = ({ count }: Pick<ClassUse, 'count'>): number => Math.floor(count / 10)

/**
 * Null if another purchase of this class may be signed; otherwise what prevents it: the class is used up, or the agent has
 * too many that are not settled. `openOfAgent` is null for the owner.
 */
export function classProblem(use: ClassUse, openOfAgent: number | null): 'class' | 'share' | null {
  const free = use.count - use.taken
  if (openOfAgent === null) return free > 0 ? null : 'class'
  if (free <= reserveOfOwner(use)) return 'class'
  return openOfAgent < shareOfAgent(use) ? null : 'share'
}

/** Whether a rotation should renew the allowance: less than a quarter of the class is left. */
export const needsRefill = ({ count, taken }: ClassUse): boolean => (count - taken) * 4 < count

/**
 * The limit of the session that renews the allowance: what sends have left, and the allowance. So it adds exactly what
 * purchases used, and never raises what sends may take.
 */
export const refillLimit = (remaining: MicroUsdc, allowance: number): MicroUsdc =>
  microUsdc(remaining + allowanceInMicro(allowance))
