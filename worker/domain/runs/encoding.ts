import { shown } from './problems.ts'

/** Recognizes text that was saved in one encoding and read in another: 'MÃ¼ller' for 'Müller'. */

/** Characters of Windows-1252 from 0x80 to 0x9f; the others up to 0xff have their own number. */
const upper = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'
const byteOf = new Map([...upper].map((character, at): [string, number] => [character, 0x80 + at]))

const maxLength = 500

/** The text that these characters are the bytes of in UTF-8, or null. */
function repaired(text: string): string | null {
  if (text.length > maxLength || !/[\u00c2-\u00f4]/.test(text)) return null
  const bytes: number[] = []
  for (const character of text) {
    const byte = byteOf.get(character) ?? character.codePointAt(0)!
    if (byte > 0xff) return null
    bytes.push(byte)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(Uint8Array.from(bytes))
  } catch {
    return null
  }
}

/** The problem with a text whose encoding was lost, or null. */
export function encodingProblem(text: string): string | null {
  if (text.includes('\ufffd')) return `${shown(text)} has a character that got lost. Save the file as “CSV UTF-8”.`
  const right = repaired(text)
  return right === null
    ? null
    : `${shown(text)} was read in the wrong encoding. Write ${shown(right)}, or save the file as “CSV UTF-8”.`
}
