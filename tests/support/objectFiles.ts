/** Copies of an object's file, in place of the point-in-time recovery that a local workerd lacks. */
import { cp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Returns the file of this user's Treasury. The Worker must be stopped. */
async function fileOf(stateDir: string, userId: string): Promise<{ folder: string; name: string }> {
  const folder = join(stateDir, 'worker/v3/do/bursar-Treasury')
  for (const name of (await readdir(folder)).filter((each) => /^[0-9a-f]{64}\.sqlite$/.test(each))) {
    const db = new DatabaseSync(join(folder, name))
    const row = db.prepare("SELECT value FROM meta WHERE key = 'user_id'").get()
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()
    if (row?.value === userId) return { folder, name }
  }
  throw new Error(`no Treasury of ${userId} in ${folder}`)
}

/** Copies the file. Returns a function that puts the copy back. */
export async function copyTreasury(stateDir: string, userId: string): Promise<() => Promise<void>> {
  const { folder, name } = await fileOf(stateDir, userId)
  const copy = join(stateDir, `${name}.copy`)
  await cp(join(folder, name), copy)
  return async () => {
    for (const more of ['-wal', '-shm']) await rm(join(folder, `${name}${more}`), { force: true })
    await cp(copy, join(folder, name))
  }
}
