import { z } from 'zod'
import { phoneProblem, phoneText, plainPhone } from '#domain/contactRules.ts'
import { emailPattern, parseEmail } from '#domain/email.ts'
import { emailMax } from '#domain/emailFormat.ts'
import { decodeRowCursor } from '#domain/lists.ts'
import { maxAmount, parseUsdc } from '#domain/money.ts'
import type { ChainName } from '#domain/networks.ts'
import { hiddenProblem } from '#domain/plainText.ts'
import { addressProblem } from '#domain/validators.ts'

/** Bodies of /api. `error` is a sentence for people, `code` a stable name for programs, `field` the input at fault. */
export type Success<T> = { success: true; data: T; message?: string }
export type Failure = { success: false; error: string; code: string; message?: string; field?: string }
export type Envelope<T> = Success<T> | Failure
/**
 * `next` and `previous` are cursors of the adjacent pages, absent if there is none. `spent` is only set for a filtered list
 * of transactions: the contribution of all matching rows, on all pages, to the total spent, in decimal USDC by network.
 * `searchedFrom` (ISO 8601) is set if there are older rows that the filter did not search; a filter that ends there does.
 */
export type Page = {
  number: number
  size: number
  total: number
  next?: string
  previous?: string
  spent?: Record<ChainName, string>
  searchedFrom?: string
}

/** The signed-in user's password, for changes that need it (middleware/ownerPassword.ts). */
export const ownerPassword = z.string().min(1).max(1_000).optional()

const amountOf = (least: 0n | 1n) =>
  z.string({ error: 'amount must be a decimal string of USDC, for example "12.5"' }).transform((text, ctx) => {
    const amount = parseUsdc(text)
    const problem =
      amount === null
        ? 'Amount must be plain digits with at most 6 decimals'
        : amount < least
          ? 'Amount must be greater than 0'
          : amount > maxAmount
            ? 'Amount must be at most 1 billion USDC'
            : null
    if (problem !== null || amount === null) {
      ctx.addIssue({ code: 'custom', message: problem ?? '' })
      return z.NEVER
    }
    return amount
  })
/** A decimal string of USDC on the wire ("12.5"), MicroUsdc internally. JSON numbers are rejected. */
export const usdcAmount = amountOf(1n)
export const usdcOrZero = amountOf(0n)

/** For `superRefine`: reports the problem that `problemOf` finds in the value, or nothing if it is null. */
export const checkedBy =
  <Value>(problemOf: (value: Value) => string | null) =>
  (value: Value, ctx: z.core.$RefinementCtx) => {
    const problem = problemOf(value)
    if (problem !== null) ctx.addIssue({ code: 'custom', message: problem })
  }

/** For `superRefine`: refuses hidden characters in a text that people read. */
export const shownText = (label: string, lines?: 'lines') =>
  checkedBy((text: string) => hiddenProblem(label, text, lines))

/** The cursor of a list that is sorted newest first. Opaque to the caller. */
export const rowCursor = z
  .string()
  .max(200)
  .transform((text, ctx) => {
    const cursor = decodeRowCursor(text)
    if (cursor) return cursor
    ctx.addIssue({ code: 'custom', message: 'Invalid cursor; start again without it.' })
    return z.NEVER
  })

/** A 0x address of 40 hex digits; mixed case must be a valid checksum. Kept as sent. */
export const address = z.string().transform((text, ctx) => {
  const problem = addressProblem(text)
  if (problem) {
    ctx.addIssue({ code: 'custom', message: problem })
    return z.NEVER
  }
  return text as `0x${string}`
})

/** In the form in which addresses are stored, compared and shown. */
export const email = z
  .string()
  .transform((text, ctx) => {
    const parsed = parseEmail(text)
    if ('email' in parsed) return parsed.email
    ctx.addIssue({ code: 'custom', message: parsed.problem })
    return z.NEVER
  })
  .meta({ pattern: emailPattern, maxLength: emailMax })
/** E.164. Spaces, dashes and brackets are accepted and removed. */
export const phone = z
  .string()
  .refine((text) => phoneProblem(text) === null, phoneText)
  .transform(plainPhone)
