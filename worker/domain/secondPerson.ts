import { formatUsdcText, type MicroUsdc, parseUsdc } from './money.ts'
import { dayMs } from './time.ts'

/** How long everybody has to object before the limit is raised or switched off. */
export const secondPersonDelayMs = dayMs
/** From when a member decides above the limit: after joining, after a role that may do more, after a new password. */
export const decidesAfterMs = dayMs

/** `next` replaces `above` at its time (ms). Null: no second person is needed. */
export type SecondPersonSetting = { above: MicroUsdc | null; next: { above: MicroUsdc | null; at: number } | null }

export const effectiveAbove = ({ above, next }: SecondPersonSetting, now: number): MicroUsdc | null =>
  next !== null && next.at <= now ? next.above : above

/** Whether `amount` on top of `sum` would have only one person behind more than the limit. */
export const isAlone = (above: MicroUsdc, sum: MicroUsdc, amount: MicroUsdc): boolean => sum + amount > above

/** The setting once the owner asks for `above`: at once if it protects as much or more, otherwise later. */
export function setTo(before: SecondPersonSetting, above: MicroUsdc | null, now: number): SecondPersonSetting {
  const current = effectiveAbove(before, now)
  const protectsLess = current !== null && (above === null || above > current)
  return protectsLess ? { above: current, next: { above, at: now + secondPersonDelayMs } } : { above, next: null }
}

/** 'above 100.00 USDC in 24 hours, a second person must agree': what the limit (decimal USDC) asks for. Null: there is none. */
export const secondPersonText = (above: string | null): string =>
  above === null
    ? 'no second person is needed'
    : `above ${formatUsdcText(parseUsdc(above)!)} USDC in 24 hours, a second person must agree`
