import type { Answer } from '#domain/answers.ts'
import { formatUsdc } from '#domain/money.ts'
import type { ChainName } from '#domain/networks.ts'
import { periodAt } from '#domain/periods.ts'
import { dayMs } from '#domain/time.ts'
import { formatUtcDays, type UtcDays } from '#domain/utcDays.ts'
import type { PaidSum, PaidTo, RuleSum } from '#schemas/answers.ts'
import type { AgentSums, PaidToWanted, PeriodWanted, RefusalSums } from './api.ts'
import { sumOfPeriod } from './periodSums.ts'

/** Answers from kept sums: what was paid to whom, and what agents asked for. They take as long for any number of payments. */

/** Rules and agents that one reply names. */
const maxRefusals = 100

export type All = <Row>(query: string, ...values: (string | number)[]) => Row[]

const usdc = (micro: number | null) => formatUsdc(BigInt(micro ?? 0))

/** The seller's host in the key of a recipient (sellerPair); empty for others. */
const host = "substr(recipient, 1, max(0, instr(recipient, ' ') - 1))"

/** Who was paid on one network: each recipient by itself, or the sellers by their hosts. */
export function paidTo(all: All, { by, period, limit, chain, now }: PaidToWanted): PaidTo {
  const { number, days, before } = periodAt(period, now)
  const isSeller = by === 'seller'
  const sums = `SELECT recipient, last_id, ${sumOfPeriod(period, number)} AS spent, ${sumOfPeriod(period, number - 1)} AS earlier
    FROM recipient_total WHERE chain = ?1 AND ${period} >= ${number - 1}${isSeller ? ` AND instr(recipient, ' ') > 0` : ''}`
  const paid = isSeller
    ? `SELECT ${host} AS recipient, max(last_id) AS last_id, sum(spent) AS spent, sum(earlier) AS earlier FROM (${sums}) GROUP BY 1`
    : sums
  type Total = { count: number; spent: number | null; earlier: number | null }
  const [total] = all<Total>(
    `SELECT count(*) AS count, sum(spent) AS spent, sum(earlier) AS earlier FROM (${paid}) WHERE spent > 0 OR earlier > 0`,
    chain,
  )
  type Row = Pick<PaidSum, 'contactId' | 'name' | 'recipient'> & {
    key: string
    id: string
    spent: number
    earlier: number
  }
  const rows = all<Row>(
    `SELECT paid.recipient AS key, last_id AS id, paid.spent, paid.earlier, contact_id AS contactId, name, address AS recipient
     FROM (SELECT * FROM (${paid}) WHERE spent > 0 OR earlier > 0 ORDER BY spent DESC, earlier DESC, recipient LIMIT ?2) AS paid
     JOIN counted ON counted.id = last_id ORDER BY paid.spent DESC, paid.earlier DESC, key`,
    chain,
    limit,
  )
  const rest = (sum: number | null, part: 'spent' | 'earlier') =>
    usdc(rows.reduce((left, row) => left - row[part], sum ?? 0))
  const { count, spent, earlier } = total!
  return {
    ...daysOf(days, before),
    spent: usdc(spent),
    earlier: usdc(earlier),
    rows: rows.map(({ key, id, spent, earlier, contactId, name, recipient }) => ({
      lastPaymentId: id,
      seller: isSeller ? key : key.includes(' ') ? key.slice(0, key.indexOf(' ')) : null,
      ...(isSeller ? { contactId: null, name: null } : { contactId, name }),
      recipient,
      spent: usdc(spent),
      earlier: usdc(earlier),
    })),
    others: { count: count - rows.length, spent: rest(spent, 'spent'), earlier: rest(earlier, 'earlier') },
  }
}

const daysOf = (days: UtcDays, before: UtcDays) => ({ days: formatUtcDays(days), daysBefore: formatUtcDays(before) })

const dayNumbers = ({ from, to }: UtcDays) =>
  JSON.stringify(Array.from({ length: (to - from) / dayMs }, (_, i) => from / dayMs + i))

type Sum = {
  answer: Answer
  chain: ChainName
  rules: string
  n: number
  amount: number
  needs: number | null
  lastId: string
}
const sumColumns =
  'answer, chain, rules, sum(n) AS n, sum(amount) AS amount, max(needs) AS needs, max(last_id) AS lastId'

/** What an agent asked for in the period and the one before, by what became of it and by rule. */
export function agentRequests(all: All, agentId: string, { period, now }: PeriodWanted): AgentSums {
  const { days, before } = periodAt(period, now)
  const read = (of: UtcDays) =>
    all<Sum>(
      `SELECT ${sumColumns} FROM json_each(?1) AS days JOIN decision_day
         ON day = days.value AND answer IN ('allowed', 'approved', 'waiting', 'denied', 'refused') AND agent_id = ?2
       GROUP BY answer, chain, rules ORDER BY amount DESC, answer, rules`,
      dayNumbers(of),
      agentId,
    )
  const earlier = read(before)
  return {
    ...daysOf(days, before),
    sums: read(days).map((sum) => ruleSum(all, sum)),
    earlier: earlier.map(({ answer, chain, n, amount }) => ({ answer, chain, count: n, amount: usdc(amount) })),
  }
}

/** What rules refused in the period, by agent and rule; most first. */
export function refusals(all: All, { period, now }: PeriodWanted): RefusalSums {
  const { days, before } = periodAt(period, now)
  const found = all<Sum & { agentId: string }>(
    `SELECT agent_id AS agentId, ${sumColumns} FROM json_each(?1) AS days JOIN decision_day
       ON day = days.value AND answer = 'refused' GROUP BY agent_id, chain, rules ORDER BY n DESC, amount DESC, agent_id, rules`,
    dayNumbers(days),
  )
  return {
    ...daysOf(days, before),
    rows: found.slice(0, maxRefusals).map(({ agentId, ...sum }) => ({ agentId, ...ruleSum(all, sum) })),
    others: found.slice(maxRefusals).reduce((count, { n }) => count + n, 0),
  }
}

function ruleSum(all: All, { answer, chain, rules, n, amount, needs, lastId }: Sum): RuleSum {
  const next =
    answer === 'refused'
      ? all<{ next: string | null }>(
          `SELECT body->>'$.refusal.next' AS next FROM transaction_view WHERE id = ?`,
          lastId,
        )[0]?.next
      : null
  return {
    ...{ answer, chain, rules: rules === '' ? [] : rules.split(','), count: n, amount: usdc(amount) },
    limitToPass: needs === null ? null : usdc(needs),
    next: next ?? null,
  }
}
