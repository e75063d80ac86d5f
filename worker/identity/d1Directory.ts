import { dayMs } from '#domain/time.ts'
import type { Deps } from '../appEnv.ts'
import { putCodeAndLink, putLink, takeCode, takeLink } from '../db/accountCodes.ts'
import type { CodePurpose, UserRow } from '../db/schema.ts'
import { addSignup, confirmSignup, newestSignup, signupsOf } from '../db/signups.ts'
import * as users from '../db/users.ts'
import { keyring } from '../keyrings/keyring.ts'
import { confirmationCodeMessage, resetCodeMessage } from '../notifications/accountMessages.ts'
import { treasuryOf } from '../treasuryOf.ts'
import type { EmailProof, IdentityDirectory } from './directory.ts'
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
export function d1Directory(deps: Deps): IdentityDirectory {
  const { env, db, messageProvider, now, region, runInBackground } = deps
  const peppers = keyring(env, 'PASSWORD_PEPPER')
  const hash = (password: string) => hashPassword(password, peppers.current(now()))
  const check = (password: string, stored: string) => checkPassword(password, stored, peppers, now())

  const codeText = (purpose: CodePurpose, userId: string, code: string) => JSON.stringify([purpose, userId, code])

  async function mailProof(purpose: CodePurpose, user: Pick<UserRow, 'id' | 'email'>): Promise<void> {
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
  async function takeProof(purpose: CodePurpose, proof: EmailProof): Promise<UserRow | null> {
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
  const isSuperseded = async (user: UserRow): Promise<boolean> =>
    user.passwordAt <
    (await treasuryOf(env, { ...user, region: user.region ?? region })
      .account()
      .passwordEpoch())

  async function choosePassword(user: UserRow, password: string, name?: string): Promise<UserRow | null> {
    const to = await hash(password)
    return users.choosePassword(db, {
      userId: user.id,
      from: user.passwordHash,
      to,
      now: now(),
      ...(name ? { name } : {}),
    })
  }

  async function insert(
    fields: Pick<UserRow, 'email' | 'name' | 'status' | 'temporarySince'>,
    password: string,
  ): Promise<UserRow | null> {
    const passwordHash = await hash(password)
    const at = now()
    const times = { createdAt: at, updatedAt: at, passwordAt: at }
    const row = { ...fields, id: newId('user'), passwordHash, publicAddress: null, region, ...times }
    return users.insertUser(db, row)
  }

  return {
    mailsLinks: true,

    async signIn(email, password, admit) {
      const [[user], [signup]] = await admit(users.userByEmail(db, email), newestSignup(db, email))
      // Asked while the hash is computed, and not awaited for a wrong password: the time of a refusal reveals nothing.
      const superseded = user && user.passwordHash !== noPassword ? isSuperseded(user) : null
      superseded?.catch(() => {})
      const { isRight, isOutdated } = await check(password, user?.passwordHash ?? noPassword)
      if (!user || !isRight) {
        // Checked even if the address has an account, so that signing up and then in does not reveal one.
        const isUnconfirmed = signup?.passwordHash != null && (await check(password, signup.passwordHash)).isRight
        return { outcome: isUnconfirmed ? 'unconfirmed' : 'refused' }
      }
      if (await superseded) return { outcome: 'refused' }
      if (isOutdated) await users.upgradeHash(db, user.id, user.passwordHash, await hash(password))
      const isExpired = user.temporarySince !== null && now() - user.temporarySince > temporaryPasswordMs
      return isExpired ? { outcome: 'challenge', user, proof: '' } : { outcome: 'signed_in', user }
    },

    answerChallenge: (user, _proof, newPassword) => choosePassword(user, newPassword),

    async signUp({ email, name, password }) {
      const signupToken = newSecret('bu_')
      const user = await addSignup(db, {
        email,
        name,
        passwordHash: await hash(password),
        tokenHash: sha256(signupToken),
        accountId: newId('user'),
        accountHash: noPassword,
        now: now(),
      })
      const isOpen = user.status === 'UNCONFIRMED'
      runInBackground(isOpen ? mailProof('confirm', user) : notifyAlreadyRegistered(deps, email))
      return { signupToken }
    },

    async resendConfirmation(email) {
      const user = await users.findUserByEmail(db, email)
      if (user?.status === 'UNCONFIRMED') await mailProof('confirm', user)
    },

    async confirm(proof, signupToken) {
      const user = await takeProof('confirm', proof)
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
    },

    async sendResetCode(email) {
      const user = await users.findUserByEmail(db, email)
      if (user) await mailProof('reset', user)
    },

    async resetPassword(proof, newPassword) {
      const user = await takeProof('reset', proof)
      return user && choosePassword(user, newPassword)
    },

    createWithTemporaryPassword: ({ email, name, password }) =>
      insert({ email, name, status: 'FORCE_CHANGE_PASSWORD', temporarySince: now() }, password),

    discard: (user) => users.deleteUnusedUser(db, user.id),

    async checkPassword(user, password) {
      return (await check(password, user.passwordHash)).isRight && !(await isSuperseded(user))
    },

    choosePassword,
  }
}
