import type { z } from 'zod'
import type { ConfirmReply, Signup, SignupReply, SignupToken } from '#schemas/account.ts'
import type { Deps } from '../appEnv.ts'
import { AppError } from '../errors.ts'
import type { EmailProof } from '../identity/directory.ts'
import { directoryFrom } from '../identity/directoryFrom.ts'
import { endOtherLoginSessions } from '../identity/endSessions.ts'
import { admitSignUp } from './accounts.ts'
import { admitOwner, limitAttempts, limitCodeRequests, limitWrongCodes } from './attemptLimits.ts'
import { notifyPasswordChanged, refuseCommonPassword } from './passwords.ts'

/**
 * Signup, confirmation and password reset by emailed codes and links. Neither texts nor response times reveal whether an
 * address has an account: the work costs the same either way, or runs in the background.
 */

export async function signUpWithPassword(
  deps: Deps,
  input: z.output<typeof Signup>,
  address: string,
): Promise<SignupReply & SignupToken> {
  const { email, password, name } = input
  refuseCommonPassword(password, 'password')
  const invitation = input.invitation === undefined ? null : { token: input.invitation, email }
  const admission = { passcode: input.signupPasscode, byPasscode: false, invitation }
  const returnPasscode = await admitSignUp(deps, admission, address)
  try {
    await limitCodeRequests(deps, 'confirm', email, address)
    const { signupToken } = await directoryFrom(deps).signUp({ email, name, password })
    return { email, name, userConfirmed: false, signupToken }
  } catch (error) {
    await returnPasscode()
    throw error
  }
}

export async function resendConfirmation(deps: Deps, { email }: { email: string }, address: string): Promise<void> {
  await limitCodeRequests(deps, 'confirm', email, address)
  deps.runInBackground(directoryFrom(deps).resendConfirmation(email))
}

export async function confirmEmail(
  deps: Deps,
  input: Proof & { signupToken?: string | undefined },
  address: string,
): Promise<ConfirmReply> {
  const confirmation = await prove(deps, input, address, 'Email confirmation failed.', (proof) =>
    directoryFrom(deps).confirm(proof, input.signupToken),
  )
  return { resetToken: null, ...confirmation }
}

export async function forgotPassword(deps: Deps, { email }: { email: string }, address: string): Promise<void> {
  await limitCodeRequests(deps, 'reset', email, address)
  deps.runInBackground(directoryFrom(deps).sendResetCode(email))
}

/** Ends all of the user's sessions, because others may know the old password, and lets the user sign in at this address. */
export async function resetPassword(
  deps: Deps,
  input: Proof & { newPassword: string },
  address: string,
): Promise<void> {
  const { newPassword } = input
  refuseCommonPassword(newPassword, 'newPassword')
  const user = await prove(deps, input, address, 'Password reset failed.', (proof) =>
    directoryFrom(deps).resetPassword(proof, newPassword),
  )
  await endOtherLoginSessions(deps, user.id, null)
  // The owner is identified, so earlier wrong passwords must not keep them from signing in.
  await admitOwner(deps, user.email, address)
  notifyPasswordChanged(deps, user)
}

/** What the caller received by email: the code, or the token of the link. */
type Proof = { email: string; code: string } | { token: string }

/** Returns what `take` returns for the proof. Throws if the proof is wrong, or after too many tries; `failed` says what. */
async function prove<T>(
  deps: Deps,
  input: Proof,
  address: string,
  failed: string,
  take: (proof: EmailProof) => Promise<T | null>,
): Promise<T> {
  await limitAttempts(deps, 'proof-address', address)
  if ('token' in input) {
    const taken = await take({ linkToken: input.token })
    if (taken === null) throw new AppError('gone', 'This link is no longer valid. You can ask for a new one.')
    return taken
  }
  const { email, code } = input
  // Without links, the directory limits wrong codes.
  const wasRight = directoryFrom(deps).mailsLinks ? await limitWrongCodes(deps, email) : null
  const taken = await take({ email, code })
  if (taken === null) {
    const message = `${failed} The code is wrong or no longer valid. You can ask for a new one.`
    throw new AppError('wrong_passcode', message, { field: 'code' })
  }
  await wasRight?.()
  return taken
}
