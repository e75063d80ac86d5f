import type { Read } from './read.ts'

/**
 * Reads names, memos and other texts that people write for people. The stored text is what is shown: in one Unicode form, and
 * without characters that are invisible or change the direction of others. Record 074.
 */

const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u

const emoji = String.raw`\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|[\ufe0e\ufe0f])?`
const virama = String.raw`[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]`
/** Where such a character changes what is seen: in emoji (UTS #51), in Han, Mongolian, Indic and Arabic letters. */
const shown = new RegExp(
  [
    String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}`, // flags of regions
    String.raw`${emoji}(?:\u200d${emoji})*`,
    String.raw`[0-9#*]\ufe0f\u20e3`,
    String.raw`[\u200c\u200d]?${virama}[\u200c\u200d]?`,
    String.raw`\p{Script=Arabic}\u200c(?=\p{Script=Arabic})`,
    String.raw`\p{Unified_Ideograph}[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`, // spellings of surnames
    String.raw`\p{Script=Mongolian}[\u180b-\u180f]`,
  ].join('|'),
  'gu',
)

/** Scripts without spaces between words, whose keyboards insert zero-width ones. */
const unspaced = String.raw`[\p{Script=Khmer}\p{Script=Lao}\p{Script=Thai}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Javanese}]`
const [afterUnspaced, beforeUnspaced] = [new RegExp(`${unspaced}$`, 'u'), new RegExp(`^${unspaced}`, 'u')]
const withoutSpaces = (text: string) =>
  text.replace(/\u200b+/g, (run, at: number) => {
    const [left, right] = [text.slice(Math.max(0, at - 2), at), text.slice(at + run.length, at + run.length + 2)]
    return afterUnspaced.test(left) || beforeUnspaced.test(right) ? '' : run
  })
const fromRightToLeft =
  /(?=\p{L})[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u
const marks = /[\u061c\u200e\u200f]/g
const softHyphens = /(?<=[\p{L}\p{M}])\u00ad(?=\p{L})/gu
/** A joiner that joins nothing, which some Arabic keyboards leave behind. */
const loose = /(?<=\p{Script=Arabic})[\u200c\u200d](?!\p{Script=Arabic})/gu

/**
 * The text as it is stored: in Unicode form C, and without invisible characters that a language's keyboards insert and nobody
 * sees. Others are left for `readText` to refuse.
 */
export function cleanText(text: string): string {
  const plain = withoutSpaces(text.normalize('NFC')).replace(softHyphens, '').replace(loose, '')
  return (fromRightToLeft.test(plain) ? plain.replace(marks, '') : plain).trim()
}

/** Code points, as JSON Schema counts, so that form, API and published schema agree. */
export const lengthOf = (text: string): number => [...text].length

/** `lines`: it may have line breaks and tabs. `required`: the problem with a text in which nothing can be seen. */
export type TextRule = { label: string; max: number; lines?: boolean; required?: string }

export function readText({ label, max, lines = false, required }: TextRule, text: string): Read<string> {
  const value = cleanText(text)
  if (required !== undefined && !isVisible(value)) return { problem: required }
  if (lengthOf(value) > max) return { problem: `${label} must be at most ${max} characters` }
  const rest = value.replace(shown, ' ')
  return hidden.test(lines ? rest.replace(/[\t\r\n]/g, ' ') : rest)
    ? { problem: `${label} must not contain control or invisible characters` }
    : { value }
}

/** Whether there is a letter, digit, punctuation or emoji. */
const isVisible = (text: string) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text)

/** Texts in the form in which they are searched, one per line: without case, accents of Latin letters and invisible characters. */
export function searchTextOf(...texts: (string | null)[]): string {
  const text = texts.filter(Boolean).join('\n')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII, which takes a tenth of the time
  if (/^[\u0000-\u007f]*$/.test(text)) return text.toLowerCase()
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toLowerCase()
    .normalize('NFC')
}
