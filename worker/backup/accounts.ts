import type { Db } from '../db/d1.ts'
import { accountsToKeep, accountToKeepOf, deferKeeping, markKept } from '../db/keptAccounts.ts'
import type { Env } from '../env.ts'
import { logError } from '../observability/log.ts'
import { treasuryOf } from '../treasuryOf.ts'

/** The bucket holds one empty object per account, keyed by its id, so that accounts are known without D1. */
const prefix = 'accounts/'

const maxAtOnce = 200
const parallel = 10

type ToKeep = NonNullable<Awaited<ReturnType<typeof accountToKeepOf>>>

/** Called by the cron. Copies changed accounts to their Treasuries and the bucket, a bounded number at a time. */
export async function keepAccounts(env: Env, db: Db): Promise<void> {
  const queue = await accountsToKeep(db, maxAtOnce)
  const work = async () => {
    for (let account = queue.pop(); account !== undefined; account = queue.pop()) await keepOne(env, db, account)
  }
  await Promise.all(Array.from({ length: parallel }, work))
}

/** Does the same for one account when its user signs in. Does nothing if the account is already up to date. */
export async function keepAccount(env: Env, db: Db, userId: string): Promise<void> {
  const account = await accountToKeepOf(db, userId)
  if (account) await keepOne(env, db, account)
}

async function keepOne(env: Env, db: Db, { userId, version, row }: ToKeep): Promise<void> {
  try {
    if (row !== null) {
      const { email, name, status, temporarySince, publicAddress, region, passwordAt, createdAt, updatedAt } = row
      const owner = { email, name, status, temporarySince, publicAddress, region, passwordAt, createdAt, updatedAt }
      await treasuryOf(env, row).account().keepOwner(owner)
      await env.BACKUP.put(`${prefix}${userId}`, '')
    }
    await markKept(db, userId, version)
  } catch (error) {
    logError('account_not_kept', { user: userId }, error)
    await deferKeeping(db, userId)
  }
}

/** Returns up to `limit` account ids in order, starting after `after`. */
export async function listAccounts(
  { BACKUP }: Env,
  after: string | null,
  limit: number,
): Promise<{ ids: string[]; isEnd: boolean }> {
  const page = await BACKUP.list({ prefix, limit, ...(after !== null && { startAfter: `${prefix}${after}` }) })
  return { ids: page.objects.map(({ key }) => key.slice(prefix.length)), isEnd: !page.truncated }
}
