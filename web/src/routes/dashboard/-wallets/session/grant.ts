import { type MicroUsdc, min, saturatingSub } from '#domain/money.ts'
import { amountForField, readAmount } from '#domain/readers/amount.ts'
import { asciiDigits } from '#domain/readers/digits.ts'
import { problemIn } from '#domain/readers/read.ts'
import {
  allowanceInMicro,
  allowanceProblem,
  defaultHours,
  defaultLimit,
  durationProblem,
  limitProblem,
  maxHours,
  maxLimit,
  proposedAllowance,
} from '#domain/sessionKey.ts'
import { hourMs } from '#domain/time.ts'
import { capOf, countOf, purchaseClasses } from '#domain/x402/purchaseClasses.ts'
import { dollars, typedMicro } from '#web/lib/amounts.ts'
import type { Grant, SessionKeyInfo } from '#web/queries/wallets.ts'

/** A session key's limit (decimal USDC), its purchase allowance (whole USDC) and its duration (whole hours), as typed. */
export type GrantValues = { limit: string; allowance: string; hours: string }

/** 0 for an empty field; NaN if the text is not a whole number: '1.000' may mean a thousand. */
export function typedHours(text: string): number {
  const digits = asciiDigits(text).trim()
  return /^\d{0,6}$/.test(digits) ? Number(digits) : Number.NaN
}

/** In whole USDC; NaN if the text is not a whole number of them. */
export function typedAllowance(text: string): number {
  const amount = typedMicro(text)
  return amount === null || amount % allowanceInMicro(1) !== 0n ? Number.NaN : Number(amount / allowanceInMicro(1))
}

/** Null if a session with `limit` (micro-USDC) may have this purchase allowance. */
export const typedAllowanceProblem = (text: string, limit: bigint) =>
  problemIn(readAmount(text, 6, allowanceProblem(Number.NaN, limit)!)) ?? allowanceProblem(typedAllowance(text), limit)

/** The limit in micro-USDC; null while it is not allowed. */
export function grantedLimit({ limit }: Pick<GrantValues, 'limit'>): MicroUsdc | null {
  const amount = typedMicro(limit)
  return limitProblem(amount) === null ? amount : null
}

/** Problems in the order of the fields. Without a valid limit, the allowance is only compared with the highest one. */
export const grantProblems = (values: GrantValues) => ({
  limit: problemIn(readAmount(values.limit, 6, limitProblem(null)!)) ?? limitProblem(typedMicro(values.limit)),
  allowance: typedAllowanceProblem(values.allowance, grantedLimit(values) ?? maxLimit),
  hours: durationProblem(typedHours(values.hours)),
})

/** Converts valid values to the API's format. */
export const grantOf = (values: GrantValues): Required<Grant> => ({
  spendingLimit: String(grantedLimit(values) ?? 0n),
  ttlHours: typedHours(values.hours),
  purchaseAllowance: typedAllowance(values.allowance),
})

/** What a rotation begins with: the usual limit and duration, and the present purchase allowance. */
export const usualGrant = ({ purchaseAllowance }: SessionKeyInfo): GrantValues => ({
  limit: defaultLimit,
  allowance: String(purchaseAllowance),
  hours: defaultHours,
})

/**
 * What is proposed when a session that keeps nothing for purchases first does. Nothing else changes: the limit is what sends
 * have left, until the same day. Null if the session has ended, or too little is left to share.
 */
export function firstPurchases(info: SessionKeyInfo, now: number): GrantValues | null {
  const used = BigInt(info.spentAmount) + BigInt(info.heldAmount)
  const left = min(saturatingSub(BigInt(info.spendingLimit), used), maxLimit)
  const allowance = proposedAllowance(left)
  const hours = Math.min(maxHours, Math.ceil((info.validUntil * 1000 - now) / hourMs))
  if (!info.isActive || allowance === 0 || hours < 1) return null
  return { limit: amountForField(left), allowance: String(allowance), hours: String(hours) }
}

/** The same, with the usual limit and duration if the session cannot be shared. */
export function grantWithPurchases(info: SessionKeyInfo, now: number): GrantValues {
  const usual = usualGrant(info)
  return firstPurchases(info, now) ?? { ...usual, allowance: String(proposedAllowance(grantedLimit(usual)!)) }
}

const list = new Intl.ListFormat('en-US')

/** 'up to 500 purchases of at most $0.01, 150 of at most $0.10, and 30 of at most $1.00'. `allowance` in whole USDC, above 0. */
function purchasesInWords(allowance: number): string {
  const counts = purchaseClasses
    .map((purchaseClass) => [countOf(purchaseClass, allowance), dollars(capOf(purchaseClass))] as const)
    .filter(([count]) => count > 0)
    .map(([count, cap], i) => `${count.toLocaleString('en-US')}${i === 0 ? ' purchases' : ''} of at most ${cap}`)
  return `up to ${list.format(counts)}`
}

const exampleAllowance = 50 // USDC

/** What a purchase allowance means, in sentences: for the typed one, or for an example. */
export function allowanceInWords(text: string): string {
  const allowance = typedAllowance(text)
  const amount = (whole: number) => dollars(allowanceInMicro(whole))
  if (allowance > 0 && allowance <= Number(maxLimit / allowanceInMicro(1)))
    return `Purchase allowance: ${amount(allowance)} of the limit is kept for x402 purchases, and sends have that much less. It pays for ${purchasesInWords(allowance)}.`
  return `The purchase allowance is the part of the limit that is kept for x402 purchases; sends have that much less. ${amount(exampleAllowance)} would pay for ${purchasesInWords(exampleAllowance)}.`
}
