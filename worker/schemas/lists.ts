import { z } from 'zod'
import {
  decodeCursor,
  type ListCursor,
  type ListSort,
  listFigures,
  listSorts,
  payoutStatuses,
  transactionStatuses,
  transactionTypes,
} from '#domain/lists.ts'
import { parseUsdc } from '#domain/money.ts'
import { noteFilters } from './paymentTerms.ts'

/** Filters and sort orders of both lists. Times: ISO 8601, `from` inclusive, `to` exclusive. Amounts: USDC, inclusive. */

const page = {
  page: z.coerce.number().int().min(1).max(100_000).default(1),
  pageSize: z.coerce.number().int().min(1).max(100).default(25),
  /**
   * `next` or `previous` of an earlier reply: selects the rows next to that page, regardless of rows added since. `page` is
   * then only the number in the reply.
   */
  cursor: z
    .string()
    .max(200)
    .transform((text, ctx) => {
      const cursor = decodeCursor(text)
      if (cursor) return cursor
      ctx.addIssue({ code: 'custom', message: 'Invalid cursor' })
      return z.NEVER
    })
    .optional(),
}
const instant = z.iso
  .datetime({ offset: true, error: 'Time must be ISO 8601, for example 2026-11-20T00:00:00Z' })
  .transform(Date.parse)
const amount = z.string().transform((text, ctx) => {
  const value = parseUsdc(text)
  if (value === null) {
    ctx.addIssue({ code: 'custom', message: 'Amount must be plain digits with at most 6 decimals' })
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
/** One or more values, separated by commas. */
const list = <T extends string>(values: readonly [T, ...T[]]) =>
  z
    .string()
    .transform((text) => text.split(',').filter(Boolean))
    .pipe(z.array(z.enum(values)).max(20))
const text = z.string().trim().max(254).optional()
const id = z.string().max(64).optional()

type Ranges = { [Name in 'from' | 'to' | 'amountMin' | 'amountMax']?: number | undefined }
const inOrder = ({ from, to, amountMin, amountMax }: Ranges, ctx: z.core.$RefinementCtx) => {
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
  /** The payments that this figure of the overview counts. */
  figure: z.enum(listFigures).optional(),
  status: list(transactionStatuses).optional(),
  /** 'user' or an agent's id. */
  sender: id,
  contact: id,
  /** Part of an email address, a phone number, an address or a contact's name. */
  recipient: text,
  memo: text,
  ...noteFilters,
  wallet: id,
  /** Part of a transaction's id or hash. */
  search: z.string().trim().max(80).optional(),
})
export const TransactionFilter = transactionFilter.superRefine(inOrder)
export const TransactionsQuery = transactionFilter.extend(page).superRefine(inOrder).superRefine(ofThisOrder)

const payoutFilter = z.object({
  ...range,
  status: list(payoutStatuses).optional(),
  /** Wallets' addresses, separated by commas. */
  wallets: z
    .string()
    .transform((value) => value.toLowerCase().split(',').filter(Boolean))
    .pipe(z.array(z.string().regex(/^0x[0-9a-f]{40}$/, 'Invalid wallet address format')).max(20))
    .optional(),
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
