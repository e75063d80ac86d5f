import { z } from 'zod'
import { phoneProblem, phoneText, plainPhone } from '../domain/contactRules.ts'
import { maxAmount, parseUsdc } from '../domain/money.ts'
import { addressProblem } from '../domain/validators.ts'

/** Answers of /api. `error` is the sentence for people, `code` a stable name for programs, `field` the input at fault. */
export type Success<T> = { success: true; data: T; message?: string }
export type Failure = { success: false; error: string; code: string; message?: string; field?: string }
export type Envelope<T> = Success<T> | Failure
export type Page = { number: number; size: number; total: number }
export type Paged<T> = Success<T[]> & { page: Page }

/** Decimal string of USDC on the wire ("12.5"), MicroUsdc inside. Numbers are refused. */
export const usdcAmount = z
  .string({ error: 'amount must be a decimal string of USDC, for example "12.5"' })
  .transform((text, ctx) => {
    const amount = parseUsdc(text)
    const problem =
      amount === null
        ? 'Amount must be plain digits with at most 6 decimals'
        : amount === 0n
          ? 'Amount must be greater than 0'
          : amount > maxAmount
            ? 'Amount is larger than Bursar handles'
            : null
    if (problem !== null || amount === null) {
      ctx.addIssue({ code: 'custom', message: problem ?? '' })
      return z.NEVER
    }
    return amount
  })

/** A 0x address: 40 hex digits, and where letters are mixed case, a right checksum. Kept as given by the caller. */
export const address = z.string().transform((text, ctx) => {
  const problem = addressProblem(text)
  if (problem) {
    ctx.addIssue({ code: 'custom', message: problem })
    return z.NEVER
  }
  return text as `0x${string}`
})

export const memo = z.string().max(100, 'Memo must be at most 100 characters').optional()
export const email = z
  .string()
  .trim()
  // Ends here: the pattern takes seconds for a text as long as a request.
  .max(254, { error: 'Invalid email format', abort: true })
  .regex(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'Invalid email format')
/** E.164; spaces, dashes and brackets are let pass and left out. */
export const phone = z
  .string()
  .refine((text) => phoneProblem(text) === null, phoneText)
  .transform(plainPhone)
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'Idempotency-Key must be 1 to 255 visible ASCII characters')
