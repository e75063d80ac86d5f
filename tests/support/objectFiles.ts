/** The files of a stack's Durable Objects. The Worker must be stopped, unless a function says otherwise. */
import { createHash, createHmac } from 'node:crypto'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

type ClassName = 'Treasury' | 'History'

/** The file of the object that has this user's id as its name. Ids are computed from names as in workerd. */
export function fileOf(stateDir: string, className: ClassName, userId: string): string {
  const namespace = `bursar-${className}`
  const key = createHash('sha256').update(namespace).digest()
  const half = (of: string | Buffer) => createHmac('sha256', key).update(of).digest().subarray(0, 16)
  const id = Buffer.concat([half(userId), half(half(userId))]).toString('hex')
  return join(stateDir, 'worker/v3/do', namespace, `${id}.sqlite`)
}

/** Runs `work` with the database of the user's History, which must have been called before. */
export const withHistory = <T>(stateDir: string, userId: string, work: (db: DatabaseSync) => T): T =>
  withObject(stateDir, 'History', userId, work)

/** The same with the user's Treasury. */
export const withTreasury = <T>(stateDir: string, userId: string, work: (db: DatabaseSync) => T): T =>
  withObject(stateDir, 'Treasury', userId, work)

function withObject<T>(stateDir: string, name: ClassName, userId: string, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(fileOf(stateDir, name, userId))
  try {
    return work(db)
  } finally {
    db.close()
  }
}

/** Changes a row of the user's Treasury while its Worker runs: a single statement, on which SQLite's locks hold. */
export function changeTreasury(stateDir: string, userId: string, statement: string): void {
  const db = new DatabaseSync(fileOf(stateDir, 'Treasury', userId), { timeout: 5_000 })
  try {
    db.exec(statement)
  } finally {
    db.close()
  }
}

/** Copies the Treasury's file, as its point-in-time recovery, which a local workerd lacks. Returns a function that puts the copy back. */
export async function copyTreasury(stateDir: string, userId: string): Promise<() => Promise<void>> {
  const file = fileOf(stateDir, 'Treasury', userId)
  const db = new DatabaseSync(file)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  await cp(file, `${file}.copy`)
  return async () => {
    for (const more of ['-wal', '-shm']) await rm(`${file}${more}`, { force: true })
    await cp(`${file}.copy`, file)
  }
}
