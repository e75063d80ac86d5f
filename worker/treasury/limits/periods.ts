import { dayMs, minuteMs } from '#domain/time.ts'
import type { Context } from '../core/context.ts'

/** Sums of 24 hours are kept in periods of this length, so that few rows are read. */
const periodMs = 15 * minuteMs

export const periodNow = ({ now }: Pick<Context, 'now'>): number => Math.floor(now() / periodMs)

/** The oldest period that a sum of the last 24 hours includes, as a whole. */
export const firstPeriod = (ctx: Pick<Context, 'now'>): number => periodNow(ctx) - dayMs / periodMs

/** When the sums of the last 24 hours change next, without a payment (ms). */
export const nextPeriodAt = (ctx: Pick<Context, 'now'>): number => (periodNow(ctx) + 1) * periodMs
