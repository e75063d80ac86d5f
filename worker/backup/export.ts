import { dayMs } from '#domain/time.ts'
import type { Db } from '../db/d1.ts'
import {
  type ExportPartRow,
  type ExportRunRow,
  exportedTables,
  finishRun,
  insertPart,
  insertRun,
  newestRun,
  partsOf,
  rowsAfter,
} from '../db/exports.ts'
import type { Env } from '../env.ts'
import { keyring } from '../keyrings/keyring.ts'
import { deleteExport, finishedRuns, manifestKey, partKey, putSealed } from './exportedParts.ts'

const everyMs = dayMs
const keptMs = 30 * everyMs
const partsAtOnce = 5
/** Maximum rows of a part. Preferences can be as large as 16 kB. */
const rowsOfPart = (table: string) => (table === 'preferences' ? 50 : 500)

/**
 * Called by the cron. Continues the current export a few parts at a time, or starts one a day after the last start. A step
 * that was killed is repeated: only parts recorded in D1 count.
 */
export async function exportDaily(env: Env, db: Db, now: number): Promise<void> {
  const run = await currentRun(env, db, now)
  if (!run) return
  for (let i = 0; i < partsAtOnce; i++) {
    const parts = await partsOf(db, run.id)
    const next = nextPart(parts.at(-1))
    if (!next) return finish(env, db, run, parts, now)
    if (!(await writePart(env, db, run.id, { part: parts.length, ...next }, now))) return
  }
}

/** Null if the last export is finished, less than a day old and sealed under the current KEK. */
async function currentRun(env: Env, db: Db, now: number): Promise<ExportRunRow | null> {
  const newest = await newestRun(db)
  if (newest?.finishedAt === null) return newest
  const kekVersion = keyring(env, 'KEK').current(now).version
  if (newest && now - newest.startedAt < everyMs && newest.kekVersion === kekVersion) return null
  const id = runId(now)
  const run = { id, startedAt: now, finishedAt: null, kekVersion }
  await insertRun(db, run)
  return run
}

const runId = (at: number) => new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')

type Next = { table: (typeof exportedTables)[number]; after: number }

/** Null if every table has been exported. */
function nextPart(last: ExportPartRow | undefined): Next | null {
  if (!last) return { table: exportedTables[0]!, after: 0 }
  const index = exportedTables.findIndex(({ name }) => name === last.tableName)
  if (!last.isEnd) return { table: exportedTables[index]!, after: last.lastRow }
  const table = exportedTables[index + 1]
  return table ? { table, after: 0 } : null
}

/** False if another run of the cron has already written this part. */
async function writePart(
  env: Env,
  db: Db,
  runId: string,
  { part, table, after }: Next & { part: number },
  now: number,
): Promise<boolean> {
  const limit = rowsOfPart(table.name)
  const found = await rowsAfter(db, table, after, limit)
  const rows = found.map(({ _row, ...row }) => row)
  const key = partKey(runId, part)
  const sha256 = await putSealed(env, key, rows, now)
  const lastRow = Number(found.at(-1)?._row ?? after)
  return insertPart(db, { runId, part, key, sha256, tableName: table.name, lastRow, isEnd: found.length < limit })
}

async function finish(env: Env, db: Db, run: ExportRunRow, parts: ExportPartRow[], now: number): Promise<void> {
  const manifest = {
    run: run.id,
    startedAt: run.startedAt,
    finishedAt: now,
    parts: parts.map(({ key, sha256, tableName }) => ({ key, sha256, table: tableName })),
  }
  await putSealed(env, manifestKey(run.id), manifest, now)
  await finishRun(db, run.id, now)
  for (const old of await finishedRuns(env)) if (old < runId(now - keptMs)) await deleteExport(env, old)
}
