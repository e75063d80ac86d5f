/** What a run is said to pay on each day is what the limits then let it pay, and it leaves others their parts. */
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { utcDay } from '#domain/gasAllowance.ts'
import { withLimits } from '#domain/limits.ts'
import type { ReadRow } from '#domain/runs/row.ts'
import { minuteMs } from '#domain/time.ts'
import type { Block } from '../../worker/chain/types.ts'
import { migrate } from '../../worker/durable/migrations.ts'
import type { Env } from '../../worker/env.ts'
import type { GasPurpose } from '../../worker/relayer/api.ts'
import { relayerMigrations } from '../../worker/relayer/migrations.ts'
import { grantNewAccountGas } from '../../worker/relayer/newAccountGas.ts'
import { unwrap } from '../../worker/result.ts'
import type { PaymentRow, RunRowRow } from '../../worker/treasury/core/storage/rows.ts'
import { askForGas, correctGas } from '../../worker/treasury/limits/gas.ts'
import type { Gathered } from '../../worker/treasury/payments/needs.ts'
import { signQueued } from '../../worker/treasury/payments/sign.ts'
import { payRow } from '../../worker/treasury/runs/pay.ts'
import { runView } from '../../worker/treasury/runs/views.ts'
import { openKeys } from '../../worker/treasury/wallets/sessionKeys.ts'
import { payoutDraft, toEmail, usdc } from '../support/build.ts'
import { noLimits } from '../support/limits.ts'
import { createMemoryAccount, type MemoryAccount } from '../support/memoryAccount.ts'
import { storageOf } from '../support/memoryTreasury.ts'
import { readRow, runsOf } from '../support/runs.ts'

/** What a transfer to an address without USDC takes; a payout is announced too. */
const gas = { send: 63_000, announce: 40_000 }

/** An account of today, with the default limits and a Relayer that grants new accounts their gas. */
function createNewAccount(funds = '1000') {
  const limits = withLimits()
  const account = createMemoryAccount({ funds, limits })
  const { context, clock, store } = account
  store.run('UPDATE wallet SET created_at = ?', clock.now)
  const relayer = storageOf(new DatabaseSync(':memory:'))
  migrate(relayer, relayerMigrations)
  const grantGas = async (units: number, purpose: GasPurpose) =>
    grantNewAccountGas(relayer.sql, units, purpose, limits, clock.now)
  context.env = { ...context.env, RELAYER_SHARDS: '1', RELAYER: { getByName: () => ({ grantGas }) } } as unknown as Env
  return account
}

/** An approved run of these rows, and what its page said before. */
async function approvedRun(account: MemoryAccount, read: ReadRow[]) {
  const runs = runsOf(account)
  const { id } = unwrap(runs.create(read))
  await runs.check(id)
  unwrap(runs.submit(id))
  const { sentence } = runView(account.context, runs.runNow(id))
  expect(runs.approve(id)).toMatchObject({ ok: true })
  return { sentence, rows: () => runs.rows(id) }
}
const toAddresses = (count: number) => Array.from({ length: count }, (_, i) => readRow(i + 2, 1_000 + i, '1'))
const toMailboxes = (count: number) =>
  Array.from({ length: count }, (_, i) => readRow(i + 500, `person${i}@example.com`, '1'))

/** Pays the row as a turn of the run does. Whether it was handed over. */
async function pays({ context }: MemoryAccount, { run_id, n, amount, to_address }: RunRowRow): Promise<boolean> {
  const gathered: Gathered = {
    draft: to_address === null ? payoutDraft({ amount }) : null,
    lookup: to_address === null ? null : { address: to_address, found: 'clear' },
    ...{ refresh: 'done', arriving: usdc('0'), grants: { message: true } },
  }
  for (;;) {
    const paid = payRow(context, run_id, n, gathered)
    if (!('need' in paid)) return paid.ok
    if (paid.need !== 'gasGrant') throw new Error(`needs ${paid.need}`)
    gathered.grants.gas = await askForGas(context, paid.wallet.chain_id, paid.gas)
  }
}

function confirmAll({ context, store, confirm }: MemoryAccount): void {
  for (const { id, kind } of store.all<PaymentRow>("SELECT * FROM payment WHERE status = 'QUEUED'")) {
    confirm(id)
    correctGas(context, store.payment(id)!, 'send', gas.send)
    if (kind === 'payout') correctGas(context, store.payment(id)!, 'announce', gas.announce)
  }
}

test.each([
  { addresses: 120, mailboxes: 60 },
  { addresses: 200, mailboxes: 0 },
  { addresses: 0, mailboxes: 60 },
])('a new account’s $addresses addresses and $mailboxes mailboxes end on the forecast day @runs-30', async (size) => {
  const account = createNewAccount()
  const { clock } = account
  const { sentence, rows } = await approvedRun(account, [
    ...toAddresses(size.addresses),
    ...toMailboxes(size.mailboxes),
  ])

  const perDay: number[] = []
  const firstDay = utcDay(clock.now)
  while (utcDay(clock.now) - firstDay < 7) {
    const waiting = rows().filter(({ status }) => status === 'waiting')
    if (waiting.length === 0) break
    for (const row of waiting) {
      const day = utcDay(clock.now) - firstDay
      if (await pays(account, row)) perDay[day] = (perDay[day] ?? 0) + 1
    }
    confirmAll(account)
    clock.now += 15 * minuteMs
  }
  expect(perDay.reduce((sum, rows) => sum + rows, 0)).toBe(size.addresses + size.mailboxes)
  expect(sentence).toContain(`${perDay[0]} today, ${perDay[1]} tomorrow`)
})

test('a run that has used up its gas leaves an agent and the owner their parts @runs-31', async () => {
  const account = createNewAccount('100000')
  const { clock, store, context } = account
  const agent = account.addAgent(account.addGroup({ spendLimit: null, scopes: ['address_payments:write'] }))
  const { rows } = await approvedRun(account, toAddresses(300))
  for (const row of rows()) if (!(await pays(account, row))) break

  /** How many more payments this principal is let make today. */
  const accepted = async (principal: typeof agent | { type: 'user' }) => {
    for (let count = 0; ; count++) {
      clock.now += minuteMs // within every rate
      const pay = () => account.pay({ principal, amount: usdc('0.01') }, { grants: { gas: true } })
      let result = pay()
      while ('need' in result) {
        if (result.need !== 'gasGrant') throw new Error(`needs ${result.need}`)
        await askForGas(context, 8453, result.gas)
        result = pay()
      }
      if (!result.ok) return count
      confirmAll(account)
    }
  }
  const { gasPerDay } = withLimits()
  const { used } = store.first<{ used: number }>("SELECT sum(gas) AS used FROM gas_use WHERE principal = 'runs'")!
  expect(used).toBeGreaterThan(0.37 * gasPerDay)
  expect(used).toBeLessThanOrEqual(0.4 * gasPerDay)
  expect(await accepted(agent)).toBeGreaterThanOrEqual(Math.floor((0.4 * gasPerDay - 85_000) / gas.send))
  expect(await accepted({ type: 'user' })).toBeGreaterThanOrEqual(Math.floor((0.2 * gasPerDay - 85_000) / gas.send))
})

test('beside a run that has taken its slots, an agent still gets 24 and the owner 16 @runs-32', async () => {
  const { ownerSlots, agentInFlight } = withLimits()
  const account = createMemoryAccount({ limits: { ...noLimits, ownerSlots, agentInFlight } })
  const { context, store } = account
  const agent = account.addAgent(account.addGroup({ spendLimit: null, scopes: ['address_payments:write'] }))
  const { rows } = await approvedRun(account, toAddresses(60))
  for (const row of rows()) await pays(account, row)

  openKeys(context).set('wal:1', `0x${'11'.repeat(32)}`)
  const head = { number: 1, timestamp: Math.floor(context.now() / 1000), hash: '0x' } as unknown as Block
  const sign = () => store.transaction(() => signQueued(context, store.wallet('wal')!, head))
  const payAndSign = (principal: typeof agent | { type: 'user' }) => {
    for (let i = 0; i < 64; i++) expect(account.pay({ principal, amount: usdc('0.01') })).toMatchObject({ ok: true })
    return sign()
  }
  expect(sign(), 'the run').toBe(24)
  expect(payAndSign(agent), 'the agent').toBe(24)
  expect(payAndSign({ type: 'user' }), 'the owner').toBe(16)
})

test('beside a run that has sent its messages, an agent still sends half of the day’s @runs-33', async () => {
  const { emailsPerDay, agentMessagePercent } = withLimits()
  const account = createMemoryAccount({ limits: { ...noLimits, emailsPerDay, agentMessagePercent } })
  const agent = account.addAgent(account.addGroup({ spendLimit: null, scopes: ['email_payments:write'] }))
  const { rows } = await approvedRun(account, toMailboxes(150))
  let paid = 0
  for (const row of rows()) if (await pays(account, row)) paid += 1
  expect(paid, 'the run').toBe(100)
  let sent = 0
  while (sent < 150) {
    const to = toEmail(`agent${sent}@example.com`)
    const result = account.pay({ principal: agent, to }, { grants: { message: true } })
    if ('need' in result || !result.ok) break
    sent += 1
  }
  expect(sent, 'the agent').toBe(100)
})
