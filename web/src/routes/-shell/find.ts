/** What the command palette finds. `words` are found too, but not shown. */
export type Findable = { label: string; words?: string }

/** Those that hold every word of `text`, whatever the case; labels that begin with it first, else in their order. */
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

/** Part of a transaction's id (a payout's second one ends in `:withdraw`) or hash: not worth a call for anything else. */
export const isTransactionPart = (text: string): boolean =>
  /^(0x|pay_)[0-9a-z]+(:[a-z]*)?$/i.test(text) || (/^[0-9a-z]{6,80}(:[a-z]*)?$/i.test(text) && /\d/.test(text))
