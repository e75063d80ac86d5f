/** An entry of the command palette. `words` are searched too, but not shown. */
export type Findable = { label: string; words?: string }

/** Up to `most` entries that contain every word of `text`, ignoring case. Labels that start with `text` come first. */
export function find<T extends Findable>(all: readonly T[], text: string, most: number): T[] {
  const wanted = text.trim().toLowerCase()
  const parts = wanted.split(/\s+/)
  const found = all.filter(({ label, words = '' }) => {
    const held = `${label} ${words}`.toLowerCase()
    return parts.every((part) => held.includes(part))
  })
  const begins = ({ label }: T) => label.toLowerCase().startsWith(wanted)
  return [...found.filter(begins), ...found.filter((one) => !begins(one))].slice(0, most)
}

/** Whether `text` may be part of a transaction's hash or id ('…:withdraw' for a payout's second transaction). */
export const isTransactionPart = (text: string): boolean =>
  /^(0x|pay_)[0-9a-z]+(:[a-z]*)?$/i.test(text) || (/^[0-9a-z]{6,80}(:[a-z]*)?$/i.test(text) && /\d/.test(text))

/** The longest word, which is searched for among the contacts. Empty if there are only words of the command itself. */
export const longestWord = (text: string): string =>
  text
    .split(/\s+/)
    .filter((word) => !/^(send|to)$/i.test(word))
    .reduce((longest, word) => (word.length > longest.length ? word : longest), '')
