import type { SignupReply, User } from '../../../worker/schemas/account.ts'
import { ApiError, api } from '../lib/api.ts'
import { getSession, keepUser } from '../lib/session.ts'

const open = { public: true }

/** Signup with a passcode; answers the sentence to show. */
export const signUpWithPasscode = async (input: { email: string; name: string; signupPasscode: string }) =>
  (await api.message('/users', input, open)) ?? 'Account created! Check your email for login credentials.'

export const signUp = (input: { email: string; name: string; password: string }) =>
  api.post<SignupReply>('/auth/cognito/signup', input, open)

export const confirmEmail = (email: string, code: string) => api.post('/auth/cognito/confirm', { email, code }, open)
export const resendCode = (email: string) => api.post('/auth/cognito/resend-code', { email }, open)
export const forgotPassword = (email: string) => api.post('/auth/cognito/forgot-password', { email }, open)
export const resetPassword = (input: { email: string; code: string; newPassword: string }) =>
  api.post('/auth/cognito/reset-password', input, open)

/** Own account, by its id: throws once nobody is signed in. */
function own(path = ''): string {
  const { user } = getSession()
  if (!user) throw new ApiError(401, 'unauthenticated', 'Session expired. Please sign in again.')
  return `/users/${encodeURIComponent(user.id)}${path}`
}

export async function completeOnboarding(name: string, password: string): Promise<void> {
  const fields = await api.post<Partial<User>>('/users/complete-onboarding', { name, password })
  own()
  keepUser({ ...getSession().user!, ...fields, needsOnboarding: false, hasCompletedOnboarding: true })
}

export async function rename(name: string): Promise<void> {
  keepUser(await api.patch<User>(own(), { name }))
}

export async function changePassword(currentPassword: string, newPassword: string): Promise<void> {
  await api.patch(own('/change-password'), { currentPassword, newPassword })
}
