/**
 * One user tries everything that costs gas, storage or messages, at full speed and under the default limits. The totals
 * stay under the bounds stated in docs/operations.md. DRAIN_HOURS and DRAIN_TRIES extend the run:
 * `npm run test:long drain` simulates a whole day.
 */

import { beforeAll, expect, test } from 'vitest'
import { paymentGas, stepGas } from '#domain/gasAllowance.ts'
import { dayMs, hourMs } from '#domain/time.ts'
import type { Recipient } from '#schemas/paymentTerms.ts'
import { defaultLimits } from '../../worker/domain/limits.ts'
import type { Principal } from '../../worker/treasury/core/rpcTypes.ts'
import { established } from '../../worker/treasury/limits/accountAge.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { groupEdit, owner, type PayFields, usdc } from '../support/build.ts'
import { historyRows } from '../support/histories.ts'
import { patient } from '../support/patience.ts'
import { createPayer, fresh, type Payer, prepare } from '../support/payer.ts'
import { env } from '../support/testEnv.ts'
import { inTreasury } from '../support/treasuries.ts'
import { party } from '../support/workerChain.ts'

const hours = Number((env as { DRAIN_HOURS?: string }).DRAIN_HOURS || 2)
const tries = Number((env as { DRAIN_TRIES?: string }).DRAIN_TRIES || 25)

beforeAll(prepare)

const sum = (rows: { n: number }[]) => rows.reduce((total, { n }) => total + n, 0)
const inObject = <T>(payer: Payer, read: (object: Treasury, state: DurableObjectState) => T) =>
  inTreasury(payer, (object, state) => read(object, state))

/** Makes every kind of call `tries` times in parallel. Refusals and failures are as good as successes. */
async function tryEverything(payer: Payer, round: number) {
  const treasury = payer.treasury()
  const times = (what: (i: number) => Promise<unknown>) =>
    Array.from({ length: tries }, (_, i) => what(i).catch(() => null))
  const pay = (over: PayFields) => payer.payment({ amount: usdc('0.1'), ...over })
  const email = (i: number): Recipient => ({ type: 'email', email: `victim${i}@example.com` })
  const agents = payer.principals
  const name = `${round} ${Math.random()}`.slice(0, 40)
  await Promise.all([
    ...agents.flatMap((principal) => times(() => treasury.payAsAgent(pay({ principal, amount: usdc('0.000001') })))),
    ...agents.flatMap((principal) => times((i) => treasury.payAsAgent(pay({ principal, to: email(i) })))),
    ...times(() => treasury.payAsAgent(pay({ amount: usdc('5000') }))),
    ...times(() =>
      treasury.checkPayment(agents[0]!, { to: { type: 'address', address: fresh('new') }, amount: usdc('1') }),
    ),
    ...times((i) => treasury.createPayout(pay({ principal: owner, to: email(i) }))),
    ...times((i) =>
      treasury.createPayout(pay({ principal: owner, to: { type: 'phone', phone: `+1415555${1000 + i}` } })),
    ),
    ...times(() =>
      treasury
        .policies()
        .editGroup(payer.group.id, groupEdit({ name, scopes: ['address_payments:write', 'email_payments:write'] })),
    ),
    ...times(() => treasury.policies().editAgent(agentId(payer), { name, memo: null })),
    ...times(() => treasury.wallets().rename(payer.wallet.id, name)),
    ...times((i) => treasury.wallets().deploy({ key: null, owner: party(`o${i}`).address, chainId: 8453, name: null })),
    ...times(() =>
      treasury.wallets().rotateSessionKey({ key: null, walletId: payer.wallet.id, limit: 1_000_000_000n, hours: 24 }),
    ),
    ...times(() =>
      treasury.wallets().offerSession({ key: null, walletId: payer.wallet.id, limit: 1_000_000_000n, hours: 24 }),
    ),
  ])
  const payouts = await inObject(payer, ({ context: { store } }) =>
    store.all<{ id: string }>('SELECT id FROM payout LIMIT 20'),
  )
  await Promise.all(
    payouts.flatMap(({ id }) => [
      treasury.resendCode(id, 'sender'),
      treasury.resendCode(id, 'recipient'),
      treasury.reclaim(id),
    ]),
  ).catch(() => null)
}
const agentId = ({ principals: [agent] }: Payer) => (agent as Principal & { type: 'agent' }).agentId

test(
  'gas, messages, rows and bytes of one user in a day stay under their bounds @limits-30',
  async () => {
    const payer = await createPayer({ funds: '5000', limit: null, agents: 3 })
    await payer.ledger()
    // The next midnight, so that the clock only moves forward.
    const midnight = Math.ceil(Date.now() / dayMs) * dayMs
    const sizeBefore = await inObject(payer, (_, { storage }) => storage.sql.databaseSize)
    for (let hour = 0; hour < hours; hour++) {
      await inObject(payer, ({ context }) => {
        // This level was written under the limits of other tests.
        if (hour === 0) context.store.run('DELETE FROM gas_level')
        context.limits = { ...defaultLimits }
        established(context).isKnown = true
        context.now = () => midnight + hour * hourMs
      })
      await tryEverything(payer, hour)
    }

    const figures = await inObject(payer, ({ context: { store } }, { storage }) => ({
      gas: store.all<{ principal: string; n: number }>(
        "SELECT principal, sum(gas) AS n FROM gas_use WHERE principal <> 'returned' GROUP BY principal = 'exit'",
      ),
      messages: store.all<{ channel: string; n: number }>(
        "SELECT channel, sum(count) AS n FROM sent_message WHERE recipient = '' AND principal <> '' GROUP BY channel",
      ),
      payments: sum(store.all("SELECT count(*) AS n FROM payment WHERE status <> 'POLICY_REJECTED'")),
      refusals: sum(store.all("SELECT count(*) AS n FROM payment WHERE status = 'POLICY_REJECTED'")),
      actions: sum(store.all('SELECT (SELECT count(*) FROM wallet_action) + (SELECT count(*) FROM wallet) AS n')),
      audit: sum(store.all('SELECT count(*) AS n FROM audit')),
      bytes: storage.sql.databaseSize - sizeBefore,
    }))
    const rows = sum(
      await historyRows<{ n: number }>(
        payer,
        'SELECT (SELECT count(*) FROM transaction_view) + (SELECT count(*) FROM payout_view) AS n',
      ),
    )
    console.log(`one user, ${hours} h of a day: ${JSON.stringify({ ...figures, rows })}`)

    // Per day, as docs/operations.md states them.
    const paid = Math.floor((defaultLimits.gasPerDay + defaultLimits.gasReturnedPerDay) / stepGas.send)
    expect(sum(figures.gas)).toBeLessThanOrEqual(defaultLimits.gasPerDay + defaultLimits.exitGasPerDay)
    expect(figures.payments).toBeLessThanOrEqual(paid)
    expect(figures.payments).toBeGreaterThan(0)
    expect(figures.refusals).toBeLessThanOrEqual(
      Math.min(defaultLimits.refusalsPerDay, hours * 60 * defaultLimits.refusalsPerMinute),
    )
    for (const { channel, n } of figures.messages)
      expect(n, channel).toBeLessThanOrEqual(
        // Codes that recipients request have a separate, equal limit.
        2 * (channel === 'email' ? defaultLimits.emailsPerDay : defaultLimits.smsPerDay),
      )
    expect(figures.actions).toBeLessThanOrEqual(defaultLimits.ownerActionsPerHour * (hours + 1))
    expect(rows).toBeLessThanOrEqual(2 * paid + defaultLimits.refusalsPerDay)
    const changes = defaultLimits.ownerChangesPerHour * (hours + 1)
    const written = figures.payments + figures.refusals + figures.actions + changes
    expect(figures.audit).toBeLessThanOrEqual(6 * figures.payments + figures.refusals + 4 * figures.actions + changes)
    expect(figures.bytes, 'at most 4 kB for each row that a limit allows').toBeLessThanOrEqual(4_096 * written)
    expect(paymentGas(false)).toBe(stepGas.send)
  },
  patient(600_000),
)
