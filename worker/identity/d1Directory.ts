import type { Db } from '../db/session.ts'
import * as users from '../db/users.ts'
import type { IdentityDirectory } from './directory.ts'
import { checkNothing, checkPassword, hashPassword } from './passwords.ts'
import { newId } from './secrets.ts'

/** A temporary password lets its owner in for a week; later sign-ins must replace it first. */
export const temporaryPasswordMs = 7 * 24 * 60 * 60_000 // 7 days

/** The embedded directory: accounts in D1, passwords as scrypt hashes. */
export function d1Directory(deps: { db: Db; pepper: string; now: () => number }): IdentityDirectory {
  const { db, pepper, now } = deps
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
      return { outcome: tooOld ? 'challenge' : 'signed_in', user }
    },

    async createWithTemporaryPassword({ email, name, password }) {
      const at = now()
      const row = {
        id: newId('user'),
        email,
        name,
        status: 'FORCE_CHANGE_PASSWORD' as const,
        passwordHash: await hashPassword(password, pepper),
        temporarySince: at,
        publicAddress: null,
        createdAt: at,
        updatedAt: at,
      }
      return (await users.insertUser(db, row)) ? row : null
    },

    discard: (userId) => users.deleteUnusedUser(db, userId),

    async checkPassword(user, password) {
      return (await checkPassword(password, user.passwordHash, pepper)).right
    },

    async choosePassword(user, password, name) {
      const to = await hashPassword(password, pepper)
      return users.choosePassword(db, {
        userId: user.id,
        from: user.passwordHash,
        to,
        now: now(),
        ...(name ? { name } : {}),
      })
    },
  }
}
