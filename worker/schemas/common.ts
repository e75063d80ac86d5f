import { z } from 'zod'
import { emailPattern, readEmail } from '#domain/email.ts'
import { emailMax } from '#domain/emailFormat.ts'
import { decodeRowCursor } from '#domain/lists.ts'
import { type MicroUsdc, maxAmount, parseUsdc } from '#domain/money.ts'
import type { ChainName } from '#domain/networks.ts'
import { strictAmountProblem } from '#domain/readers/amount.ts'
import { claimTokenIn } from '#domain/readers/claimToken.ts'
import { readCode } from '#domain/readers/code.ts'
import { readPhone } from '#domain/readers/phone.ts'
import type { Read } from '#domain/readers/read.ts'
import { readText, type TextRule } from '#domain/readers/text.ts'
import { readAddress } from '#domain/validators.ts'

/**
 * Bodies of /api. `error` is a sentence for people, `code` a stable name for programs, `field` the input at fault, `existing` the id
 * of what is there already.
 */
export type Success<T> = { success: true; data: T; message?: string }
export type Failure = {
  success: false
  error: string
  code: string
  message?: string
  field?: string
  existing?: string
}
export type Envelope<T> = Success<T> | Failure
/**
 * `next` and `previous` are cursors of the adjacent pages, absent if there is none. `amount` and `spent` are
 * sums over all matching rows of a filtered list, on all pages, in decimal USDC by network; `spent` only of transactions.
 * `searchedFrom` (ISO 8601) is set if there are older rows that the filter did not search; a filter that ends there does.
 * `searchedUntil`: a filter of payouts that expire soon did not search those that expire from then on.
 */
export type Page = {
  number: number
  size: number
  total: number
  next?: string
  previous?: string
  amount?: Record<ChainName, string>
  spent?: Record<ChainName, string>
  searchedFrom?: string
  searchedUntil?: string
}

/** The signed-in user's password, for changes that need it (middleware/ownerPassword.ts). */
export const ownerPassword = z.string().min(1).max(1_000).optional()

/** A schema for a text: what `read` makes of it, or its problem as an issue. `error`: if the value is no text. */
export const readBy = <Value>(read: (text: string) => Read<Value>, error?: string) =>
  z.string(error).transform((text, ctx): Value => {
    const result = read(text)
    if ('value' in result) return result.value
    ctx.addIssue({ code: 'custom', message: result.problem })
    return z.NEVER
  })

const amountOf = (least: 0n | 1n) =>
  readBy((text): Read<MicroUsdc> => {
    const value = parseUsdc(text)
    if (value === null) return { problem: strictAmountProblem(text) }
    if (value < least) return { problem: 'Amount must be greater than 0' }
    return value > maxAmount ? { problem: 'Amount must be at most 1 billion USDC' } : { value }
  }, 'amount must be a decimal string of USDC, for example "12.5"')
/**
 * A decimal string of USDC on the wire ("12.5"), MicroUsdc internally. JSON numbers are rejected. Programs write it, so other
 * notations are refused, with the amounts that they could mean; a person's text is read by the form (readers/amount.ts).
 */
export const usdcAmount = amountOf(1n)
export const usdcOrZero = amountOf(0n)

/** For `superRefine`: reports the problem that `problemOf` finds in the value, or nothing if it is null. */
export const checkedBy =
  <Value>(problemOf: (value: Value) => string | null) =>
  (value: Value, ctx: z.core.$RefinementCtx) => {
    const problem = problemOf(value)
    if (problem !== null) ctx.addIssue({ code: 'custom', message: problem })
  }

/** A text that people read, as it is stored. */
export const shownText = (rule: TextRule) =>
  readBy((text) => readText(rule, text), rule.required).meta({ maxLength: rule.max })

/** The six digits of a code. */
export const sixDigits = (name: 'Code' | 'Passcode') =>
  readBy((text) => readCode(text, name), `${name} must be 6 digits`)

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

/** 0x and 40 hex digits; mixed case must be a valid checksum. A prefix of Base is dropped. */
export const address = readBy(readAddress)
/** In the form in which addresses are stored, compared and shown. */
export const email = readBy(readEmail).meta({ pattern: emailPattern, maxLength: emailMax })
/** E.164. */
export const phone = readBy(readPhone)
/** The access token of a claim link. */
export const claimToken = z.string().min(1).max(200).transform(claimTokenIn)
