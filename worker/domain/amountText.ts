/** Amounts as people type and paste them. */

const invisible = /[\s$'’_\u200b-\u200f\u202a-\u202e\u2060\ufeff]|USDC?/gi
/** '1,234,567.89' and '1,234,567.' */
const english = /^\d{1,3}(?:,\d{3})+\.\d*$/
/** '1.234.567,89' */
const continental = /^\d{1,3}(?:\.\d{3})+,\d*$/
/** Groups of three and no decimals; a single group only where no decimal can be meant: '0,123' is not 123. */
const groups = /^(?:[1-9]\d{0,2},\d{3}|\d{1,3}(?:,\d{3}){2,}|\d{1,3}(?:\.\d{3}){2,})$/

/**
 * '$1,234.50', '1.234,50', '1 234,50 USDC' → '1234.50'; '12,5' → '12.5'. What can't be read in one way only comes back
 * with its marks and is no draft: better nothing than another sum.
 */
export function cleanAmount(text: string): string {
  const value = text.replace(invisible, '')
  if (english.test(value)) return value.replaceAll(',', '')
  if (continental.test(value)) return value.replaceAll('.', '').replace(',', '.')
  if (groups.test(value)) return value.replace(/[,.]/g, '')
  return /^\d*,\d*$/.test(value) ? value.replace(',', '.') : value
}

/** May this stand in an amount field while it is being typed? */
export const isAmountDraft = (text: string, decimals = 6) => {
  const match = /^\d{0,12}(?:\.(\d*))?$/.exec(text)
  return match !== null && (match[1] ?? '').length <= decimals
}

/** '25.' and '.5' are fine to type: '25' and '0.5'. */
export const plainAmount = (text: string) => text.trim().replace(/\.$/, '').replace(/^\./, '0.')
