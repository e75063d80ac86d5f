/** The code that a device shows and a person types (RFC 8628 section 6.1): eight consonants, so that no words appear. */

export const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ'
const length = 8

/** `random` returns an integer from 0 to below its argument. 34 bits, of which a person may try five. */
export const newUserCode = (random: (below: number) => number): string =>
  Array.from({ length }, () => userCodeLetters[random(userCodeLetters.length)]).join('')

/** `BCDF-GHJK`, as it is shown. */
export const shownUserCode = (code: string) => `${code.slice(0, 4)}-${code.slice(4)}`

/** The code in a text that a person typed; null if it cannot be one. */
export function parseUserCode(text: string): string | null {
  const code = text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s\p{Pd}\p{Cf}]/gu, '')
  return code.length === length && [...code].every((letter) => userCodeLetters.includes(letter)) ? code : null
}
