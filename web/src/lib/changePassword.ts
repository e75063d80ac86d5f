export type PasswordChange = { current: string; next: string; again: string }

/** All three fields are required; the match is checked before the length. Null if the change may be sent. */
export function passwordChangeProblem(values: PasswordChange): { field: keyof PasswordChange; message: string } | null {
  const { current, next, again } = values
  if (!current) return { field: 'current', message: 'Please enter your current password' }
  if (!next) return { field: 'next', message: 'Please enter a new password' }
  if (!again) return { field: 'again', message: 'Please enter the new password again' }
  if (next !== again) return { field: 'again', message: 'New passwords do not match' }
  return next.length < 6 ? { field: 'next', message: 'Password must be at least 6 characters long' } : null
}
