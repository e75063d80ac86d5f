/** Slow to create, and not needed on most pages. */
let utcFormat: Intl.DateTimeFormat | undefined
/** 'November 20, 2026 at 12:00 PM UTC' */
export function utcText(at: number): string {
  utcFormat ??= new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  return `${utcFormat.format(at)} UTC`
}
