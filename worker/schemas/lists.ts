import { z } from 'zod'
import { answers } from '#domain/answers.ts'
import { bookFormats } from '#domain/books.ts'
import { figureNames } from '#domain/figures.ts'
import {
  decodeCursor,
  type ListCursor,
  type ListSort,
  listSorts,
  payoutSorts,
  payoutStatuses,
  transactionStatuses,
  transactionTypes,
} from '#domain/lists.ts'
import { parseUsdc } from '#domain/money.ts'
import { chainNames } from '#domain/networks.ts'
import { expiryDays } from '#domain/payment.ts'
import { strictAmountProblem } from '#domain/readers/amount.ts'
import { cleanText } from '#domain/readers/text.ts'
import { parseUtcDays } from '#domain/utcDays.ts'
import { noteFilters } from './paymentTerms.ts'

/** Filters and sort orders of both lists. Times: ISO 8601, `from` inclusive, `to` exclusive. Amounts: USDC, inclusive. */

/** What `parse` makes of a text, or this message. */
const parsed = <T>(parse: (text: string) => T | null, message: string, most = 100) =>
  z
    .string()
    .max(most)
    .transform((text, ctx) => {
      const value = parse(text)
      if (value !== null) return value
      ctx.addIssue({ code: 'custom', message })
      return z.NEVER
    })

const page = {
  page: z.coerce.number().int().min(1).max(100_000).default(1),
  pageSize: z.coerce.number().int().min(1).max(100).default(25),
  /**
   * `next` or `previous` of an earlier reply: selects the rows next to that page, regardless of rows added since. `page` is
   * then only the number in the reply.
   */
  cursor: parsed(decodeCursor, 'Invalid cursor', 200).optional(),
}
export const instant = z.iso
  .datetime({ offset: true, error: 'Time must be ISO 8601, for example 2026-11-20T00:00:00Z' })
  .transform(Date.parse)
const amount = z.string().transform((text, ctx) => {
  const value = parseUsdc(text)
  if (value === null) {
    ctx.addIssue({ code: 'custom', message: strictAmountProblem(text) })
    return z.NEVER
  }
  return Number(value)
})
const range = {
  sort: z.enum(listSorts).optional(),
  from: instant.optional(),
  to: instant.optional(),
  amountMin: amount.optional(),
  amountMax: amount.optional(),
}
/** Text of a whole number, within these bounds. */
export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,16}$/, `Must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .pipe(z.number().min(min).max(max))
/** One or more values, separated by commas. */
export const list = <T extends string>(values: readonly [T, ...T[]]) =>
  z
    .string()
    .transform((text) => text.split(',').filter(Boolean))
    .pipe(z.array(z.enum(values)).max(20))
const text = z.string().max(254).transform(cleanText).optional()
const id = z.string().max(64).optional()
const utcDays = parsed(parseUtcDays, 'Days must be two UTC days in order, such as 2026-11-01..2026-11-30')

type Ranges = { [Name in 'from' | 'to' | 'amountMin' | 'amountMax']?: number | undefined }
export const inOrder = ({ from, to, amountMin, amountMax }: Ranges, ctx: z.core.$RefinementCtx) => {
  if (from !== undefined && to !== undefined && from >= to)
    ctx.addIssue({ code: 'custom', path: ['to'], message: 'The end must be after the start' })
  if (amountMin !== undefined && amountMax !== undefined && amountMin > amountMax)
    ctx.addIssue({ code: 'custom', path: ['amountMax'], message: 'Maximum must be at least the minimum' })
}

const ofThisOrder = (
  { cursor, sort = listSorts[0] }: { cursor?: ListCursor | undefined; sort?: ListSort | undefined },
  ctx: z.core.$RefinementCtx,
) => {
  if (cursor && cursor.sort !== sort)
    ctx.addIssue({ code: 'custom', path: ['cursor'], message: 'This cursor belongs to a different sort order' })
}

const transactionFilter = z.object({
  ...range,
  type: z.enum(transactionTypes).optional(),
  /** The payments that this figure counts (domain/figures.ts), one row for each; as for the next two, on Base unless `network` says. */
  figure: z.enum(figureNames).optional(),
  /** Payments that were spent on these UTC days, as Usage counts them: '2026-11-01..2026-11-30'. */
  spent: utcDays.optional(),
  /** Payments to the recipient of this one, by its id. */
  recipientOf: id,
  /** Purchases at this host, with its port; in figures and of days, as the one above. */
  seller: z.string().max(260).optional(),
  /** What agents asked for on these UTC days; what became of it; and by which rules, all of them separated by commas. */
  requested: utcDays.optional(),
  answer: z.enum(answers).optional(),
  rules: z.string().max(500).optional(),
  network: z.enum(chainNames).optional(),
  status: list(transactionStatuses).optional(),
  /** 'user', an agent's id, or 'outside' for withdrawals without Bursar. */
  sender: id,
  /** A policy group's id. */
  group: id,
  /** A payout run's id. */
  run: id,
  /** Payments that named this contact, and all to its address, email or phone, and from its address. */
  contact: id,
  /** Part of what the list shows as the recipient: an email address, a phone number, an address, a name, a seller's resource. */
  recipient: text,
  memo: text,
  ...noteFilters,
  wallet: id,
  /** Part of a transaction's id or hash. */
  search: z.string().trim().max(80).optional(),
})
export const TransactionFilter = transactionFilter.superRefine(inOrder)

/** GET /transactions/books */
export const BooksQuery = z.object({
  format: z.enum(bookFormats),
  days: utcDays,
  wallet: id,
  /** Base if it is left out. */
  network: z.enum(chainNames).optional(),
})
export type BooksQuery = z.output<typeof BooksQuery>
export const TransactionsQuery = transactionFilter.extend(page).superRefine(inOrder).superRefine(ofThisOrder)

const payoutFilter = z.object({
  ...range,
  sort: z.enum(payoutSorts).optional(),
  status: list(payoutStatuses).optional(),
  /** Payouts that nobody has claimed and that expire within so many days. */
  expiresWithinDays: wholeNumber(1, Math.max(...expiryDays)).optional(),
  /** Wallets' addresses, separated by commas. */
  wallets: z
    .string()
    .transform((value) => value.toLowerCase().split(',').filter(Boolean))
    .pipe(z.array(z.string().regex(/^0x[0-9a-f]{40}$/, 'Invalid wallet address format')).max(20))
    .optional(),
  network: z.enum(chainNames).optional(),
  recipient: text,
  ...noteFilters,
  /** Ids, separated by commas. */
  ids: z
    .string()
    .transform((value) => value.split(',').filter(Boolean))
    .pipe(z.array(z.string().max(64)).max(100, 'At most 100 ids'))
    .optional(),
})
export const PayoutFilter = payoutFilter.superRefine(inOrder)
export const PayoutsQuery = payoutFilter.extend(page).superRefine(inOrder).superRefine(ofThisOrder)

export type TransactionFilter = z.output<typeof TransactionFilter>
export type PayoutFilter = z.output<typeof PayoutFilter>
