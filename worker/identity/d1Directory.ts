import type { Deps } from '../appEnv.ts'
import { putCode, takeCode } from '../db/accountCodes.ts'
import type { CodePurpose, UserRow } from '../db/accounts.ts'
import * as users from '../db/users.ts'
import { alreadyRegisteredMessage, confirmationCodeMessage, resetCodeMessage } from '../delivery/messages.ts'
import type { IdentityDirectory } from './directory.ts'
import { checkNothing, checkPassword, hashPassword } from './passwords.ts'
import { newCode, newId, peppered } from './secrets.ts'

/** A temporary password lets its owner in for a week; later sign-ins must replace it first. */
export const temporaryPasswordMs = 7 * 24 * 60 * 60_000 // 7 days

const codeMs = {
  confirm: 24 * 60 * 60_000, // 24 hours
  reset: 15 * 60_000, // 15 minutes
}

/** The embedded directory: accounts in D1, passwords as scrypt hashes, codes as HMACs. */
export function d1Directory(deps: Deps): IdentityDirectory {
  const { env, db, delivery, now, afterwards } = deps
  const pepper = env.PASSWORD_PEPPER

  // The password is part of it: a signup or reset that came in between makes the code worthless.
  const hashOf = (purpose: CodePurpose, user: UserRow, code: string) =>
    peppered(env.CODE_PEPPER, JSON.stringify([purpose, user.id, user.passwordHash, code]))

  async function mailCode(purpose: CodePurpose, user: UserRow): Promise<void> {
    const code = newCode()
    const at = now()
    await putCode(db, { userId: user.id, purpose, hash: hashOf(purpose, user, code), expiresAt: at + codeMs[purpose] })
    const { id: userId, email: to, name } = user
    const message = { userId, to, name, code, appOrigin: env.APP_ORIGIN, now: at }
    await delivery.send(purpose === 'confirm' ? confirmationCodeMessage(message) : resetCodeMessage(message))
  }

  /** The user whose code it was. An unknown email costs the same statements. */
  async function ownerOfCode(purpose: CodePurpose, email: string, code: string): Promise<UserRow | null> {
    const user = await users.findUserByEmail(db, email)
    const hash = user ? hashOf(purpose, user, code) : peppered(env.CODE_PEPPER, code)
    const right = await takeCode(db, { userId: user?.id ?? '', purpose, hash, now: now() })
    return right ? user : null
  }

  async function choosePassword(user: UserRow, password: string, name?: string): Promise<UserRow | null> {
    const to = await hashPassword(password, pepper)
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
    const passwordHash = await hashPassword(password, pepper)
    const at = now()
    const row = { ...fields, id: newId('user'), passwordHash, publicAddress: null, createdAt: at, updatedAt: at }
    return users.insertUser(db, row)
  }

  return {
    async signIn(email, password) {
      const user = await users.findUserByEmail(db, email)
      if (!user) {
        await checkNothing(password, pepper)
        return { outcome: 'refused' }
      }
      const { right, outdated } = await checkPassword(password, user.passwordHash, pepper)
      if (!right) return { outcome: 'refused' }
      if (outdated) await users.upgradeHash(db, user.id, user.passwordHash, await hashPassword(password, pepper))
      if (user.status === 'UNCONFIRMED') return { outcome: 'unconfirmed' }
      const tooOld = user.temporarySince !== null && now() - user.temporarySince > temporaryPasswordMs
      return tooOld ? { outcome: 'challenge', user, proof: '' } : { outcome: 'signed_in', user }
    },

    answerChallenge: (user, _proof, newPassword) => choosePassword(user, newPassword),

    async signUp({ email, name, password }) {
      const user = await insert({ email, name, status: 'UNCONFIRMED', temporarySince: null }, password)
      afterwards(user ? mailCode('confirm', user) : mailOwner(deps, email))
    },

    async resendConfirmation(email) {
      const user = await users.findUserByEmail(db, email)
      if (user?.status === 'UNCONFIRMED') await mailCode('confirm', user)
    },

    async confirm(email, code) {
      const user = await ownerOfCode('confirm', email, code)
      if (!user) return false
      await users.confirmUser(db, user.id, now())
      return true
    },

    async sendResetCode(email) {
      const user = await users.findUserByEmail(db, email)
      if (user) await mailCode('reset', user)
    },

    async resetPassword(email, code, newPassword) {
      const user = await ownerOfCode('reset', email, code)
      return user && choosePassword(user, newPassword)
    },

    createWithTemporaryPassword: ({ email, name, password }) =>
      insert({ email, name, status: 'FORCE_CHANGE_PASSWORD', temporarySince: now() }, password),

    discard: (user) => users.deleteUnusedUser(db, user.id),

    async checkPassword(user, password) {
      return (await checkPassword(password, user.passwordHash, pepper)).right
    },

    choosePassword,
  }
}

/** Tells the owner of an account that somebody signed up with the same address. */
export async function mailOwner(deps: Deps, email: string): Promise<void> {
  const { env, db, delivery, now } = deps
  const user = await users.findUserByEmail(db, email)
  if (!user) return
  const { id: userId, name } = user
  await delivery.send(alreadyRegisteredMessage({ userId, to: email, name, appOrigin: env.APP_ORIGIN, now: now() }))
}
