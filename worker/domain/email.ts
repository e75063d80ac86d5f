/** The problem with an email address, or null. Separate from the address checks, so that sign-in loads no hash function. */
export function emailProblem(text: string): string | null {
  const value = text.trim()
  if (!value) return 'Email is required'
  return value.length <= 254 && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? null : 'Invalid email format'
}

/** The form in which addresses are stored and compared. */
export const normalizeEmail = (email: string) => email.trim().normalize('NFC').toLowerCase()
