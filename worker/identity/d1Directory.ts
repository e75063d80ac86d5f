import { dayMs } from '#domain/time.ts'
import type { Deps } from '../appEnv.ts'
import { putCodeAndLink, putLink, takeCode, takeLink } from '../db/accountCodes.ts'
import type { CodePurpose, UserRow } from '../db/schema.ts'
import { addSignup, confirmSignup, newestSignup, signupsOf } from '../db/signups.ts'
import * as users from '../db/users.ts'
import { keyring } from '../keyrings/keyring.ts'
import { confirmationCodeMessage, resetCodeMessage } from '../notifications/accountMessages.ts'
import { treasuryOf } from '../treasuryOf.ts'
import type { Admit, Confirmation, EmailProof, IdentityDirectory, NewUser, SignIn, SignUp } from './directory.ts'
import { checkPassword, hashPassword, noPassword } from './passwords.ts'
import { newCode, newId, newSecret, sha256 } from './secrets.ts'
import { signatures, signed } from './signed.ts'
import { notifyAlreadyRegistered, signupToConfirm } from './signUps.ts'

/** A temporary password works for a week. After that, signing in requires replacing it first. */
export const temporaryPasswordMs = 7 * dayMs

/** Lifetimes of the code and the link in a mail. */
const proofLifeMs = {
  confirm: dayMs,
  reset: 15 * 60_000, // 15 minutes
}

/** The built-in directory: accounts in D1, passwords as scrypt hashes, codes as HMACs, links as hashes of their tokens. */
export class D1Directory implements IdentityDirectory {
  readonly mailsLinks = true
  readonly #deps: Deps
  readonly #peppers

  constructor(deps: Deps) {
    this.#deps = deps
    this.#peppers = keyring(deps.env, 'PASSWORD_PEPPER')
  }

  async signIn(email: string, password: string, admit: Admit): Promise<SignIn> {
    const { db, now } = this.#deps
    const [[user], [signup]] = await admit(users.userByEmail(db, email), newestSignup(db, email))
    // Asked while the hash is computed, and not awaited for a wrong password: the time of a refusal reveals nothing.
    const superseded = user && user.passwordHash !== noPassword ? this.#isSuperseded(user) : null
    superseded?.catch(() => {})
    const { isRight, isOutdated } = await this.#check(password, user?.passwordHash ?? noPassword)
    if (!user || !isRight) {
      // Checked even if the address has an account, so that signing up and then in does not reveal one.
      const isUnconfirmed = signup?.passwordHash != null && (await this.#check(password, signup.passwordHash)).isRight
      return { outcome: isUnconfirmed ? 'unconfirmed' : 'refused' }
    }
    if (await superseded) return { outcome: 'refused' }
    if (isOutdated) await users.upgradeHash(db, user.id, user.passwordHash, await this.#hash(password))
    const isExpired = user.temporarySince !== null && now() - user.temporarySince > temporaryPasswordMs
    return isExpired ? { outcome: 'challenge', user, proof: '' } : { outcome: 'signed_in', user }
  }

  answerChallenge(user: UserRow, _proof: string, newPassword: string): Promise<UserRow | null> {
    return this.choosePassword(user, newPassword)
  }

  async signUp({ email, name, password }: SignUp): Promise<{ signupToken: string }> {
    const { db, now, runInBackground } = this.#deps
    const signupToken = newSecret('bu_')
    const user = await addSignup(db, {
      email,
      name,
      passwordHash: await this.#hash(password),
      tokenHash: sha256(signupToken),
      accountId: newId('user'),
      accountHash: noPassword,
      now: now(),
    })
    const isOpen = user.status === 'UNCONFIRMED'
    runInBackground(isOpen ? this.#mailProof('confirm', user) : notifyAlreadyRegistered(this.#deps, email))
    return { signupToken }
  }

  async resendConfirmation(email: string): Promise<void> {
    const { db } = this.#deps
    const user = await users.findUserByEmail(db, email)
    if (user?.status === 'UNCONFIRMED') await this.#mailProof('confirm', user)
  }

  async confirm(proof: EmailProof, signupToken: string | undefined): Promise<Confirmation | null> {
    const { db, now, region } = this.#deps
    const user = await this.#takeProof('confirm', proof)
    if (user?.status !== 'UNCONFIRMED') return null
    const kept = signupToConfirm(await signupsOf(db, user.id), signupToken)
    const passwordHash = kept?.passwordHash ?? noPassword
    const name = kept?.name ?? user.name
    if (!(await confirmSignup(db, { userId: user.id, passwordHash, name, region, now: now() }))) return null
    if (kept) return { passwordKept: true }
    const resetToken = newSecret()
    const expiresAt = now() + proofLifeMs.reset
    await putLink(db, { tokenHash: sha256(resetToken), userId: user.id, purpose: 'reset', expiresAt })
    return { passwordKept: false, resetToken }
  }

  async sendResetCode(email: string): Promise<void> {
    const { db } = this.#deps
    const user = await users.findUserByEmail(db, email)
    if (user) await this.#mailProof('reset', user)
  }

  async resetPassword(proof: EmailProof, newPassword: string): Promise<UserRow | null> {
    // First, because it may be refused while many hashes wait, and the proof works once.
    const to = await this.#hash(newPassword)
    const user = await this.#takeProof('reset', proof)
    return user && this.#chooseHash(user, to)
  }

  createWithTemporaryPassword({ email, name, password }: NewUser): Promise<UserRow | null> {
    const { now } = this.#deps
    return this.#insert({ email, name, status: 'FORCE_CHANGE_PASSWORD', temporarySince: now() }, password)
  }

  discard(user: UserRow): Promise<void> {
    return users.deleteUnusedUser(this.#deps.db, user.id)
  }

  async checkPassword(user: UserRow, password: string): Promise<boolean> {
    return (await this.#check(password, user.passwordHash)).isRight && !(await this.#isSuperseded(user))
  }

  async choosePassword(user: UserRow, password: string, name?: string): Promise<UserRow | null> {
    return this.#chooseHash(user, await this.#hash(password), name)
  }

  async #mailProof(purpose: CodePurpose, user: Pick<UserRow, 'id' | 'email'>): Promise<void> {
    const { env, db, messageProvider, now } = this.#deps
    const { id: userId, email: to } = user
    const [code, linkToken] = [newCode(), newSecret()]
    const at = now()
    await putCodeAndLink(db, {
      userId,
      purpose,
      hash: signed(env, codeText(purpose, userId, code), at),
      linkHash: sha256(linkToken),
      expiresAt: at + proofLifeMs[purpose],
    })
    const message = { userId, to, code, linkToken, appOrigin: env.APP_ORIGIN, now: at }
    await messageProvider.send(purpose === 'confirm' ? confirmationCodeMessage(message) : resetCodeMessage(message))
  }

  /** Consumes the proof and returns its user, or null. For a code, runs the same statements if the email is unknown. */
  async #takeProof(purpose: CodePurpose, proof: EmailProof): Promise<UserRow | null> {
    const { env, db, now } = this.#deps
    if ('linkToken' in proof) {
      const userId = await takeLink(db, { tokenHash: sha256(proof.linkToken), purpose, now: now() })
      return userId === null ? null : users.findUser(db, userId)
    }
    const user = await users.findUserByEmail(db, proof.email)
    const userId = user?.id ?? ''
    const isRight = await takeCode(db, {
      userId,
      purpose,
      hashes: signatures(env, codeText(purpose, userId, proof.code)),
      now: now(),
    })
    return isRight ? user : null
  }

  /** Whether a later password was chosen, which means that D1 was restored to an earlier time or from an export. */
  async #isSuperseded(user: UserRow): Promise<boolean> {
    const { env, region } = this.#deps
    const treasury = treasuryOf(env, { ...user, region: user.region ?? region })
    return user.passwordAt < (await treasury.account().passwordEpoch())
  }

  async #chooseHash(user: UserRow, to: string, name?: string): Promise<UserRow | null> {
    const { db, now } = this.#deps
    return users.choosePassword(db, {
      userId: user.id,
      from: user.passwordHash,
      to,
      now: now(),
      ...(name ? { name } : {}),
    })
  }

  async #insert(
    fields: Pick<UserRow, 'email' | 'name' | 'status' | 'temporarySince'>,
    password: string,
  ): Promise<UserRow | null> {
    const { db, now, region } = this.#deps
    const passwordHash = await this.#hash(password)
    const at = now()
    const times = { createdAt: at, updatedAt: at, passwordAt: at }
    const row = { ...fields, id: newId('user'), passwordHash, publicAddress: null, region, ...times }
    return users.insertUser(db, row)
  }

  #hash(password: string): Promise<string> {
    return hashPassword(password, this.#peppers.current(this.#deps.now()))
  }

  #check(password: string, stored: string) {
    return checkPassword(password, stored, this.#peppers, this.#deps.now())
  }
}

const codeText = (purpose: CodePurpose, userId: string, code: string) => JSON.stringify([purpose, userId, code])
