import type { Deps } from '../appEnv.ts'
import type { UserRow } from '../db/accounts.ts'
import * as users from '../db/users.ts'
import { AppError } from '../errors.ts'
import { CognitoRefusal, cognitoApi } from './cognitoApi.ts'
import { mailOwner } from './d1Directory.ts'
import type { IdentityDirectory, SignIn } from './directory.ts'
import { newId } from './secrets.ts'

type Attribute = { Name: string; Value: string }
type AuthAnswer = {
  AuthenticationResult?: { AccessToken: string }
  ChallengeName?: string
  Session?: string
  ChallengeParameters?: { userAttributes?: string }
}

/**
 * An AWS Cognito user pool whose user names are email addresses. D1 keeps a row per user for everything of ours; its
 * `password_hash` holds a mark that changes with the password, never a password. Cognito mails its own codes; the
 * temporary password is in our mail.
 */
export function cognitoDirectory(deps: Deps): IdentityDirectory {
  const { env, db, now, afterwards } = deps
  const cognito = cognitoApi(env, now)

  const secretHash = (email: string) => {
    const hash = cognito.secretHash(email)
    return hash === undefined ? {} : { SecretHash: hash }
  }
  const authSecretHash = (email: string) => {
    const hash = cognito.secretHash(email)
    return hash === undefined ? {} : { SECRET_HASH: hash }
  }

  const initiate = (email: string, password: string) =>
    cognito.asClient<AuthAnswer>('InitiateAuth', {
      AuthFlow: 'USER_PASSWORD_AUTH',
      AuthParameters: { USERNAME: email, PASSWORD: password, ...authSecretHash(email) },
    })

  /** Our row of the pool's user, made at the first sight. */
  async function rowOf(email: string, name: string | null, status: UserRow['status']): Promise<UserRow> {
    const found = await users.findUserByEmail(db, email)
    if (found && found.status !== 'UNCONFIRMED') return found
    const at = now()
    const row = {
      id: newId('user'),
      email,
      name: found?.name ?? name,
      status,
      passwordHash: newMark(),
      temporarySince: status === 'FORCE_CHANGE_PASSWORD' ? at : null,
      publicAddress: null,
      createdAt: at,
      updatedAt: at,
    }
    const inserted = (await users.insertUser(db, row)) ?? (await users.findUserByEmail(db, email))
    if (!inserted) throw new Error('the user was deleted while signing in')
    return inserted
  }

  async function signIn(email: string, password: string): Promise<SignIn> {
    const answer = await initiate(email, password).catch(refusalAsValue)
    if (answer instanceof CognitoRefusal) {
      if (answer.type === 'UserNotConfirmedException') return { outcome: 'unconfirmed' }
      if (answer.type === 'PasswordResetRequiredException')
        throw new AppError('forbidden', 'Please choose a new password first, with "Forgot password?".', {
          field: 'password',
        })
      if (!refusedSignIn.has(answer.type)) throw answer
      // A password that no policy could have, or a client without USER_PASSWORD_AUTH.
      if (answer.type === 'InvalidParameterException') console.warn('Cognito sign-in:', answer.message)
      return { outcome: 'refused' }
    }
    if (answer.ChallengeName === 'NEW_PASSWORD_REQUIRED' && answer.Session) {
      const { name } = JSON.parse(answer.ChallengeParameters?.userAttributes ?? '{}') as { name?: string }
      const user = await rowOf(email, name || null, 'FORCE_CHANGE_PASSWORD')
      return { outcome: 'challenge', user, proof: answer.Session }
    }
    if (!answer.AuthenticationResult)
      throw new AppError('unprocessable', 'This account asks for a second factor, which Bursar cannot check yet.', {
        field: 'email',
      })
    const { UserAttributes } = await cognito.asUser<{ UserAttributes: Attribute[] }>(
      'GetUser',
      answer.AuthenticationResult.AccessToken,
    )
    const attribute = (key: string) => UserAttributes.find(({ Name }) => Name === key)?.Value
    // Rows are found by email: whoever signed in under another user name must not get this one.
    if (attribute('email')?.toLowerCase() !== email) return { outcome: 'refused' }
    const user = await rowOf(email, attribute('name') || null, 'CONFIRMED')
    // The password was chosen elsewhere.
    const current = user.status === 'CONFIRMED' ? user : await noteChoice(user)
    return current ? { outcome: 'signed_in', user: current } : { outcome: 'refused' }
  }

  /** Notes in D1 that the pool has another password now. */
  const noteChoice = (user: UserRow, name?: string) =>
    users.choosePassword(db, {
      userId: user.id,
      from: user.passwordHash,
      to: newMark(),
      now: now(),
      ...(name ? { name } : {}),
    })

  async function resendConfirmation(email: string): Promise<void> {
    await cognito
      .asClient('ResendConfirmationCode', { Username: email, ...secretHash(email) })
      .catch(ignore(noSuchUser))
  }

  return {
    signIn,

    async answerChallenge(user, proof, newPassword) {
      const answer = await cognito
        .asClient<AuthAnswer>('RespondToAuthChallenge', {
          ChallengeName: 'NEW_PASSWORD_REQUIRED',
          Session: proof,
          ChallengeResponses: { USERNAME: user.email, NEW_PASSWORD: newPassword, ...authSecretHash(user.email) },
        })
        .catch(asPasswordRule('newPassword'))
        .catch(ignore(overChallenge))
      return answer ? noteChoice(user) : null
    },

    async signUp({ email, name, password }) {
      const UserAttributes: Attribute[] = [
        { Name: 'email', Value: email },
        { Name: 'name', Value: name },
      ]
      const created = await cognito
        .asClient('SignUp', { Username: email, Password: password, UserAttributes, ...secretHash(email) })
        .catch(asPasswordRule('password'))
        .catch(asEmailRule)
        .catch(ignore(new Set(['UsernameExistsException', 'AliasExistsException'])))
      if (created) {
        await rowOf(email, name, 'UNCONFIRMED')
        return
      }
      const isOpen = (await users.findUserByEmail(db, email))?.status === 'UNCONFIRMED'
      afterwards(isOpen ? resendConfirmation(email) : mailOwner(deps, email))
    },

    resendConfirmation,

    async confirm(email, code) {
      const right = await cognito
        .asClient('ConfirmSignUp', { Username: email, ConfirmationCode: code, ...secretHash(email) })
        .catch(ignore(wrongCode))
      if (!right) return false
      const user = await users.findUserByEmail(db, email)
      if (user) await users.confirmUser(db, user.id, now())
      return true
    },

    async sendResetCode(email) {
      await cognito.asClient('ForgotPassword', { Username: email, ...secretHash(email) }).catch(ignore(noSuchUser))
    },

    async resetPassword(email, code, newPassword) {
      const right = await cognito
        .asClient('ConfirmForgotPassword', {
          Username: email,
          ConfirmationCode: code,
          Password: newPassword,
          ...secretHash(email),
        })
        .catch(asPasswordRule('newPassword'))
        .catch(ignore(wrongCode))
      return right ? noteChoice(await rowOf(email, null, 'CONFIRMED')) : null
    },

    async createWithTemporaryPassword({ email, name, password }) {
      const UserAttributes: Attribute[] = [
        { Name: 'email', Value: email },
        { Name: 'email_verified', Value: 'true' },
        ...(name ? [{ Name: 'name', Value: name }] : []),
      ]
      const created = await cognito
        .asAdmin('AdminCreateUser', {
          Username: email,
          TemporaryPassword: password,
          MessageAction: 'SUPPRESS',
          UserAttributes,
        })
        .catch(asEmailRule)
        .catch(ignore(new Set(['UsernameExistsException'])))
      return created ? rowOf(email, name, 'FORCE_CHANGE_PASSWORD') : null
    },

    async discard(user) {
      await cognito.asAdmin('AdminDeleteUser', { Username: user.email })
      await users.deleteUnusedUser(db, user.id)
    },

    async checkPassword(user, password) {
      const answer = await initiate(user.email, password).catch(ignore(refusedSignIn))
      return answer !== null
    },

    async choosePassword(user, password, name) {
      await cognito
        .asAdmin('AdminSetUserPassword', { Username: user.email, Password: password, Permanent: true })
        .catch(asPasswordRule('password'))
      return noteChoice(user, name)
    },
  }
}

const newMark = () => newId('cognito')

// Emulators say InvalidPasswordException for a wrong password, AWS says NotAuthorizedException.
const refusedSignIn = new Set([
  'NotAuthorizedException',
  'UserNotFoundException',
  'InvalidPasswordException',
  'InvalidParameterException',
])
// NotAuthorized: confirmed already, or a state in which Cognito resets nothing.
const noSuchUser = new Set(['UserNotFoundException', 'InvalidParameterException', 'NotAuthorizedException'])
const wrongCode = new Set([...noSuchUser, 'CodeMismatchException', 'ExpiredCodeException'])
const overChallenge = new Set([...noSuchUser, 'ExpiredCodeException', 'CodeMismatchException'])

function refusalAsValue(error: unknown): CognitoRefusal {
  if (error instanceof CognitoRefusal) return error
  throw error
}

/** Null for the named refusals. */
const ignore =
  (types: Set<string>) =>
  (error: unknown): null => {
    if (error instanceof CognitoRefusal && types.has(error.type)) return null
    throw error
  }

const passwordRules = new Set(['InvalidPasswordException', 'PasswordHistoryPolicyViolationException'])

/** Cognito takes fewer addresses than we do. */
function asEmailRule(error: unknown): never {
  if (error instanceof CognitoRefusal && error.type === 'InvalidParameterException')
    throw new AppError('invalid_input', 'Invalid email format', { field: 'email', cause: error })
  throw error
}

/** The pool's own password policy, told under the right field. */
const asPasswordRule =
  (field: string) =>
  (error: unknown): never => {
    if (error instanceof CognitoRefusal && passwordRules.has(error.type))
      throw new AppError('invalid_input', 'This password does not meet the rules. Please choose a longer one.', {
        field,
        cause: error,
      })
    throw error
  }
