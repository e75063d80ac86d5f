import { formatUsdc, parseUsdc } from '#domain/money.ts'

/** '1234.5' → '1,234.50': two to six decimals, exact. Text that is not an amount is returned unchanged. */
export function formatAmount(text: string): string {
  return withDecimals(text, (fraction) => fraction.padEnd(2, '0'))
}

/** '1234.5678' → '1,234.56': two decimals, cut and never rounded up. */
export function cutAmount(text: string): string {
  return withDecimals(text, (fraction) => fraction.padEnd(2, '0').slice(0, 2))
}

function withDecimals(text: string, decimals: (fraction: string) => string): string {
  const micro = parseUsdc(text)
  if (micro === null) return text
  const [whole = '0', fraction = ''] = formatUsdc(micro).split('.')
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${decimals(fraction)}`
}
