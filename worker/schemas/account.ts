import { z } from 'zod'
import { personName } from '#domain/nameRules.ts'
import type { ChainName } from '#domain/networks.ts'
import { passwordMin, tooShort } from '#domain/passwordLength.ts'
import type { SignUpMode } from '#domain/signUpMode.ts'
import { address, email, shownText, sixDigits } from './common.ts'
import { invitationToken } from './people.ts'

/** The signed-in user, stored by the SPA as `auth_user`. */
export type User = {
  id: string
  email: string
  name: string | null
  publicAddress: string | null
  needsOnboarding: boolean
  hasCompletedOnboarding: boolean
  /** The password was mailed and must be replaced during onboarding. */
  passwordIsTemporary: boolean
  /** ISO 8601 UTC. */
  createdAt: string
}
export type Tokens = { accessToken: string; idToken: string; refreshToken: string /** seconds */; expiresIn: number }
export type SignedIn = Tokens & { user: User }
/** There are no tokens if the account has a temporary password, which must be replaced first. */
export type LoginReply = SignedIn | { challengeName: 'NEW_PASSWORD_REQUIRED'; session: string; email: string }

/** Reply of both signups. It is the same if the email already has an account, whose owner is then mailed. */
export type SignupReply = { email: string; name: string | null; userConfirmed: boolean }
/** Kept by the browser that signed up. The confirmation keeps the password of the sign-up whose token it sends. */
export type SignupToken = { signupToken: string }
/**
 * Reply of both confirmations. `passwordKept` is false if the address was signed up more than once and no valid token was
 * sent. Then all passwords are discarded, and `resetToken` is a link token to choose one (null: request a code instead).
 */
export type ConfirmReply = { passwordKept: boolean; resetToken: string | null }
/** POST /users/{id}/public-address/nonce: a single-use message for the wallet to sign (EIP-191). `expiresAt`: ISO 8601. */
export type AddressNonce = { message: string; expiresAt: string }

const password = z.string().min(1, 'Password is required').max(1024, 'Password is too long')
const newPassword = (min: number, ending = '') =>
  z
    .string()
    .min(min, `${tooShort(min)}${ending}`)
    .max(1024, 'Password is too long')
const name = shownText(personName)
const code = sixDigits('Code')
const token = (name: string) => z.string().min(1, `${name} is required`).max(200, `${name} is too long`)
const signature = z
  .string()
  .max(20_000, 'Signature is too long')
  .regex(/^0x(?:[0-9a-fA-F]{2})+$/, 'Signature must be 0x and hex digits')
  .transform((hex) => hex as `0x${string}`)

/** As it is copied from the mail, maybe with the space before or after it. Nobody chooses such a password. */
const temporaryPassword = /^\s*([a-z0-9]{4}(?:-[a-z0-9]{4}){3})\s*$/
/** The app's request for which the person signs in, which therefore needs no password again (an addition). */
const connectionRequest = z.string().max(100).optional()
export const Login = z.object({
  email,
  password: password.transform((typed) => typed.replace(temporaryPassword, '$1')),
  connectionRequest,
})
/** POST /auth/cognito/refresh → Tokens and user; POST /auth/cognito/sign-out (an addition) → null */
export const Refresh = z.object({ refreshToken: z.string().min(1).max(512) })
/** POST /auth/cognito/new-password */
export const AnswerChallenge = z.object({
  email,
  session: z.string().min(1).max(4096),
  newPassword: newPassword(passwordMin.chosen),
  connectionRequest,
})
const passcode = z.string().trim().max(200, 'Signup passcode is too long')
/**
 * POST /auth/cognito/signup → SignupReply and SignupToken, 201. Where PublicConfig.signUp is `passcode`, `signupPasscode` or the
 * token of an invitation to the address is required.
 */
export const Signup = z.object({
  email,
  password: newPassword(passwordMin.chosen),
  name,
  signupPasscode: passcode.optional(),
  invitation: invitationToken.optional(),
})
/** POST /auth/cognito/confirm → ConfirmReply */
export const ConfirmEmail = z.object({ email, code, signupToken: token('Signup token').optional() })
/** POST /auth/cognito/confirm-link (an addition) → ConfirmReply. `token` is in the fragment of the link in the email. */
export const ConfirmByLink = z.object({ token: token('Token'), signupToken: token('Signup token').optional() })
/** POST /auth/cognito/resend-code and /forgot-password → null. Within 60 seconds: 429 with Retry-After. */
export const AskForCode = z.object({ email })
/** POST /auth/cognito/reset-password → null; all of the user's sessions end. */
export const ResetPassword = z.object({ email, code, newPassword: newPassword(passwordMin.chosen) })
/** POST /auth/cognito/reset-password-link (an addition) → null, as reset-password */
export const ResetPasswordByLink = z.object({ token: token('Token'), newPassword: newPassword(passwordMin.chosen) })
/** POST /users/complete-onboarding */
export const CompleteOnboarding = z.object({ name, password: newPassword(passwordMin.onboarding) })
/** PATCH /users/{id} → User */
export const EditUser = z.object({ name })
/** PATCH /users/{id}/public-address → User. `null` unlinks; otherwise `signature` signs the nonce's message. */
export const LinkAddress = z
  .object({ publicAddress: address.nullable(), signature: signature.optional() })
  .refine(({ publicAddress, signature }) => publicAddress === null || signature !== undefined, {
    path: ['signature'],
    message: 'Signature is required',
  })
/** PATCH /users/{id}/change-password */
export const ChangePassword = z.object({
  currentPassword: password,
  newPassword: newPassword(passwordMin.settings, ' long'),
})
/** POST /users → SignupReply, 201 */
export const SignupWithPasscode = z.object({
  email,
  name: shownText({ label: personName.label, max: personName.max }).default(''),
  signupPasscode: passcode.min(1, 'Signup passcode is required'),
})

/** Addresses of one set of contracts. */
export type PublicContracts = {
  usdc: string
  escrow: string
  vaultImplementation: string
  provider: string
  factory: string
  walletImplementation: string
  relay: string
}

/** GET /config (public, an addition): what the browser needs to know about this deployment. */
export type PublicConfig = {
  environment: string
  /** Null if "Request beta access" is not offered. */
  betaAccessUrl: string | null
  signUp: SignUpMode
  /** Null if WalletConnect is not offered. */
  walletConnectProjectId: string | null
  /** Whether USDC can be bought with a card. */
  onramp: boolean
  /** Whether payouts can be sent to phone numbers. */
  sms: boolean
  /** The domain (rpId) of recipients' passkeys. Null if keeping the money is not offered. */
  passkeyDomain: string | null
  /** The network that smart wallets are deployed on; on base-sepolia every page says "Test network". */
  primaryChain: ChainName
  chains: Record<
    '8453' | '84532',
    {
      explorerUrl: string
      /** An RPC URL for browsers. */
      rpcUrl: string
      /** Contracts for new wallets; empty if the network is not in use. */
      contracts: PublicContracts
      /** All sets by version. Each wallet names its set. */
      contractSets: Record<string, PublicContracts>
    }
  >
}
