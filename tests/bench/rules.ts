/**
 * CPU time of accepting an agent's payment, without signing: six rules, four of which count over time, against none.
 * Alternates short slices of both, each on an account of its own, and prints the median of each and of their ratios:
 * `npm run bench:rules`. Exits with 1 if six rules cost more than a tenth.
 */
import type { RuleEdits } from '#domain/rules/values.ts'
import { createApprovalBook } from '../support/approvalBook.ts'
import { toAddress, usdc } from '../support/build.ts'

const pairs = 12
const payments = 300
const most = 1.1

const everyDay = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const limit = usdc('10000')
const sixRules: RuleEdits = {
  maxPayment: usdc('100'),
  hours: { days: everyDay, from: '00:00', to: '23:59', zone: 'Europe/Berlin', whenExceeded: 'refuse' },
  periodBudget: { period: 'day', limit },
  rollingBudget: { hours: 24, limit },
  maxPayments: { per: 'hour', count: 100_000, whenExceeded: 'refuse' },
  perRecipient: { period: 'week', limit, whenExceeded: 'refuse' },
}

/** Returns a function that pays and returns the CPU time of one payment (µs). */
function createPayer(rules: RuleEdits): () => number {
  const book = createApprovalBook(rules, limit)
  const agent = book.addAgent()
  let paid = 0
  return () => {
    const before = process.threadCpuUsage()
    for (let i = 0; i < payments; i++) {
      paid += 1
      book.clock.now += 500
      const result = book.ask(agent, toAddress(1 + (paid % 50)), usdc((paid / 1_000_000).toFixed(6)))
      if (!result.ok) throw new Error(result.message)
    }
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / payments
  }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

const [none, six] = [createPayer({}), createPayer(sixRules)]
none()
six()
const found = Array.from({ length: pairs }, (_, i) => {
  const first = i % 2 ? six() : none()
  return i % 2 ? { six: first, none: none() } : { none: first, six: six() }
})
const ratio = median(found.map((pair) => pair.six / pair.none))
const micro = (rules: 'none' | 'six') => `${rules} ${median(found.map((pair) => pair[rules])).toFixed(0)} µs`
console.log(`CPU per payment: ${micro('none')}, ${micro('six')}, ratio ${ratio.toFixed(2)} (at most ${most})`)
if (ratio > most) process.exitCode = 1
