import { z } from 'zod'
import { email } from './common.ts'

/** The signed-in user, stored by the SPA as `auth_user`. */
export type User = {
  id: string
  email: string
  name: string | null
  publicAddress: string | null
  needsOnboarding: boolean
  hasCompletedOnboarding: boolean
  /** ISO 8601 UTC. */
  createdAt: string
}
export type Tokens = { accessToken: string; idToken: string; refreshToken: string /** seconds */; expiresIn: number }
export type LoginReply =
  | (Tokens & { user: User })
  | { challengeName: 'NEW_PASSWORD_REQUIRED'; session: string; email: string }

const password = z.string().min(1, 'Password is required').max(1024, 'Password is too long')
const newPassword = (min: number, ending = '') =>
  z.string().min(min, `Password must be at least ${min} characters${ending}`).max(1024, 'Password is too long')
export const Login = z.object({ email, password })
export const Refresh = z.object({ refreshToken: z.string().min(1).max(512) })
/** POST /auth/cognito/new-password */
export const AnswerChallenge = z.object({
  email,
  session: z.string().min(1).max(200),
  newPassword: newPassword(8),
})
/** POST /users/complete-onboarding */
export const CompleteOnboarding = z.object({
  name: z
    .string({ error: 'Please enter your name' })
    .trim()
    .min(1, 'Please enter your name')
    .max(100, 'Name must be at most 100 characters'),
  password: newPassword(6),
})
/** PATCH /users/{id}/change-password */
export const ChangePassword = z.object({ currentPassword: password, newPassword: newPassword(6, ' long') })
/** POST /users */
export const SignupWithPasscode = z.object({
  email,
  name: z.string().trim().max(100, 'Name must be at most 100 characters').default(''),
  signupPasscode: z.string().trim().min(1, 'Signup passcode is required').max(200, 'Signup passcode is too long'),
})

/** GET /config (public, an addition): what the browser needs to know of this deployment. */
export type PublicConfig = {
  environment: string
  betaAccessUrl: string
  chains: Record<
    '8453' | '84532',
    {
      explorerUrl: string
      contracts: {
        usdc: string
        escrow: string
        vaultImplementation: string
        provider: string
        factory: string
        walletImplementation: string
        relay: string
      }
    }
  >
}
