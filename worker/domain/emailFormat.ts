export const emailMax = 254 // RFC 5321
export const emailText = 'Invalid email format'

/** Whether the text looks like an email address at all. The sign-in form loads only this; the server applies email.ts. */
export function emailFormatProblem(text: string): string | null {
  const value = text.trim()
  if (!value) return 'Email is required'
  // Patterns take seconds on a text as long as a whole request.
  return value.length <= emailMax && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? null : emailText
}
