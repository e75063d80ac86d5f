import { formatUsdc, type MicroUsdc, parseUsdc } from '../money.ts'
import { asciiDigits } from './digits.ts'
import type { Read } from './read.ts'

/**
 * Reads amounts that people type and paste, in the notation of any country and script. A text is one amount, or it is
 * refused: '1,500' is 1500 in New York and 1.5 in Berlin, so it is neither. Programs send strict decimals (parseUsdc).
 * Record 074.
 */

const maxLength = 60
const unit = String.raw`US ?\$|\$ ?US|\$|(?:TEST )?USDC?`
const before = new RegExp(`^(?:${unit}) ?`, 'i')
const after = new RegExp(` ?(?:${unit})$`, 'i')

/** Digits and marks in ASCII, except the Arabic marks, which have one meaning each. Without unit and invisible characters. */
const plain = (text: string): string =>
  asciiDigits(text)
    .replace(/\p{Cf}/gu, '')
    .trim()
    .replace(/\p{Zs}+/gu, ' ')
    .replace(/＄/g, '$')
    .replace(before, '')
    .replace(after, '')
    .replace(/[’‘ʼ＇]/g, "'")
    .replace(/[．｡。]/g, '.')
    .replace(/[，،]/g, ',')

/** How whole digits are written, by the mark between groups: of three; with a comma also as in India, and in fours. */
const groups = (mark: string, more = '') => String.raw`(?!0+${mark})(?:\d{1,3}(?:${mark}\d{3})+${more})` // not '0,500'
const wholes: Record<string, string> = {
  '': String.raw`\d*`,
  ',': groups(',', String.raw`|\d{1,2}(?:,\d{2})+,\d{3}|\d{1,4}(?:,\d{4})+`),
  '.': groups(String.raw`\.`),
  ' ': groups(' '),
  "'": groups("'"),
  _: groups('_'),
  '٬': groups('٬'),
}
const points = ['.', ',', '٫']

/** One for each notation: the mark between groups, and that before the decimals. */
const notations = points.flatMap((point) =>
  Object.entries(wholes)
    .filter(([mark]) => mark !== point)
    .map(([mark, whole]) => ({
      mark,
      pattern: new RegExp(String.raw`^(?=.*\d)(${whole})(?:${point === '.' ? String.raw`\.` : point}(\d*))?$`),
    })),
)

/** Every amount that the text is in some notation, the largest first: whole digits, and decimals without zeros that say nothing. */
function readingsOf(text: string): { whole: string; decimals: string }[] {
  const found = new Map<string, { whole: string; decimals: string }>()
  for (const { mark, pattern } of notations) {
    const match = pattern.exec(text)
    if (!match) continue
    const whole = match[1]!.replaceAll(mark, '').replace(/^0+(?=\d)/, '') || '0'
    const decimals = (match[2] ?? '').replace(/0+$/, '')
    found.set(`${whole}.${decimals}`, { whole, decimals })
  }
  return [...found.values()].sort((a, b) => b.whole.length - a.whole.length)
}

/** A sign or code of a currency: 'R$', '€', 'EUR', 'kr'. */
const currency = String.raw`\p{L}{0,3}\p{Sc}|[A-Z]{3}|USDT|USDC\.E|KR|ZŁ|RS\.?|FR\.`
const ofCurrency = new RegExp(`^(${currency}) ?(.+)$|^(.+?) ?(${currency})$`, 'iu')

/** The sign of another currency at either end of an amount; null if there is none. */
function currencyIn(text: string): string | null {
  const [, before, after = '', rest = after, behind] = ofCurrency.exec(text) ?? []
  const sign = before ?? behind
  return sign !== undefined && readingsOf(rest).length > 0 ? sign : null
}

/** The amount in a text that is not empty, with at most `decimals` decimals. `unreadable`: the problem with a text that has none. */
export function readAmount(text: string, decimals = 6, unreadable = ruleOf(decimals)): Read<MicroUsdc> {
  if (text.length > maxLength) return { problem: unreadable }
  const typed = plain(text)
  const [one, other] = readingsOf(typed)
  if (!one) {
    const sign = currencyIn(typed)
    return { problem: sign === null ? unreadable : `“${sign}” is another currency. ${ruleOf(decimals)}` }
  }
  if (other) return { problem: `“${text.trim()}” could mean ${written(one)} or ${written(other)}. Enter one of these.` }
  if (one.decimals.length > decimals) return { problem: ruleOf(decimals) }
  const value = parseUsdc(one.decimals ? `${one.whole}.${one.decimals}` : one.whole)
  return value === null ? { problem: 'Amount must be at most 1 billion USDC' } : { value }
}

const ruleOf = (decimals: number) => `Enter digits with at most ${decimals} decimals, for example 1234.50`

/** Why a program's text is not a strict decimal, with the amounts that a person may have meant. */
export function strictAmountProblem(text: string): string {
  const rule = 'Amount must be plain digits with at most 6 decimals'
  const readings = text.length > maxLength ? [] : readingsOf(plain(text)).filter(({ decimals }) => decimals.length <= 6)
  return readings.length === 0 ? rule : `${rule}: “${text.trim()}” could mean ${readings.map(written).join(' or ')}`
}

/** An amount for a field, in a form that is read as nothing else: '12.345' might be 12345, '12.3450' is not. */
export function amountForField(amount: bigint): string {
  const [whole = '0', decimals = ''] = formatUsdc(amount).split('.')
  return written({ whole, decimals })
}

function written({ whole, decimals }: { whole: string; decimals: string }): string {
  if (decimals === '') return whole
  return decimals.length === 3 && whole !== '0' ? `${whole}.${decimals}0` : `${whole}.${decimals}`
}
