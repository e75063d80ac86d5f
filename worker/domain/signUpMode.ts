/**
 * Who may create an account. `open`: anyone with an email address that they confirm. `passcode`: only people with a passcode
 * from an operator, whichever way they sign up, and whom the owner of an account has invited to it. `closed`: no one.
 */
export const signUpModes = ['open', 'passcode', 'closed'] as const
export type SignUpMode = (typeof signUpModes)[number]

/** Defaults to `passcode` in production, so that forgetting the setting does not open sign-up; elsewhere to `open`. */
export const signUpModeOf = (settings: { SIGN_UP?: SignUpMode; ENVIRONMENT: string }): SignUpMode =>
  settings.SIGN_UP || (settings.ENVIRONMENT === 'production' ? 'passcode' : 'open')
