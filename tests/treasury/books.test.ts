/** The files for accounting programs, over random months of an account: against its books, its lists, and hledger. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseUsdc } from '#domain/money.ts'
import { dayMs, hourMs } from '#domain/time.ts'
import type { Person } from '../../worker/appEnv.ts'
import { ok } from '../../worker/result.ts'
import { exportBooks } from '../../worker/services/books.ts'
import { paid } from '../support/book.ts'
import { addressOf, toAddress } from '../support/build.ts'
import { cases } from '../support/cases.ts'
import { linesOf } from '../support/csvLines.ts'
import { hasHledger, importBooks, type Posting, readBooks, withoutHledger } from '../support/hledger.ts'
import { createMemoryAccount } from '../support/memoryAccount.ts'
import { continueMonth, type Month, monthSteps, monthWith, type Step } from '../support/randomMonth.ts'

const isRead = hasHledger()
if (!isRead) console.log(withoutHledger)

/** Wallets have money from the first day on, as those on a chain do. */
const funded: Step[] = [0, 1, 2].map((which) => ({ do: 'deposit', which, amount: 900_000_000 }))
const settled: Step[] = [0, 1, 2].map((which) => ({ do: 'final', which }))
/** What the two wallets on Base have before the first step. */
const atStart = 200_000_000_000n
const firstDay = Date.UTC(2026, 10, 20)
const isoDay = (at: number) => new Date(at).toISOString().slice(0, 10)
const cents = (amount: bigint) => amount / 10_000n
const wholeCents = (steps: Step[]): Step[] =>
  steps.map((each) => ('amount' in each ? { ...each, amount: Math.ceil(each.amount / 10_000) * 10_000 } : each))
const total = (postings: Posting[]) => postings.reduce((sum, { amount }) => sum + amount, 0n)
const keyOf = ({ date, amount, code }: Posting) => `${date} ${amount} ${code}`

const start = (steps: Step[] = []) => monthWith([...funded, ...settled, ...steps])
/** Ends the day and the hour after it. Returns the days so far. */
function closeDay({ clock }: Month): number {
  clock.now = (Math.floor(clock.now / dayMs) + 1) * dayMs + hourMs
  return Math.floor((clock.now - firstDay) / dayMs)
}
const span = (from: number, to: number) => `${isoDay(firstDay + from * dayMs)}..${isoDay(firstDay + to * dayMs)}`
/** Two of these days, in order. */
const daysOf = (count: number, [one, other]: [number, number]) =>
  [one % count, other % count].sort((a, b) => a - b) as [number, number]
const someDays = fc.tuple(fc.nat(), fc.nat())

const signed = (text: string) => (text.startsWith('-') ? -1n : 1n) * parseUsdc(text.replace('-', ''))!
/** What the lines of the list's own file of these days add up to, in micro-USDC. */
const changeOf = (lines: Record<string, string>[], isIn: (day: string) => boolean) =>
  lines
    .filter((line) => line['Confirmed (UTC)'] && isIn(line['Confirmed (UTC)'].slice(0, 10)))
    .reduce((sum, line) => sum + signed(line['Balance change (USDC)']!), 0n)
const booked = ({ store }: Month) =>
  BigInt(
    store.first<{ sum: number }>(
      'SELECT sum(deposits + "returns" - "out" - withdrawn) AS sum FROM wallet WHERE chain_id = 8453',
    )!.sum,
  )

describe.skipIf(!isRead)('read by hledger', () => {
  test('the lines of any days add up to what they did to the wallets, and all lines to the wallets’ books @books-1', async () => {
    await fc.assert(
      fc.asyncProperty(monthSteps, someDays, fc.constantFrom('', 'wal', 'wal2', 'test'), async (steps, two, wallet) => {
        const month = await start(steps)
        const count = closeDay(month)
        const search = { ...(wallet && { wallet }), ...(wallet === 'test' && { network: 'base-sepolia' }) }
        const [from, to] = daysOf(count, two)
        const postings = readBooks(await month.lists.books({ format: 'xero', days: span(from, to), ...search }))
        const lines = await month.lists.transactionsCsv({ network: 'base', ...search })
        const [first, last] = span(from, to).split('..') as [string, string]
        const [before, until] = [changeOf(lines, (day) => day < first), changeOf(lines, (day) => day <= last)]
        expect(total(postings)).toBe(cents(until) - cents(before))
        for (const { date } of postings) expect(date >= first && date <= last).toBe(true)

        const all = readBooks(await month.lists.books({ format: 'xero', days: span(0, count - 1) }))
        expect(total(all)).toBe(cents(booked(month)) - cents(atStart))
        expect(new Set(all.map(({ code }) => code)).size, 'references are unique').toBe(all.length)
        month.close()
      }),
      { numRuns: cases(4, 20) },
    )
  })

  test('in whole cents, payments and purchases of any days add up to what the page says was spent @books-2', async () => {
    await fc.assert(
      fc.asyncProperty(monthSteps, someDays, async (steps, two) => {
        const month = await start(wholeCents(steps))
        const days = span(...daysOf(closeDay(month), two))
        const postings = readBooks(await month.lists.books({ format: 'xero', days }))
        const of = (what: string) => total(postings.filter(({ description }) => description.includes(`| ${what}`)))
        for (const [what, type] of [
          ['Payment', 'transfer'],
          ['Purchase', 'x402'],
        ] as const) {
          const { page } = await month.lists.transactions({ spent: days, type })
          expect([what, -of(what)]).toEqual([what, cents(parseUsdc(page.spent!.base)!)])
        }
        expect(postings.filter(({ code }) => code.startsWith('cents_'))).toEqual([])
        month.close()
      }),
      { numRuns: cases(3, 20) },
    )
  })

  test('what moves between two files of overlapping days is in them once, by date, amount and reference @books-3', async () => {
    await fc.assert(
      fc.asyncProperty(monthSteps, monthSteps, someDays, async (steps, later, two) => {
        const month = await start(steps)
        continueMonth(month, settled)
        const count = closeDay(month)
        const fileOf = (from: number, to: number) => month.lists.books({ format: 'xero', days: span(from, to) })
        const early = await fileOf(0, count - 1)
        continueMonth(month, later)
        const all = closeDay(month)
        const [from] = daysOf(count, two)
        const both = [...readBooks(early), ...readBooks(await fileOf(from, all - 1))]
        const once = new Map(both.map((posting) => [keyOf(posting), posting]))
        expect(total([...once.values()])).toBe(cents(booked(month)) - cents(atStart))
        expect([...once.keys()].sort()).toEqual(
          readBooks(await fileOf(0, all - 1))
            .map(keyOf)
            .sort(),
        )
        month.close()
      }),
      { numRuns: cases(2, 12) },
    )
  })

  test('the same days exported twice are the same file, which hledger imports once @books-4', async () => {
    const month = await start(fc.sample(monthSteps, { numRuns: 1, seed: 5 })[0]!)
    const days = { format: 'xero', days: span(0, closeDay(month) - 1) }
    const file = await month.lists.books(days)
    month.clock.now += 40 * dayMs
    expect(await month.lists.books(days)).toBe(file)
    const imported = importBooks(file, 2)
    expect(imported).toEqual([readBooks(file).length, readBooks(file).length])
    month.close()
  })
})

describe('lines', () => {
  const nasty = 'Ada, "Inc"\n=SUM(1); @x'
  const at = (account: ReturnType<typeof createMemoryAccount>, day: number) => {
    account.clock.now = firstDay + day * dayMs
  }

  test('each kind of move has its line, text stays text, and what moved nothing has none @books-5', async () => {
    const account = createMemoryAccount()
    await account.addContact({ id: 'contact_9', name: nasty, address: addressOf(9) })
    const own = `0x${'a'.repeat(40)}` as const
    at(account, 1)
    account.bookTransfer('wal', [addressOf(60), own, 50_000_000n])
    const group = account.addGroup({
      contacts: [{ id: 'contact_9', name: nasty, address: addressOf(9), email: null, phone: null }],
    })
    const agent = account.addAgent(group)
    at(account, 2)
    const to = { type: 'contact', contactId: 'contact_9' } as const
    const lookup = { address: addressOf(9), found: 'clear' as const }
    const sent = paid(
      account.pay({ principal: agent, to, amount: 1_250_000n, memo: 'Lunch,\n=1+1', reference: 'INV "7"' } as never, {
        lookup,
      }),
    )
    account.confirm(sent.id)
    const out = paid(account.pay({ to: toAddress(3), amount: 2_000_000n } as never))
    at(account, 3)
    // Accepted on the second day, moved on the third.
    account.confirm(out.id)
    paid(account.pay({ to: toAddress(4), amount: 3_000_000n } as never))
    account.clock.now += 1
    account.bookTransfer('wal', [own, addressOf(61), 4_000_000n])
    account.history.follow()
    at(account, 5)
    const days = { days: '2026-11-20..2026-11-23' }
    expect((await account.lists.books({ format: 'xero', ...days })).split('\r\n')).toEqual([
      '*Date,*Amount,Payee,Description,Reference',
      `2026-11-21,50.00,${addressOf(60)},Deposit,mov_wal_1_1`,
      `2026-11-22,-1.25,"Ada, ""Inc"" =SUM(1);' @x","Payment by agt_0, Lunch, =1+1, INV ""7""",${sent.id}`,
      `2026-11-23,-2.00,${addressOf(3)},Payment,${out.id}`,
      `2026-11-23,-4.00,${addressOf(61)},Withdrawal outside Bursar,mov_wal_4_1`,
      '',
    ])
    const quickbooks = linesOf(await account.lists.books({ format: 'quickbooks', ...days }))
    expect(quickbooks.map(({ Date: day, Amount }) => [day, Amount])).toEqual([
      ['11/21/2026', '50.00'],
      ['11/22/2026', '-1.25'],
      ['11/23/2026', '-2.00'],
      ['11/23/2026', '-4.00'],
    ])
    expect(quickbooks[1]!.Description).toBe(
      `Ada, "Inc" =SUM(1);' @x: Payment by agt_0, Lunch, =1+1, INV "7" [${sent.id}]`,
    )
    account.close()
  })

  test('payments below a cent are one line a day, and the balance in the books keeps to the wallet’s @books-6', async () => {
    const account = createMemoryAccount()
    at(account, 1)
    account.bookTransfer('wal', [addressOf(60), `0x${'a'.repeat(40)}`, 10_004_000n])
    let slow = ''
    for (const day of [2, 3]) {
      at(account, day)
      // Accepted on the first of these days, moved on the second.
      if (day === 2) slow = paid(account.pay({ to: toAddress(3), amount: 5_000n } as never)).id
      else account.confirm(slow)
      for (let i = 0; i < 4; i++) account.confirm(paid(account.pay({ to: toAddress(3), amount: 3_000n } as never)).id)
    }
    account.history.follow()
    at(account, 6)
    const file = (days: string) => account.lists.books({ format: 'xero', days })
    const lines = linesOf(await file('2026-11-20..2026-11-23')).map((line) => [
      line['*Date'],
      line['*Amount'],
      line.Reference,
    ])
    // 10.004 after the deposit, 9.992 and 9.975 after the two days.
    expect(lines).toEqual([
      ['2026-11-21', '10.00', 'mov_wal_1_1'],
      ['2026-11-22', '-0.01', 'cents_base_2026-11-22'],
      ['2026-11-23', '-0.02', 'cents_base_2026-11-23'],
    ])
    const alone = linesOf(await file('2026-11-23..2026-11-23'))
    expect(alone.map((line) => [line['*Amount'], line.Reference])).toEqual([['-0.02', 'cents_base_2026-11-23']])
    account.close()
  })

  test('a day is in a file once it has been over for an hour @books-7', async () => {
    const account = createMemoryAccount()
    const file = () => account.lists.books({ format: 'xero', days: '2026-11-20..2026-11-21' })
    at(account, 2)
    account.clock.now += hourMs - 1
    await expect(file()).rejects.toMatchObject({ code: 'invalid_input', field: 'days' })
    account.clock.now += 1
    expect(await file()).toBe('*Date,*Amount,Payee,Description,Reference\r\n')
    account.close()
  })

  test('a payment that could move only after months is in the file of the day on which it moved @books-9', async () => {
    const account = createMemoryAccount()
    const { id } = paid(account.pay({ to: toAddress(3), amount: 2_000_000n } as never))
    at(account, 90)
    account.confirm(id)
    account.history.follow()
    at(account, 92)
    const days = '2027-02-01..2027-02-28'
    account.clock.now += 20 * dayMs
    expect(linesOf(await account.lists.books({ format: 'xero', days })).map(({ Reference }) => Reference)).toEqual([id])
    account.close()
  })

  test('with more rows than an export reads, a file is whole or refused @books-10', { tags: ['all'] }, async () => {
    const { person, clock, close } = createMemoryAccount()
    at({ clock } as never, 60)
    const days = { from: firstDay + 50 * dayMs, to: firstDay + 55 * dayMs }
    /** The oldest row that is read was accepted this long before the first day. */
    const fileWith = (ageMs: number) => {
      const part = {
        rows: '[]',
        names: {},
        next: { side: 'after', sort: 'newest', key: days.from - ageMs, id: 'pay_1' },
      }
      const history = { balances: async () => ok([]), transactionSlice: async () => ok(part) }
      const env = { ...person.deps.env, HISTORY: { getByName: () => history } }
      return exportBooks({ ...person, deps: { ...person.deps, env } } as unknown as Person, { format: 'xero', days })
    }
    const [refused, whole] = await Promise.allSettled([fileWith(30 * dayMs), fileWith(32 * dayMs)])
    expect(refused).toMatchObject({ reason: { code: 'invalid_input', field: 'days' } })
    expect(whole).toMatchObject({ status: 'fulfilled' })
    close()
  })
})
