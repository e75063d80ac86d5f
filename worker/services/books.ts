import { type BookFormat, booksClosedUntil } from '#domain/books.ts'
import { type Cell, csvLine } from '#domain/csv.ts'
import type { ListCursor, TransactionCategory } from '#domain/lists.ts'
import { formatUsdcText, parseUsdc } from '#domain/money.ts'
import { balanceChange } from '#domain/movements.ts'
import { chainNameOf } from '#domain/networks.ts'
import { noteNames } from '#domain/paymentNotes.ts'
import { dayMs } from '#domain/time.ts'
import { hostOf } from '#domain/x402/seller.ts'
import type { BooksQuery } from '#schemas/lists.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type { Person } from '../appEnv.ts'
import { primaryChain } from '../chain/networkSettings.ts'
import { nextTurn } from '../durable/turns.ts'
import { AppError } from '../errors.ts'
import { exportedAtOnce, type Slice } from '../history/api.ts'
import { historyOf } from '../historyOf.ts'
import { type Result, unwrap } from '../result.ts'
import { csvType, exportedRows, fileReply, pauseMs } from './csvFile.ts'
import { namedRows } from './lists.ts'

/**
 * Files for accounting programs: the bank statement of a wallet, or of all wallets on a network. Only money that moved has a
 * line, on the UTC day on which it was booked, which never changes once the day is closed.
 */

/** A payment moves within minutes of being accepted, or when operators let wallets sign again. */
const movesWithinMs = 31 * dayMs

export async function exportBooks(person: Person, { format, days, wallet, network }: BooksQuery): Promise<Response> {
  const { deps, accountId, callerId } = person
  const [now, chain] = [deps.now(), network ?? chainNameOf(primaryChain(deps.env))]
  if (days.to > booksClosedUntil(now))
    throw new AppError('invalid_input', 'The last day must have ended, in UTC, an hour ago.', { field: 'days' })
  const history = historyOf(deps.env, accountId)
  const balances = unwrap(await history.balances(callerId, 0, days.from))
  const own = balances.filter((one) => one.chain === chain && (wallet === undefined || one.walletId === wallet))
  const query = { now, network: chain, wallet, movedFrom: days.from, to: days.to }
  const moved = await allMoved((cursor) => history.transactionSlice(callerId, query, cursor), days.from)
  const before = moved.filter((row) => Date.parse(row.createdAt) < days.from)
  // Balances belong to the day of acceptance, lines to that of the move.
  const opening = own.reduce((sum, { closing }) => sum + micro(closing), 0n) - sumOf(before)
  const lines = linesOf(
    moved.filter((row) => movedAt(row) < days.to),
    { opening, account: wallet ?? chain },
  )
  const { header, cells } = formats[format]
  const name = `bursar-${format}-${isoDay(days.from)}-to-${isoDay(days.to - dayMs)}.csv`
  return fileReply([header, ...lines.map(cells)].map(csvLine).join(''), { name, type: csvType })
}

/**
 * What moved since `from` (ms), newest first. Lists find rows by when they were accepted, so all are read, or as many as an export
 * may, as long as those reach back far enough.
 */
async function allMoved(
  slice: (cursor: ListCursor | null) => Promise<Result<Slice>>,
  from: number,
): Promise<Transaction[]> {
  const moved: Transaction[] = []
  let cursor: ListCursor | null = null
  for (let read = exportedAtOnce; ; read += exportedAtOnce) {
    const part: { rows: Transaction[]; next: ListCursor | null } = await namedRows<Transaction>(slice, cursor)
    moved.push(...part.rows.filter((row) => balanceChange(row) !== 0n))
    cursor = part.next
    if (cursor === null) return moved
    if (read >= exportedRows) break
    await nextTurn(pauseMs)
  }
  if (cursor.key < from - movesWithinMs) return moved
  const message = 'These are too many transactions for one file. Choose fewer or later days.'
  throw new AppError('invalid_input', message, { field: 'days' })
}

type Line = { day: string; cents: bigint; payee: string; text: string; reference: string }

/**
 * Accounting programs know whole cents. A line is its amount without the fraction of a cent, and what the fractions of a day add
 * up to is a line of its own, so that the balance in the books is always the wallet's without its fraction of a cent.
 * `opening`: the balance before, in micro-USDC. `account` tells the lines about fractions of different files apart.
 */
function linesOf(rows: Transaction[], { opening, account }: { opening: bigint; account: string }): Line[] {
  const days = [...Map.groupBy(rows, (row) => isoDay(movedAt(row)))].sort(([a], [b]) => (a < b ? -1 : 1))
  let balance = opening
  return days.flatMap(([day, rowsOfDay]) => {
    const before = balance
    balance += sumOf(rowsOfDay)
    const lines = rowsOfDay
      .sort((a, b) => movedAt(a) - movedAt(b) || (a.id < b.id ? -1 : 1))
      .map((row) => lineOf(row, day))
      .filter(({ cents }) => cents !== 0n)
    const fractions = centsOf(balance) - centsOf(before) - lines.reduce((sum, { cents }) => sum + cents, 0n)
    const rest = { day, cents: fractions, payee: '', text: 'Fractions of a cent', reference: `cents_${account}_${day}` }
    return fractions === 0n ? lines : [...lines, rest]
  })
}

const centsOf = (amount: bigint) => amount / 10_000n
const micro = (text: string) => (text.startsWith('-') ? -parseUsdc(text.slice(1))! : parseUsdc(text)!)
const sumOf = (rows: Transaction[]) => rows.reduce((sum, row) => sum + balanceChange(row), 0n)
const movedAt = ({ timeline }: Transaction) => Date.parse(timeline.confirmedAt!)
const isoDay = (at: number) => new Date(at).toISOString().slice(0, 10)

function lineOf(row: Transaction, day: string): Line {
  const { id, agent, origin, category } = row
  const what = origin === null ? words[category] : movementWords[`${category} ${origin}`]
  const text = [agent ? `${what} by ${agent.name}` : what, row.resource, ...noteNames.map((name) => row[name])]
  return {
    ...{ day, cents: centsOf(balanceChange(row)), payee: oneLine(otherSideOf(row)), reference: id },
    text: oneLine(text.filter(Boolean).join(', ')),
  }
}

/** Importers count lines. */
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

const words: Partial<Record<TransactionCategory, string>> = {
  ...{ contact: 'Payment', address: 'Payment', x402: 'Purchase' },
  ...{ escrow: 'Payout', escrow_reclaim: 'Payout returned' },
}
const movementWords: Record<string, string> = {
  'deposit transfer': 'Deposit',
  'deposit small': 'Deposits below 0.01 USDC',
  'deposit start': 'Balance when the wallet was added',
  'withdrawal owner': 'Withdrawal',
  'withdrawal transfer': 'Withdrawal outside Bursar',
}

const otherSideOf = ({ category, contact, resource, toWallet, ...row }: Transaction): string =>
  category === 'deposit'
    ? (row.fromAddress ?? '')
    : (contact?.name ??
      row.recipientEmail ??
      row.recipientPhone ??
      (resource ? hostOf(resource) : null) ??
      toWallet?.name ??
      row.toAddress ??
      '')

const amount = ({ cents }: Line): Cell => ({ decimal: formatUsdcText(cents * 10_000n) })

/** QuickBooks has no column for the reference. */
const formats: Record<BookFormat, { header: string[]; cells: (line: Line) => Cell[] }> = {
  xero: {
    header: ['*Date', '*Amount', 'Payee', 'Description', 'Reference'],
    cells: (line) => [line.day, amount(line), line.payee, line.text, line.reference],
  },
  quickbooks: {
    header: ['Date', 'Description', 'Amount'],
    cells: (line) => {
      const [year, month, date] = line.day.split('-')
      const text = [line.payee, line.text].filter(Boolean).join(': ')
      return [`${month}/${date}/${year}`, `${text} [${line.reference}]`, amount(line)]
    },
  },
}
