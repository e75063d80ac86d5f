/** An operator who restores one account in workerd, with a replacement for the platform's recovery. */
import { runInDurableObject } from 'cloudflare:test'
import { minuteMs } from '#domain/time.ts'
import type { Deps } from '../../worker/appEnv.ts'
import { type RestoreInput, restoreUser } from '../../worker/backup/restoreUser.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import type { Store } from '../../worker/treasury/storage/store.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { pass } from './manualClock.ts'
import type { Payer } from './payer.ts'
import { pastTheGate } from './restoredTreasury.ts'
import { env } from './testEnv.ts'

export const operator = 'ann@example.com'

/** For an account on `manualChain`. */
export async function restoringOperator(
  { userId, treasury }: Pick<Payer, 'userId' | 'treasury'>,
  db = primaryDb(env.DB),
) {
  await env.DB.prepare(
    "INSERT OR IGNORE INTO user (id, email, status, password_hash, created_at, updated_at) VALUES (?1, ?1 || '@example.com', 'CONFIRMED', 'none', 1, 1)",
  )
    .bind(userId)
    .run()
  const deps = { env, db, now: Date.now } as unknown as Deps
  const run = (act: RestoreInput['act'], more: Partial<RestoreInput> = {}) =>
    restoreUser(deps, { actor: operator, reason: 'test' }, userId, {
      act,
      dryRun: false,
      unsent: false,
      again: false,
      ...more,
    })
  return {
    run,
    /** Puts the object back with `earlier`. */
    async back(earlier: (store: Store) => void) {
      await runInDurableObject(treasury(), (object: Treasury, { storage }) => {
        object.snapshots = () => ({
          async goBack() {
            earlier(pastTheGate(object).store)
            await storage.sync()
          },
        })
      })
      return run('back', { to: new Date(Date.now() - minuteMs).toISOString() })
    },
    /** Continues until an operator has to decide or the account works again. */
    async goOn(more: Partial<RestoreInput> = {}) {
      for (;;) {
        const reply = await run('continue', more)
        if (reply.step === 'waiting') await pass(400)
        else if (reply.step !== 'importing') return reply
      }
    },
  }
}
