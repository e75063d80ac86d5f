/** Kept apart from the address checks, so that the sign-in screen loads no hash function. */
export function emailProblem(text: string): string | null {
  const value = text.trim()
  if (!value) return 'Email is required'
  return value.length <= 254 && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? null : 'Invalid email format'
}
