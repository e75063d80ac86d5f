import { dayMs } from '#domain/time.ts'
import { exportDaily } from '../../worker/backup/export.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { newestRun } from '../../worker/db/exports.ts'
import { env } from './testEnv.ts'

const db = primaryDb(env.DB)

/** Makes a whole export now, with as many cron steps as it takes. Returns its id. */
export async function exportNow(): Promise<string> {
  while ((await newestRun(db))?.finishedAt === null) await exportDaily(env, db, Date.now())
  const at = Math.max(Date.now(), ((await newestRun(db))?.startedAt ?? 0) + dayMs)
  for (;;) {
    await exportDaily(env, db, at)
    const run = await newestRun(db)
    if (run!.finishedAt !== null) return run!.id
  }
}
