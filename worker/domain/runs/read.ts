import type { ReadRow } from './row.ts'

export type RunFile = { csv: string } | { rows: unknown[] }
/** The file as a whole can't be used: `line` if one is to blame. */
export type ReadRun = { ok: true; rows: ReadRow[] } | { ok: false; line: number | null; message: string }

export function readRun(_file: RunFile): ReadRun {
  return { ok: false, line: null, message: 'Not built yet.' }
}

/** Decodes an uploaded file. Used by the page. */
export function decodeRunFile(_bytes: Uint8Array): { ok: true; text: string } | { ok: false; message: string } {
  return { ok: false, message: 'Not built yet.' }
}

/** Equal for equal rows, whatever the file looks like: the input of the hash that recognizes the same file. */
export function canonicalRows(_rows: ReadRow[]): string {
  return ''
}
