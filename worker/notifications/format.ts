import { formatUsdcText, parseUsdc } from '#domain/money.ts'
import { usdcUnit } from '#domain/networks.ts'

/**
 * Helpers for message texts. Text from users (names, memos) is cut to one line, so that it cannot pose as ours. No part of it
 * becomes a link (email.ts).
 */

/** '2026-11-20'. Part of the ids of messages that are sent at most once a day. */
export const utcDay = (now: number) => new Date(now).toISOString().slice(0, 10)

/** '2026-11-20 14:05 UTC' */
export const utcMinute = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** Null if nothing visible is left. */
export function oneLine(text: string | null, maxLength: number): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this removes control characters
  const plain = (text ?? '').replace(/[\s\u0000-\u001f\u007f\u2028\u2029]+/gu, ' ').trim()
  if (!plain) return null
  return [...plain].length > maxLength ? `${[...plain].slice(0, maxLength - 1).join('')}…` : plain
}

/** A user's text in one line and in quotes that it cannot end. Null if nothing visible is left. */
export function quoted(text: string | null, maxLength: number): string | null {
  const plain = oneLine(text, maxLength)
  return plain && `"${plain.replaceAll('"', "'")}"`
}

/** '12.5' → '12.50 USDC': decimal USDC with its unit, as screens show it. */
export const formatMoney = ({ amount, isTest }: { amount: string; isTest?: boolean }) =>
  `${formatUsdcText(parseUsdc(amount) ?? 0n)} ${usdcUnit(isTest === true)}`
/** Explains USDC to recipients who do not know it. */
export const usdcInWords = 'USDC is a digital dollar, worth about 1 US dollar.'
export const testMoneyNotice = 'This is test money on the Base Sepolia network. It has no value.'
