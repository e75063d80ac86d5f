/** Parses amounts as people type and paste them. */

const invisible = /[\s$'’_\u200b-\u200f\u202a-\u202e\u2060\ufeff]|USDC?/gi
/** '1,234,567.89' and '1,234,567.' */
const english = /^\d{1,3}(?:,\d{3})+\.\d*$/
/** '1.234.567,89' */
const continental = /^\d{1,3}(?:\.\d{3})+,\d*$/
/** Groups of three without decimals. A single group only if it cannot be a decimal: '0,123' is not 123. */
const groups = /^(?:[1-9]\d{0,2},\d{3}|\d{1,3}(?:,\d{3}){2,}|\d{1,3}(?:\.\d{3}){2,})$/

/**
 * '$1,234.50', '1.234,50', '1 234,50 USDC' → '1234.50'; '12,5' → '12.5'. An ambiguous text keeps its separators, so that
 * `isAmountDraft` rejects it: no amount is better than a wrong one.
 */
export function cleanAmount(text: string): string {
  const value = text.replace(invisible, '')
  if (english.test(value)) return value.replaceAll(',', '')
  if (continental.test(value)) return value.replaceAll('.', '').replace(',', '.')
  if (groups.test(value)) return value.replace(/[,.]/g, '')
  return /^\d*,\d*$/.test(value) ? value.replace(',', '.') : value
}

/** Whether an amount field accepts this text while it is being typed. */
export const isAmountDraft = (text: string, decimals = 6) => {
  const match = /^\d{0,12}(?:\.(\d*))?$/.exec(text)
  return match !== null && (match[1] ?? '').length <= decimals
}

/** Completes a draft: '25.' → '25', '.5' → '0.5'. */
export const plainAmount = (text: string) => text.trim().replace(/\.$/, '').replace(/^\./, '0.')
