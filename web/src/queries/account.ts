import type { ConfirmReply } from '#schemas/account.ts'
import { api, apiEnvelope } from '../lib/api.ts'
import { ApiError } from '../lib/apiError.ts'
import { forgetSignup, keepSignup, pendingSignupToken } from '../lib/pendingSignup.ts'
import { getSession, keepUser } from '../lib/session.ts'

/** Signs up with a passcode. Returns the message to show. */
export const signUpWithPasscode = async (body: { email: string; name: string; signupPasscode: string }) =>
  (await apiEnvelope('POST /users', { public: true, body })).message ??
  'Account created! Check your email for login credentials.'

/**
 * Signs up and stores the sign-up's token in this browser, so that the confirmation keeps the password chosen here.
 * `signupPasscode`, or the token of an invitation, is for deployments that require one.
 */
export async function signUp(body: {
  email: string
  name: string
  password: string
  signupPasscode?: string
  invitation?: string
}) {
  const reply = await api('POST /auth/cognito/signup', { public: true, body })
  keepSignup(body.email, reply.signupToken)
  return reply
}

export type Confirmation = ConfirmReply

export async function confirmEmail(email: string, code: string): Promise<Confirmation> {
  const own = pendingSignupToken(email)
  const reply = await api('POST /auth/cognito/confirm', { public: true, body: { email, code, ...own } })
  if (own.signupToken) forgetSignup()
  return reply
}

export async function confirmByLink(token: string): Promise<Confirmation> {
  const body = { token, ...pendingSignupToken() }
  const reply = await api('POST /auth/cognito/confirm-link', { public: true, body })
  forgetSignup()
  return reply
}

export const resendCode = (email: string) => api('POST /auth/cognito/resend-code', { public: true, body: { email } })
export const forgotPassword = (email: string) =>
  api('POST /auth/cognito/forgot-password', { public: true, body: { email } })
export const resetPassword = (body: { email: string; code: string; newPassword: string }) =>
  api('POST /auth/cognito/reset-password', { public: true, body })

export const resetPasswordByLink = (token: string, newPassword: string) =>
  api('POST /auth/cognito/reset-password-link', { public: true, body: { token, newPassword } })

/** The path parameter for the user's own account. Throws ApiError if the session has ended. */
function ownId() {
  const { user } = getSession()
  if (!user) throw new ApiError(401, 'unauthenticated', 'Session expired. Please sign in again.')
  return { userId: user.id }
}

export async function completeOnboarding(name: string, password: string): Promise<void> {
  const fields = await api('POST /users/complete-onboarding', { body: { name, password } })
  ownId()
  keepUser({ ...getSession().user!, ...fields, needsOnboarding: false, hasCompletedOnboarding: true })
}

export async function rename(name: string): Promise<void> {
  keepUser(await api('PATCH /users/:userId', { params: ownId(), body: { name } }))
}

export async function changePassword(currentPassword: string, newPassword: string): Promise<void> {
  await api('PATCH /users/:userId/change-password', { params: ownId(), body: { currentPassword, newPassword } })
}

/** Links `publicAddress` to the account. `sign` has the wallet sign a message, which proves that the user controls it. */
export async function linkAddress(
  userId: string,
  publicAddress: string,
  sign: (message: string) => Promise<string>,
): Promise<void> {
  const { message } = await api('POST /users/:userId/public-address/nonce', { params: { userId } })
  const body = { publicAddress, signature: await sign(message) }
  keepUser(await api('PATCH /users/:userId/public-address', { params: { userId }, body }))
}

export async function unlinkAddress(userId: string): Promise<void> {
  keepUser(await api('PATCH /users/:userId/public-address', { params: { userId }, body: { publicAddress: null } }))
}
