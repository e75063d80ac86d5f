import { formatUsdc } from '../money.ts'
import { plural } from '../words.ts'
import { columnOf, type Header, openQuote, readHeader, unknownColumn } from './columns.ts'
import { shown } from './problems.ts'
import { emptyCells, noPaymentProblem, readRow } from './readRow.ts'
import { writtenRecipient } from './recipientCell.ts'
import { type Cells, maxRunBytes, maxRunRows, type ReadRow, type RunColumn, runColumns } from './row.ts'
import { type FileRecord, splitRecords } from './table.ts'

export { decodeRunFile } from './decode.ts'

/** Reads the file of a payout run, for the page and the API. Whatever is damaged is named, and nothing is guessed. */

export type RunFile = { csv: string } | { rows: unknown[] }
/** The file as a whole can't be used: `line` if one is to blame. */
export type ReadRun = { ok: true; rows: ReadRow[] } | { ok: false; line: number | null; message: string }

export function readRun(file: RunFile): ReadRun {
  return 'csv' in file ? readCsv(file.csv) : readList(file.rows)
}

const unusable = (message: string, line: number | null = null): ReadRun => ({ ok: false, line, message })
const tooLarge = unusable(`The file is larger than ${maxRunBytes / 1024} kB. Split it into several runs.`)
const bytesOf = (text: string): number => new TextEncoder().encode(text).length
const most = maxRunRows.toLocaleString('en-US')

function readCsv(csv: string): ReadRun {
  if (csv.length > maxRunBytes || bytesOf(csv) > maxRunBytes) return tooLarge
  const text = csv.replace(/^\ufeff/, '')
  const wrong = notTextProblem(text)
  if (wrong) return unusable(wrong)
  const found = readHeader(text)
  if (found === null) return unusable('The file is empty.')
  if (!found.ok) return unusable(found.message, found.line)
  const { header } = found
  const table = splitRecords(text, header.delimiter)
  if (!table.ok)
    return table.problem === 'open'
      ? { ok: false, ...openQuote(table.line) }
      : unusable('There is text after a closing quote ("). Write "" for a quote within a cell.', table.line)
  const records = table.records.slice(1) // without the header
  const swallowing = records.find((record) => hasRows(record, header))
  if (swallowing) return { ok: false, ...openQuote(swallowing.line) }
  return withinLimits(records, (record) => recordRow(record, header))
}

function notTextProblem(text: string): string | null {
  if (text.includes('\0')) return 'The file is not text. Save it as “CSV UTF-8”.'
  return /^\s*(?:<!doctype|<html|<\?xml|<table|\{\\rtf|%PDF)/i.test(text.slice(0, 200))
    ? 'This is not a CSV file. Open it in a spreadsheet and save it as CSV.'
    : null
}

function withinLimits<T>(found: readonly T[], read: (row: T, at: number) => ReadRow): ReadRun {
  if (found.length === 0) return unusable('The file has no rows. Write one for each payment.')
  if (found.length > maxRunRows)
    return unusable(
      `The file has ${found.length.toLocaleString('en-US')} rows, and a run has at most ${most}. Split it.`,
    )
  return { ok: true, rows: found.map(read) }
}

/** Whether a quote that is not closed made the following rows a part of a cell. */
function hasRows({ cells }: FileRecord, { columns, delimiter }: Header): boolean {
  const isRow = (line: string) => line.split(delimiter).length >= columns.length
  return cells.some((cell) => cell.includes('\n') && cell.split('\n').slice(1).some(isRow))
}

function recordRow(record: FileRecord, header: Header): ReadRow {
  const { line } = record
  const given = record.cells.map((cell) => cell.trim())
  const cells = emptyCells()
  for (const [at, column] of header.columns.entries()) cells[column] = given[at] ?? ''
  const problem = noPaymentProblem(cells) ?? (record.stray ? strayQuote : countProblem(given, header))
  return problem === null ? readRow(line, cells) : { line, written: cells, row: null, problem }
}

const strayQuote = 'There is a quote (") within a cell. Put the whole cell in quotes, and write "" for the quote.'

/** Why a row has other cells than the header names; null if it has not. */
function countProblem(given: string[], { columns, width, delimiter }: Header): string | null {
  const split = delimiter === ',' ? splitAmount(given, columns, given.length > width) : null
  if (split) return split
  if (given.length === width)
    return given.slice(columns.length).every((cell) => cell === '') ? null : 'A value is in a column without a name.'
  const counted = `This line has ${plural(given.length, 'cell')} and the header ${width}.`
  if (given.length < width) return `${counted} Empty cells need their delimiter too.`
  return given.some((cell) => /[“”„«»]/.test(cell))
    ? `${counted} Use straight quotes (") around cells.`
    : `${counted} Put a cell that contains a delimiter in quotes (").`
}

/** An amount whose comma has made it two cells: '1' and '234.56', which must not be read as 1. A reference may be a number. */
function splitAmount(given: string[], columns: RunColumn[], hasMore: boolean): string | null {
  const at = columns.indexOf('amount')
  const [whole = '', rest = ''] = given.slice(at, at + 2)
  if (!/^\d{1,12}$/.test(whole)) return null
  if (/^\d{3}\.\d{1,6}$/.test(rest)) return `The comma splits the amount. Write ${whole}${rest}.`
  const next = columns[at + 1]
  const isPart = hasMore || next === 'name' || next === 'memo'
  return isPart && /^\d{1,3}$/.test(rest)
    ? `The comma splits the amount “${whole},${rest}”. Write it with a point, or without a comma.`
    : null
}

function readList(rows: unknown[]): ReadRun {
  if (bytesOf(JSON.stringify(rows)) > maxRunBytes) return tooLarge
  return withinLimits(rows, (row, at) => listedRow(row, at + 1))
}

/** A row of JSON, whose values are strings: a number may not be the amount that was meant. */
function listedRow(row: unknown, line: number): ReadRow {
  const cells = emptyCells()
  const wrong = (problem: string): ReadRow => ({ line, written: cells, row: null, problem })
  if (typeof row !== 'object' || row === null || Array.isArray(row))
    return wrong(`A row is an object with ${runColumns.join(', ')}.`)
  const problem = fill(cells, row as Record<string, unknown>)
  return problem === null ? readRow(line, cells) : wrong(problem)
}

/** Puts the values of a row of JSON into `cells`. Returns the first problem. */
function fill(cells: Cells, row: Record<string, unknown>): string | null {
  const filled = new Map<string, string>()
  let problem: string | null = null
  for (const [name, value] of Object.entries(row)) {
    const column = columnOf(name)
    if (column === null) problem ??= unknownColumn(name)
    else if (filled.has(column))
      problem ??= `${shown(filled.get(column)!)} and ${shown(name)} both mean ${shown(column)}.`
    else if (typeof value === 'string') cells[column] = value.replace(/\r\n?/g, '\n').trim()
    else if (value !== null && value !== undefined) {
      cells[column] = typeof value === 'object' ? '' : String(value)
      problem ??= `${shown(name)} must be text: write it in quotes (").`
    }
    if (column !== null) filled.set(column, name)
  }
  return problem
}

/**
 * Equal for equal rows, whatever the file looks like (delimiter, byte order mark, empty lines, names of columns): the input of
 * the hash that recognizes the same file. Rows with a problem count as they are written.
 */
export const canonicalRows = (rows: readonly ReadRow[]): string =>
  JSON.stringify(
    rows.map(({ row, written }) =>
      row
        ? [writtenRecipient(row.to), formatUsdc(row.amount), row.name, row.memo, row.reference]
        : { not: runColumns.map((column) => written[column]) },
    ),
  )
