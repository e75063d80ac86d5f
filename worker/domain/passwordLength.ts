/** The fewest characters of a new password: 6 where the specification says so, otherwise 8. */
export const passwordMin = { onboarding: 6, settings: 6, chosen: 8 }

export const tooShort = (min: number): string => `Password must be at least ${min} characters`
