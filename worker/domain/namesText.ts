/** 'Scout', 'Buyer and Scout', 'A, B, C and 2 more' */
export function namesText(names: readonly string[]): string {
  const shown = names.slice(0, 3)
  const others = names.length - shown.length
  if (others > 0) return `${shown.join(', ')} and ${others} more`
  return shown.length < 2 ? (shown[0] ?? '') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}
