/**
 * CPU time of an agent's payment, from the call to its confirmation: six rules, four of which count over time, against none.
 * Alternates short slices of both, each from an account of its own on the same Worker, and prints the median of each and of
 * their ratios: `npm run bench:rules`. Exits with 1 if six rules cost more than a tenth.
 */
import { readFileSync } from 'node:fs'
import type { WalletLedger } from '#schemas/wallet.ts'
import { until } from '../../local/client.ts'
import { addressFor, createSender, definite } from '../support/stackClient.ts'
import { createTestStack } from '../support/testStack.ts'

const pairs = 12
const payments = 300
const connections = 6
const most = 1.1

const limit = '10000'
const sixRules = {
  maxPayment: '100',
  hours: {
    days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
    from: '00:00',
    to: '23:59',
    zone: 'Europe/Berlin',
    whenExceeded: 'refuse',
  },
  periodBudget: { period: 'day', limit },
  rollingBudget: { hours: 24, limit },
  maxPayments: { per: 'hour', count: 100_000, whenExceeded: 'refuse' },
  perRecipient: { period: 'week', limit, whenExceeded: 'refuse' },
}

await using stack = await createTestStack({ lean: true })
const { bursar } = stack

/** CPU time of workerd so far (ms); the clock of /proc counts hundredths of a second. */
function cpuMs(): number {
  const fields = readFileSync(`/proc/${stack.workerdPid()}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Returns a function that pays, waits until all is confirmed, and returns the CPU time of one payment (ms). */
async function createPayer(rules: object): Promise<() => Promise<number>> {
  const sender = await createSender(stack, { funds: '1000', limit: 1000 })
  const path = `/policy-groups/${sender.groupId}`
  const body = { name: 'Group', scopes: ['address_payments:write'], ...rules }
  await bursar.api(path, { token: await sender.token(), method: 'PUT', body })
  const [agent] = sender.agents
  let paid = 0
  return async () => {
    const before = cpuMs()
    const last = paid + payments
    const connection = async () => {
      while (paid < last) {
        const n = ++paid
        const body = { to: { type: 'address', address: addressFor(`recipient ${n % 50}`) }, amount: '0.01' }
        const call = async () => ({ token: agent!.apiKey, key: `payment-${n}`, body })
        const { status } = await definite(bursar, '/v1/payments', call)
        if (status !== 201) throw new Error(`payment ${n} was answered ${status}`)
      }
    }
    await Promise.all(Array.from({ length: connections }, connection))
    await until('all payments confirmed', async () => {
      const { held } = await bursar.api<WalletLedger>(`/wallets/${sender.wallet.id}/ledger`, {
        token: await sender.token(),
      })
      return held === '0'
    })
    return (cpuMs() - before) / payments
  }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

const [none, six] = [await createPayer({}), await createPayer(sixRules)]
await none()
await six()
const found: { none: number; six: number }[] = []
for (let i = 0; i < pairs; i++) {
  const [first, second] = i % 2 ? [six, none] : [none, six]
  const [a, b] = [await first(), await second()]
  found.push(i % 2 ? { six: a, none: b } : { none: a, six: b })
}
const ratio = median(found.map((pair) => pair.six / pair.none))
const figure = (rules: 'none' | 'six') => `${rules} ${median(found.map((pair) => pair[rules])).toFixed(1)} ms`
console.log(`CPU per payment: ${figure('none')}, ${figure('six')}, ratio ${ratio.toFixed(2)} (at most ${most})`)
if (ratio > most) process.exitCode = 1
