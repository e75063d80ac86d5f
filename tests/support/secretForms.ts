/** The forms in which a secret could appear in requests, logs, storage and files, and the places that have one of them. */

/** What bytes look like, raw and as text. */
export function formsOfBytes(bytes: Buffer): Buffer[] {
  const hex = bytes.toString('hex')
  const base64 = [0, 1, 2].map((before) => {
    // Among other bytes: without the characters at both ends that depend on these.
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const rest = (before + bytes.length) % 3
    return text.slice([0, 2, 3][before], rest === 0 ? undefined : rest === 1 ? -3 : -2)
  })
  const numbers = [...bytes]
  const texts = [
    ...[hex, hex.toUpperCase()],
    ...base64.flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]),
    // A typed array as JSON, and with another separator.
    ...[numbers.join(), numbers.join(', '), numbers.map((byte, i) => `"${i}":${byte}`).join()],
  ]
  return [bytes, ...[...new Set(texts)].flatMap(inBothWidths)]
}

/** Words of a phrase: any two neighbors, since one word alone may be anywhere. */
export function formsOfWords(words: string): Buffer[] {
  const list = words.split(' ')
  const pairs = list.slice(1).map((word, i) => [list[i], word])
  return [' ', ',', '","', '+', '%20', '\n'].flatMap((separator) =>
    pairs.flatMap((pair) => inBothWidths(pair.join(separator))),
  )
}

/** Text with one and with two bytes for each character. */
const inBothWidths = (text: string) => [Buffer.from(text), Buffer.from(text, 'utf16le')]

/** The names of those of `places` that contain one of the forms. */
export const placesWith = (forms: Buffer[], places: { name: string; content: Buffer }[]): string[] =>
  places.filter(({ content }) => forms.some((form) => content.includes(form))).map(({ name }) => name)
