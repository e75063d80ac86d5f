import { readText } from '#domain/readers/text.ts'
import { runTemplate } from '#domain/runs/template.ts'
import { runTitle } from '#domain/runs/texts.ts'
import { saveFile } from '#web/lib/saveFile.ts'

/** `csv` is the text of the rows, empty while the file `fileName` is read; `fileName` is empty if they were pasted. */
export type NewRun = { title: string; walletId: string; csv: string; fileName: string }

/** Why a title is refused, or null. */
export function titleProblem(title: string): string | null {
  const read = readText(runTitle, title)
  return 'problem' in read ? read.problem : null
}

/** 'Line 12: There is …' */
export const problemOf = ({ line, message }: { line: number | null; message: string }) =>
  line === null ? message : `Line ${line}: ${message}`

/** Downloads a file to start from, with the mark by which spreadsheets know UTF-8. */
export const saveTemplate = (): void =>
  saveFile(new Blob(['\ufeff', runTemplate], { type: 'text/csv' }), 'bursar-run.csv')
