/** hledger, a plain-text accounting program, which reads the file for Xero as an accountant's program does. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canInstall, installPackages } from '../../local/tools/debian.ts'
import { linesOf } from './csvLines.ts'

const rules = join(import.meta.dirname, '../../docs/xero.rules')
const hledger = (...args: string[]) => spawnSync('hledger', args, { encoding: 'utf8' })

export const hasHledger = () => hledger('--version').status === 0

export const withoutHledger = 'skipped: tests/treasury/books.test.ts in part, because there is no hledger'

/** Installs it if it may. */
export async function findHledger(say: (line: string) => void): Promise<void> {
  if (!hasHledger() && canInstall()) {
    say('installing hledger …')
    await installPackages('hledger').catch((error) => say(`apt-get could not install hledger:\n${error}`))
  }
  if (!hasHledger()) say(withoutHledger)
}

/** A change of the account's balance. `amount` in cents. */
export type Posting = { date: string; code: string; description: string; amount: bigint }

function inFolder<T>(csv: string, work: (file: string, run: (...args: string[]) => string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-books-'))
  const file = join(folder, 'books.csv')
  writeFileSync(file, csv)
  writeFileSync(join(folder, 'journal'), '')
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = hledger('--rules-file', rules, ...args)
    if (status !== 0) throw new Error(stderr)
    return stdout
  }
  try {
    return work(file, run)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What hledger makes of a file. */
export const readBooks = (csv: string): Posting[] =>
  inFolder(csv, (file, run) =>
    linesOf(run('-f', file, 'print', '-O', 'csv').replaceAll('\n', '\r\n'))
      .filter(({ account }) => account === 'assets:bursar')
      .map(({ date, code, description, amount }) => ({
        ...{ date: date!, code: code!, description: description! },
        amount: BigInt(amount!.replace(/[^\d-]/g, '')),
      })),
  )

/** How many transactions hledger has after each of `times` imports of the same file. */
export const importBooks = (csv: string, times: number): number[] =>
  inFolder(csv, (file, run) =>
    Array.from({ length: times }, () => {
      run('-f', join(file, '../journal'), 'import', file)
      return run('-f', join(file, '../journal'), 'print', '-O', 'csv')
        .split('\n')
        .filter((line) => line.includes('"assets:bursar"')).length
    }),
  )
