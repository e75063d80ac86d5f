import { emailText } from '#domain/emailFormat.ts'
import type { Deps } from '../appEnv.ts'
import type { UserRow } from '../db/schema.ts'
import { addSignup, confirmSignup, signupsOf } from '../db/signups.ts'
import * as users from '../db/users.ts'
import { AppError } from '../errors.ts'
import { logWarning } from '../observability/log.ts'
import { CognitoRefusal, cognitoApi } from './cognitoApi.ts'
import type { Admit, Confirmation, EmailProof, IdentityDirectory, NewUser, SignIn, SignUp } from './directory.ts'
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
export class CognitoDirectory implements IdentityDirectory {
  readonly mailsLinks = false
  readonly #deps: Deps
  readonly #cognito

  constructor(deps: Deps) {
    this.#deps = deps
    this.#cognito = cognitoApi(deps.env, deps.now)
  }

  async signIn(email: string, password: string, admit: Admit): Promise<SignIn> {
    await admit()
    const reply = await this.#initiate(email, password).catch(refusalAsValue)
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
      const user = await this.#rowOf(email, name || null, 'FORCE_CHANGE_PASSWORD')
      return { outcome: 'challenge', user, proof: reply.Session }
    }
    if (!reply.AuthenticationResult)
      throw new AppError('unprocessable', 'This account requires a second factor, which Bursar does not support yet.', {
        field: 'email',
      })
    const { UserAttributes } = await this.#cognito.asUser<{ UserAttributes: Attribute[] }>(
      'GetUser',
      reply.AuthenticationResult.AccessToken,
    )
    const attribute = (key: string) => UserAttributes.find(({ Name }) => Name === key)?.Value
    // Rows are found by email, so a user who signed in under another user name must not get this one.
    if (attribute('email')?.toLowerCase() !== email) return { outcome: 'refused' }
    const user = await this.#rowOf(email, attribute('name') || null, 'CONFIRMED')
    // Our row still has a temporary password, which was replaced outside Bursar.
    const current = user.status === 'CONFIRMED' ? user : await this.#recordPasswordChange(user)
    return current ? { outcome: 'signed_in', user: current } : { outcome: 'refused' }
  }

  async resendConfirmation(email: string): Promise<void> {
    await this.#cognito
      .asClient('ResendConfirmationCode', { Username: email, SecretHash: this.#cognito.secretHash(email) })
      .catch(ignore(noSuchUser))
  }

  async answerChallenge(user: UserRow, proof: string, newPassword: string): Promise<UserRow | null> {
    const reply = await this.#cognito
      .asClient<AuthReply>('RespondToAuthChallenge', {
        ChallengeName: 'NEW_PASSWORD_REQUIRED',
        Session: proof,
        ChallengeResponses: {
          USERNAME: user.email,
          NEW_PASSWORD: newPassword,
          SECRET_HASH: this.#cognito.secretHash(user.email),
        },
      })
      .catch(asPasswordRule('newPassword'))
      .catch(ignore(challengeExpired))
    return reply ? this.#recordPasswordChange(user) : null
  }

  async signUp({ email, name, password }: SignUp): Promise<{ signupToken: string }> {
    const { db, now, runInBackground } = this.#deps
    const UserAttributes: Attribute[] = [
      { Name: 'email', Value: email },
      { Name: 'name', Value: name },
    ]
    const created = await this.#cognito
      .asClient('SignUp', {
        Username: email,
        Password: password,
        UserAttributes,
        SecretHash: this.#cognito.secretHash(email),
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
    runInBackground(isOpen ? this.resendConfirmation(email) : notifyAlreadyRegistered(this.#deps, email))
    return { signupToken }
  }

  async confirm(proof: EmailProof, signupToken: string | undefined): Promise<Confirmation | null> {
    const { db, now, region } = this.#deps
    if ('linkToken' in proof) return null
    const { email, code } = proof
    const accepted = await this.#cognito
      .asClient('ConfirmSignUp', {
        Username: email,
        ConfirmationCode: code,
        SecretHash: this.#cognito.secretHash(email),
      })
      .catch(ignore(wrongCode))
    if (!accepted) return null
    const user = await this.#rowOf(email, null, 'UNCONFIRMED')
    const kept = signupToConfirm(await signupsOf(db, user.id), signupToken)
    const passwordKept = kept?.passwordHash != null
    if (!passwordKept) await this.#replacePassword(email)
    await confirmSignup(db, {
      userId: user.id,
      passwordHash: newMark(),
      name: kept?.name ?? user.name,
      region,
      now: now(),
    })
    if (passwordKept) return { passwordKept }
    // Someone who knew the discarded password may have signed in since the code was accepted.
    await endOtherLoginSessions(this.#deps, user.id, null)
    return { passwordKept, resetToken: null }
  }

  async sendResetCode(email: string): Promise<void> {
    await this.#cognito
      .asClient('ForgotPassword', { Username: email, SecretHash: this.#cognito.secretHash(email) })
      .catch(ignore(noSuchUser))
  }

  async resetPassword(proof: EmailProof, newPassword: string): Promise<UserRow | null> {
    if ('linkToken' in proof) return null
    const { email, code } = proof
    const accepted = await this.#cognito
      .asClient('ConfirmForgotPassword', {
        Username: email,
        ConfirmationCode: code,
        Password: newPassword,
        SecretHash: this.#cognito.secretHash(email),
      })
      .catch(asPasswordRule('newPassword'))
      .catch(ignore(wrongCode))
    return accepted ? this.#recordPasswordChange(await this.#rowOf(email, null, 'CONFIRMED')) : null
  }

  async createWithTemporaryPassword({ email, name, password }: NewUser): Promise<UserRow | null> {
    const UserAttributes: Attribute[] = [
      { Name: 'email', Value: email },
      { Name: 'email_verified', Value: 'true' },
      ...(name ? [{ Name: 'name', Value: name }] : []),
    ]
    const created = await this.#cognito
      .asAdmin('AdminCreateUser', {
        Username: email,
        TemporaryPassword: password,
        MessageAction: 'SUPPRESS',
        UserAttributes,
      })
      .catch(asEmailRule)
      .catch(ignore(new Set(['UsernameExistsException'])))
    return created ? this.#rowOf(email, name, 'FORCE_CHANGE_PASSWORD') : null
  }

  async discard(user: UserRow): Promise<void> {
    const { db } = this.#deps
    await this.#cognito.asAdmin('AdminDeleteUser', { Username: user.email })
    await users.deleteUnusedUser(db, user.id)
  }

  async checkPassword(user: UserRow, password: string): Promise<boolean> {
    const reply = await this.#initiate(user.email, password).catch(ignore(refusedSignIn))
    return reply !== null
  }

  async choosePassword(user: UserRow, password: string, name?: string): Promise<UserRow | null> {
    await this.#cognito
      .asAdmin('AdminSetUserPassword', { Username: user.email, Password: password, Permanent: true })
      .catch(asPasswordRule('password'))
    return this.#recordPasswordChange(user, name)
  }

  #initiate(email: string, password: string): Promise<AuthReply> {
    return this.#cognito.asClient<AuthReply>('InitiateAuth', {
      AuthFlow: 'USER_PASSWORD_AUTH',
      AuthParameters: { USERNAME: email, PASSWORD: password, SECRET_HASH: this.#cognito.secretHash(email) },
    })
  }

  /** Our row for a user of the pool, created when we first see the user. */
  async #rowOf(email: string, name: string | null, status: UserRow['status']): Promise<UserRow> {
    const { db, now, region } = this.#deps
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

  /** Records in D1 that the password in the pool has changed. Null if it was changed concurrently. */
  async #recordPasswordChange(user: UserRow, name?: string): Promise<UserRow | null> {
    const { db, now } = this.#deps
    return users.choosePassword(db, {
      userId: user.id,
      from: user.passwordHash,
      to: newMark(),
      now: now(),
      ...(name ? { name } : {}),
    })
  }

  /** Sets a random password and discards it. */
  async #replacePassword(email: string): Promise<void> {
    const password = `${newSecret()}aA1!` // satisfies any character rules of the pool
    await this.#cognito.asAdmin('AdminSetUserPassword', { Username: email, Password: password, Permanent: true })
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
