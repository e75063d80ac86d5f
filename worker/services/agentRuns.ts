import { maxPreparedRows, tooManyPreparedRows } from '#domain/runs/prepared.ts'
import { readRun } from '#domain/runs/read.ts'
import type { ReadRow } from '#domain/runs/row.ts'
import { prepareScope } from '#domain/scopes.ts'
import type { PayoutRun, PrepareRun } from '#schemas/preparedRun.ts'
import { ok, type Result, refuse } from '../result.ts'
import { type Caller, missingScope, principal, treasury } from './agentPayments.ts'

/** What an agent does with payout runs, for both REST and MCP. It prepares and reads: deciding is left to people (I25). */

/** `key` is the Idempotency-Key, in the same space as those of payments. */
export async function prepareRun(
  caller: Caller,
  key: string,
  { title, rows, csv, again = false, replaces }: PrepareRun,
): Promise<Result<{ run: PayoutRun; replayed: boolean }>> {
  const missing = missingScope(caller.agent, prepareScope)
  if (missing) return missing
  const read = readRows(rows, csv)
  if (!read.ok) return read
  return treasury(caller)
    .runs()
    .prepare({ principal: principal(caller), key, title, rows: read.value, again, replaces: replaces ?? null })
}

/** `not_found` for any id but the caller's own runs. */
export async function getPreparedRun(caller: Caller, id: string): Promise<Result<PayoutRun>> {
  return treasury(caller).runs().prepared(principal(caller), id)
}

function readRows(rows: PrepareRun['rows'], csv: string | undefined): Result<ReadRow[]> {
  if (rows !== undefined && csv !== undefined)
    return refuse('invalid_input', 'Send either rows or csv, not both.', { field: 'csv' })
  const field = csv === undefined ? 'rows' : 'csv'
  const read = readRun(csv === undefined ? { rows: rows ?? [] } : { csv })
  if (!read.ok)
    return refuse('invalid_input', read.line === null ? read.message : `Line ${read.line}: ${read.message}`, { field })
  return read.rows.length > maxPreparedRows ? refuse('invalid_input', tooManyPreparedRows, { field }) : ok(read.rows)
}
