/**
 * Who may create an account. `open`: anybody, with an email address that they confirm. `passcode`: who has a passcode that
 * an operator gave them, whichever way they sign up. `closed`: nobody.
 */
export const signUpModes = ['open', 'passcode', 'closed'] as const
export type SignUpMode = (typeof signUpModes)[number]

/** A deployment is not opened by forgetting a setting; local stacks and tests are open. */
export const signUpModeOf = (settings: { SIGN_UP?: SignUpMode; ENVIRONMENT: string }): SignUpMode =>
  settings.SIGN_UP || (settings.ENVIRONMENT === 'production' ? 'passcode' : 'open')
