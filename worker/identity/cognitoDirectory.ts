import { emailText } from '#domain/emailFormat.ts'
import type { Deps } from '../appEnv.ts'
import type { UserRow } from '../db/schema.ts'
import { addSignup, confirmSignup, signupsOf } from '../db/signups.ts'
import * as users from '../db/users.ts'
import { AppError } from '../errors.ts'
import { logWarning } from '../observability/log.ts'
import { CognitoRefusal, cognitoApi } from './cognitoApi.ts'
import type { Admit, IdentityDirectory, SignIn } from './directory.ts'
import { endOtherLoginSessions } from './endSessions.ts'
import { newId, newSecret, sha256 } from './secrets.ts'
import { notifyAlreadyRegistered, signupToConfirm } from './signUps.ts'

type Attribute = { Name: string; Value: string }
type AuthReply = {
  AuthenticationResult?: { AccessToken: string }
  ChallengeName?: string
  Session?: string
  ChallengeParameters?: { userAttributes?: string }
}

/**
 * An AWS Cognito user pool whose user names are email addresses. Our own data about a user is in D1 as usual;
 * `password_hash` holds a random marker that changes with the password. Cognito mails its own codes; we mail the temporary
 * password.
 */
export function cognitoDirectory(deps: Deps): IdentityDirectory {
  const { env, db, now, region, runInBackground } = deps
  const cognito = cognitoApi(env, now)

  const initiate = (email: string, password: string) =>
    cognito.asClient<AuthReply>('InitiateAuth', {
      AuthFlow: 'USER_PASSWORD_AUTH',
      AuthParameters: { USERNAME: email, PASSWORD: password, SECRET_HASH: cognito.secretHash(email) },
    })

  /** Our row for a user of the pool, created when we first see the user. */
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
      region,
      createdAt: at,
      updatedAt: at,
    }
    const inserted = (await users.insertUser(db, row)) ?? (await users.findUserByEmail(db, email))
    if (!inserted) throw new Error('the user was deleted while signing in')
    return inserted
  }

  async function signIn(email: string, password: string, admit: Admit): Promise<SignIn> {
    await admit()
    const reply = await initiate(email, password).catch(refusalAsValue)
    if (reply instanceof CognitoRefusal) {
      if (reply.type === 'UserNotConfirmedException') return { outcome: 'unconfirmed' }
      if (reply.type === 'PasswordResetRequiredException')
        throw new AppError('forbidden', 'Please choose a new password first, with "Forgot password?".', {
          field: 'password',
        })
      if (!refusedSignIn.has(reply.type)) throw reply
      // A password that no policy allows, or an app client without USER_PASSWORD_AUTH.
      if (reply.type === 'InvalidParameterException')
        logWarning('cognito_sign_in_refused', { type: reply.type, message: reply.message })
      return { outcome: 'refused' }
    }
    if (reply.ChallengeName === 'NEW_PASSWORD_REQUIRED' && reply.Session) {
      const { name } = JSON.parse(reply.ChallengeParameters?.userAttributes ?? '{}') as { name?: string }
      const user = await rowOf(email, name || null, 'FORCE_CHANGE_PASSWORD')
      return { outcome: 'challenge', user, proof: reply.Session }
    }
    if (!reply.AuthenticationResult)
      throw new AppError('unprocessable', 'This account requires a second factor, which Bursar does not support yet.', {
        field: 'email',
      })
    const { UserAttributes } = await cognito.asUser<{ UserAttributes: Attribute[] }>(
      'GetUser',
      reply.AuthenticationResult.AccessToken,
    )
    const attribute = (key: string) => UserAttributes.find(({ Name }) => Name === key)?.Value
    // Rows are found by email, so a user who signed in under another user name must not get this one.
    if (attribute('email')?.toLowerCase() !== email) return { outcome: 'refused' }
    const user = await rowOf(email, attribute('name') || null, 'CONFIRMED')
    // Our row still has a temporary password, which was replaced outside Bursar.
    const current = user.status === 'CONFIRMED' ? user : await recordPasswordChange(user)
    return current ? { outcome: 'signed_in', user: current } : { outcome: 'refused' }
  }

  /** Records in D1 that the password in the pool has changed. Null if it was changed concurrently. */
  const recordPasswordChange = (user: UserRow, name?: string) =>
    users.choosePassword(db, {
      userId: user.id,
      from: user.passwordHash,
      to: newMark(),
      now: now(),
      ...(name ? { name } : {}),
    })

  async function resendConfirmation(email: string): Promise<void> {
    await cognito
      .asClient('ResendConfirmationCode', { Username: email, SecretHash: cognito.secretHash(email) })
      .catch(ignore(noSuchUser))
  }

  /** Sets a random password and discards it. */
  async function replacePassword(email: string): Promise<void> {
    const password = `${newSecret()}aA1!` // satisfies any character rules of the pool
    await cognito.asAdmin('AdminSetUserPassword', { Username: email, Password: password, Permanent: true })
  }

  return {
    mailsLinks: false,
    signIn,

    async answerChallenge(user, proof, newPassword) {
      const reply = await cognito
        .asClient<AuthReply>('RespondToAuthChallenge', {
          ChallengeName: 'NEW_PASSWORD_REQUIRED',
          Session: proof,
          ChallengeResponses: {
            USERNAME: user.email,
            NEW_PASSWORD: newPassword,
            SECRET_HASH: cognito.secretHash(user.email),
          },
        })
        .catch(asPasswordRule('newPassword'))
        .catch(ignore(challengeExpired))
      return reply ? recordPasswordChange(user) : null
    },

    async signUp({ email, name, password }) {
      const UserAttributes: Attribute[] = [
        { Name: 'email', Value: email },
        { Name: 'name', Value: name },
      ]
      const created = await cognito
        .asClient('SignUp', {
          Username: email,
          Password: password,
          UserAttributes,
          SecretHash: cognito.secretHash(email),
        })
        .catch(asPasswordRule('password'))
        .catch(asEmailRule)
        .catch(ignore(new Set(['UsernameExistsException', 'AliasExistsException'])))
      const signupToken = newSecret('bu_')
      const user = await addSignup(db, {
        email,
        name,
        // The pool keeps the password of the first sign-up, even if our row of that sign-up has been deleted.
        passwordHash: created ? newMark() : null,
        tokenHash: sha256(signupToken),
        accountId: newId('user'),
        accountHash: newMark(),
        now: now(),
      })
      if (created) return { signupToken }
      const isOpen = user.status === 'UNCONFIRMED'
      runInBackground(isOpen ? resendConfirmation(email) : notifyAlreadyRegistered(deps, email))
      return { signupToken }
    },

    resendConfirmation,

    async confirm(proof, signupToken) {
      if ('linkToken' in proof) return null
      const { email, code } = proof
      const accepted = await cognito
        .asClient('ConfirmSignUp', { Username: email, ConfirmationCode: code, SecretHash: cognito.secretHash(email) })
        .catch(ignore(wrongCode))
      if (!accepted) return null
      const user = await rowOf(email, null, 'UNCONFIRMED')
      const kept = signupToConfirm(await signupsOf(db, user.id), signupToken)
      const passwordKept = kept?.passwordHash != null
      if (!passwordKept) await replacePassword(email)
      await confirmSignup(db, {
        userId: user.id,
        passwordHash: newMark(),
        name: kept?.name ?? user.name,
        region,
        now: now(),
      })
      if (passwordKept) return { passwordKept }
      // Someone who knew the discarded password may have signed in since the code was accepted.
      await endOtherLoginSessions(deps, user.id, null)
      return { passwordKept, resetToken: null }
    },

    async sendResetCode(email) {
      await cognito
        .asClient('ForgotPassword', { Username: email, SecretHash: cognito.secretHash(email) })
        .catch(ignore(noSuchUser))
    },

    async resetPassword(proof, newPassword) {
      if ('linkToken' in proof) return null
      const { email, code } = proof
      const accepted = await cognito
        .asClient('ConfirmForgotPassword', {
          Username: email,
          ConfirmationCode: code,
          Password: newPassword,
          SecretHash: cognito.secretHash(email),
        })
        .catch(asPasswordRule('newPassword'))
        .catch(ignore(wrongCode))
      return accepted ? recordPasswordChange(await rowOf(email, null, 'CONFIRMED')) : null
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
      const reply = await initiate(user.email, password).catch(ignore(refusedSignIn))
      return reply !== null
    },

    async choosePassword(user, password, name) {
      await cognito
        .asAdmin('AdminSetUserPassword', { Username: user.email, Password: password, Permanent: true })
        .catch(asPasswordRule('password'))
      return recordPasswordChange(user, name)
    },
  }
}

const newMark = () => newId('cognito')

// For a wrong password AWS throws NotAuthorizedException, emulators throw InvalidPasswordException.
const refusedSignIn = new Set([
  'NotAuthorizedException',
  'UserNotFoundException',
  'InvalidPasswordException',
  'InvalidParameterException',
])
// NotAuthorized: already confirmed, or in a state in which Cognito resets nothing.
const noSuchUser = new Set(['UserNotFoundException', 'InvalidParameterException', 'NotAuthorizedException'])
const wrongCode = new Set([...noSuchUser, 'CodeMismatchException', 'ExpiredCodeException'])
const challengeExpired = new Set([...noSuchUser, 'ExpiredCodeException', 'CodeMismatchException'])

function refusalAsValue(error: unknown): CognitoRefusal {
  if (error instanceof CognitoRefusal) return error
  throw error
}

/** Turns refusals of these types into null. */
const ignore =
  (types: Set<string>) =>
  (error: unknown): null => {
    if (error instanceof CognitoRefusal && types.has(error.type)) return null
    throw error
  }

const passwordRules = new Set(['InvalidPasswordException', 'PasswordHistoryPolicyViolationException'])

/** Cognito accepts fewer addresses than we do. */
function asEmailRule(error: unknown): never {
  if (error instanceof CognitoRefusal && error.type === 'InvalidParameterException')
    throw new AppError('invalid_input', emailText, { field: 'email', cause: error })
  throw error
}

/** Reports the pool's password policy at the given field. */
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
