import { isoOf } from '#domain/time.ts'
import type { RestoreExportReply } from '#schemas/ops.ts'
import type { Deps } from '../appEnv.ts'
import { countMissing, countPasswords, exportedTables, restorePasswords, restoreRows } from '../db/exports.ts'
import { AppError } from '../errors.ts'
import { noPassword } from '../identity/passwords.ts'
import { type Act, recordAct } from '../ops/record.ts'
import { readManifest, readPart, requireParts } from './exportedParts.ts'

/** Limit of one request. */
const maxParts = 10

/**
 * Inserts the rows of an export that are missing from D1, a few parts at a time. `run` names the export; null means the
 * newest. `from` is the first part of this request. Existing rows stay, but accounts without a password get theirs back.
 * Safe to repeat.
 */
export async function restoreExport(
  deps: Deps,
  act: Act,
  { run, from, isDry }: { run: string | null; from: number; isDry: boolean },
): Promise<RestoreExportReply> {
  const { env, db } = deps
  const manifest = await readManifest(env, run)
  if (from === 0) await requireParts(env, manifest)
  if (!isDry) await recordAct(deps, act, 'd1.restore_export', manifest.run, { from })
  const rows: Record<string, number> = {}
  const changed: Record<string, number> = {}
  let next = from
  for (; next < Math.min(from + maxParts, manifest.parts.length); next++) {
    const part = manifest.parts[next]!
    const table = exportedTables.find(({ name }) => name === part.table)
    if (!table) throw new AppError('unprocessable', `${part.key} has rows of the unknown table ${part.table}.`)
    const found = await readPart(env, part)
    add(rows, table.name, found.length)
    add(changed, table.name, await countMissing(db, table, found))
    if (!isDry) await restoreRows(db, table, found)
    if (table.name !== 'user') continue
    add(changed, 'passwords', await countPasswords(db, found, noPassword))
    if (!isDry) await restorePasswords(db, found, noPassword)
  }
  const { parts, startedAt } = manifest
  const isEnd = next >= parts.length
  return {
    run: manifest.run,
    startedAt: isoOf(startedAt),
    rows,
    changed,
    parts: parts.length,
    next: isEnd ? null : next,
  }
}

function add(sums: Record<string, number>, name: string, n: number): void {
  sums[name] = (sums[name] ?? 0) + n
}
