import type { z } from 'zod'
import { type Cell, csvLine } from '#domain/csv.ts'
import { readRun } from '#domain/runs/read.ts'
import { maxRunBytes, type ReadRow } from '#domain/runs/row.ts'
import { runRowText } from '#domain/runs/words.ts'
import type { CreateRun, Run } from '#schemas/runs.ts'
import type { Person } from '../appEnv.ts'
import { contactsByName } from '../db/contacts.ts'
import { AppError } from '../errors.ts'
import { unwrap } from '../result.ts'
import type { NamedContact } from '../treasury/runs/rpcTypes.ts'
import { decider } from './approvals.ts'

/** Reads the file and stores it as a draft. Throws `invalid_input` with the line of a file that can't be read. */
export async function createRun(
  person: Person,
  { title, walletId, csv, rows, failedOf, again = false }: z.output<typeof CreateRun>,
  key: string | null,
): Promise<Run> {
  const read = failedOf === undefined ? readFile(csv, rows) : []
  return unwrap(
    await person.treasury.runs().create({
      ...{ title, walletId, again, key, by: await decider(person) },
      from: failedOf === undefined ? { rows: read } : { failedOf },
      contacts: await contactsIn(person, read),
    }),
  )
}

function readFile(csv: string | undefined, rows: unknown[] | undefined): ReadRow[] {
  if (new TextEncoder().encode(csv ?? JSON.stringify(rows)).length > maxRunBytes)
    throw new AppError('payload_too_large', 'A file of payments can have at most 256 kB.', { field: 'csv' })
  const read = readRun(csv === undefined ? { rows: rows ?? [] } : { csv })
  if (read.ok) return read.rows
  const message = read.line === null ? read.message : `Line ${read.line}: ${read.message}`
  throw new AppError('invalid_input', message, { field: csv === undefined ? 'rows' : 'csv' })
}

/** The contacts that the rows name. */
async function contactsIn({ deps, accountId }: Person, rows: ReadRow[]): Promise<Record<string, NamedContact[]>> {
  const names = new Set(rows.flatMap(({ row }) => (row?.to.type === 'contact' ? [row.to.name] : [])))
  if (names.size === 0) return {}
  const found = await contactsByName(deps.db, accountId, [...names])
  return Object.fromEntries([...names].map((name) => [name, found.filter((contact) => contact.name === name)]))
}

const columns = ['line', 'to', 'amount', 'name', 'memo', 'reference', 'status', 'reason', 'payment', 'transaction']

/** A CSV of the rows and what became of them. */
export async function exportRun({ treasury }: Person, runId: string): Promise<Response> {
  const { run, rows } = unwrap(await treasury.runs().export(runId))
  const lines = rows.map((row): Cell[] => {
    const { to, amount, name, memo, reference } = row.written
    const decimal = row.amount === null ? amount : { decimal: row.amount }
    const reason = [...row.problems, ...(row.error ? [row.error.message] : [])].join(' ')
    return [
      ...[row.line, row.recipient ?? to, decimal, row.contactName ?? name, memo, reference],
      ...[runRowText(row.status, row.payment?.status ?? null), reason],
      ...[row.payment?.id ?? null, row.payment?.txHash ?? null],
    ]
  })
  const body = [columns, ...lines].map(csvLine).join('')
  return new Response(`\ufeff${body}`, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="run-${run.id}.csv"`,
    },
  })
}
