/**
 * `npm run test:long answers`: an account with 200,000 payments to 10,000 recipients and 100,000 rows in its audit log.
 *
 * First the CPU time of each answer on the busiest thread of workerd: at most 20 ms. Lists search a thousand rows at a time and let
 * others have their turn in between, so theirs is only printed. Then the payments of another account, while three tabs of this one
 * ask for all of them as often as the limits of calls allow: at most 1.2 times as long. Last the longest turn of each list: at most
 * 20 ms. Histories run in a second workerd, as in `filters-apart`. Needs Linux and a quiet machine. PAIRS, SAMPLES and CALLS change
 * the figures. Test id: @answers-41
 */
import { readdirSync, readFileSync } from 'node:fs'
import { decodeJwt } from 'jose'
import type { Contact } from '#schemas/contact.ts'
import { workerdOf } from '../../local/stack/processTree.ts'
import { defaultLimits } from '../../worker/domain/limits.ts'
import { periodAt } from '../../worker/domain/periods.ts'
import { dayMs, minuteMs } from '../../worker/domain/time.ts'
import { formatUtcDays } from '../../worker/domain/utcDays.ts'
import { noLimits } from '../support/limits.ts'
import { fileOf, withHistory, withTreasury } from '../support/objectFiles.ts'
import { createSender, type Sender } from '../support/stackClient.ts'
import { createTestStack, type TestStack } from '../support/testStack.ts'
import { longestTurnMs } from './answers/longestTurn.ts'
import { payBeside } from './tabs/payBeside.ts'

const figure = (name: string, value: number) => Number(process.env[name] ?? value)
const calls = figure('CALLS', 40)
const mostMs = 20
const payments = 200_000
const recipients = 10_000
const auditRows = 100_000
const openPayouts = 2_000
const { userCallsPerSecond, userCallBurst, userCallsAtOnce, userListsAtOnce, userSearchCost } = defaultLimits
const limits = { ...noLimits, userCallsPerSecond, userCallBurst, userCallsAtOnce, userListsAtOnce, userSearchCost }

/** Writes the rows while the Worker is down, and restarts it. */
async function fill(stack: TestStack, sender: Sender, contactId: string): Promise<void> {
  const token = await sender.token()
  const userId = decodeJwt(token).sub!
  const [agentId, walletId, groupId] = [sender.agents[0]!.id, sender.wallet.id, sender.groupId]
  await stack.bursar.api('/transactions/user', { token })
  await stack.stopWorker()
  const now = Date.now()
  const numbers = (count: number) =>
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`
  const id = `'pay_' || printf('%06d', i)`
  // Ids begin with their time, so rows of one time lie together.
  const at = `${now} - (${payments} - i) * ${(90 * dayMs) / payments}`
  const address = `'0x' || printf('%040d', i % ${recipients})`
  const isPurchase = `i % ${recipients} < ${recipients / 10}`
  const body = `json_object('id', ${id}, 'category', 'address', 'status', 'CONFIRMED', 'amountUsdc', '1', 'createdAt',
    '2026-01-01T00:00:00.000Z', 'agentId', '${agentId}', 'agent', json_object('name', 'Scout'), 'contactId', NULL, 'contact', NULL,
    'toAddress', ${address}, 'fromWalletId', '${walletId}', 'fromWallet', json_object('name', 'Ops', 'address', 'x'),
    'fromWalletChain', 'base', 'txHash', '0x' || hex(randomblob(32)), 'memo', 'Invoice ' || i, 'reference', NULL,
    'errorMessage', NULL, 'recipientEmail', NULL, 'recipientPhone', NULL, 'escrowId', NULL, 'refusal', NULL, 'timeline', json_object())`
  withHistory(stack.stateDir, userId, (db) =>
    db.exec(`BEGIN;
      INSERT INTO counted (id, chain, wallet_id, at, amount, state, method, spent_at, recipient, address)
      ${numbers(payments)} SELECT ${id}, 'base', '${walletId}', ${at}, 1 + i % 5000, 'confirmed', 'address', ${at},
        CASE WHEN ${isPurchase} THEN 'api' || (i % 500) || '.example.com ' ELSE '' END || ${address}, ${address} FROM n;
      INSERT INTO decision (id, group_id, agent_id, at, n, chain, answer, rules, amount, needs, body)
      ${numbers(payments)} SELECT ${id}, '${groupId}', CASE WHEN i % 40 = 0 THEN '${agentId}' ELSE 'agt_' || (i % 40) END, ${at}, i, 'base',
        CASE WHEN i % 10 = 0 THEN 'refused' ELSE 'allowed' END, CASE WHEN i % 10 = 0 THEN 'group.max_payment' ELSE '' END,
        1 + i % 5000, 5, '{}' FROM n;
      INSERT INTO transaction_view (id, seq, created_at, status, category, amount, wallet_id, chain, agent_id, group_id, contact_id, body)
      ${numbers(payments)} SELECT ${id}, 1, ${at}, 'CONFIRMED', 'address', 1 + i % 5000, '${walletId}', 'base', '${agentId}', '${groupId}',
        CASE WHEN i % 1000 = 0 THEN '${contactId}' END, ${body} FROM n;
      INSERT INTO payout_view (id, seq, created_at, status, amount, chain, expires_at, body)
      ${numbers(openPayouts)} SELECT ${id}, 1, ${now} - i * ${minuteMs}, 'CREATED', 1000000, 'base', ${now} + i * 15 * ${minuteMs},
        json_object('id', ${id}, 'status', 'CREATED', 'createdAt', '2026-01-01T00:00:00.000Z', 'expiresAt', '2026-12-30T00:00:00.000Z') FROM n;
      COMMIT;`),
  )
  withTreasury(stack.stateDir, userId, (db) => {
    const { seq } = db.prepare('SELECT max(seq) AS seq FROM audit').get() as { seq: number }
    db.exec(`INSERT INTO audit (seq, at, event, ref, data, "by", via, shown, previous, hash)
      ${numbers(auditRows)} SELECT ${seq} + i, ${now} - ${auditRows} * ${minuteMs} + i * ${minuteMs},
        CASE WHEN i % 100 = 0 THEN 'agent.created' ELSE 'account.limits_set' END, 'agt_' || i, '{"group":"grp"}',
        CASE WHEN i % 1000 = 0 THEN 'operator' ELSE '${userId}' END, NULL, CASE WHEN i % 100 = 0 THEN 'agents' ELSE 'account' END,
        '', '' FROM n`)
  })
  await stack.restartWorker()
}

/** CPU time of each thread of workerd so far, in ms. */
function threadsMs(): Map<string, number> {
  const tasks = workerdOf(process.pid).flatMap((pid) =>
    readdirSync(`/proc/${pid}/task`).map((tid) => `/proc/${pid}/task/${tid}`),
  )
  return new Map(
    tasks.map((task) => {
      const fields = readFileSync(`${task}/stat`, 'utf8').split(') ')[1]!.split(' ')
      return [task, (Number(fields[11]) + Number(fields[12])) * 10]
    }),
  )
}

await using stack = await createTestStack({
  lean: true,
  historyApart: true,
  vars: { LIMITS: JSON.stringify(limits) },
})
const sender = await createSender(stack, { funds: '10', limit: 10 })
const token = await sender.token()
const contact = await stack.bursar.api<Contact>('/contacts', {
  token,
  body: { name: 'Ada', address: `0x${'7'.padStart(40, '0')}` },
})
console.log(`writing ${payments.toLocaleString('en-US')} payments …`)
await fill(stack, sender, contact.id)

const [agentId] = sender.agents.map(({ id }) => id)
const days = formatUtcDays(periodAt('month', Date.now()).days)
const answers = [
  ...['month', 'week'].flatMap((period) => [
    `/usage/recipients?period=${period}&limit=100`,
    `/usage/recipients?period=${period}&limit=100&by=seller`,
    `/usage/agents/${agentId}?period=${period}`,
    `/usage/refusals?period=${period}`,
  ]),
  ...[
    '/changes',
    '/changes?kind=rules,agents',
    '/changes?by=owner',
    '/changes?by=operator&kind=agents',
    '/changes?made=true',
  ],
]
const plainLists = [
  `/transactions/user?wallet=${sender.wallet.id}&group=${sender.groupId}`,
  `/transactions/user?wallet=${sender.wallet.id}&sort=largest`,
  `/transactions/user?sender=${agentId}&requested=${days}&answer=refused&rules=group.max_payment`,
  ...['/escrow/list?expiresWithinDays=7&sort=soonest', '/escrow/list?sort=latest'],
]
/** Those that the service resolves first: a person's ways to be paid. */
const lists = [
  ...plainLists,
  `/transactions/user?figure=paid&contact=${contact.id}`,
  `/transactions/user?seller=api7.example.com&spent=${days}`,
  `/transactions/user?recipientOf=pay_000777&spent=${days}`,
]

let isCheap = true
for (const path of ['/people/accounts', ...answers, ...lists]) {
  await stack.bursar.api(path, { token }) // warms up
  const before = threadsMs()
  for (let i = 0; i < calls; i++) await stack.bursar.api(path, { token })
  const cpu = [...threadsMs()].map(([task, ms]) => (ms - (before.get(task) ?? 0)) / calls).sort((a, b) => b - a)
  const sum = cpu.reduce((total, ms) => total + ms, 0)
  const isBad = answers.includes(path) && cpu[0]! > mostMs
  if (isBad) isCheap = false
  console.log(
    `${cpu[0]!.toFixed(1)} ms of a thread, ${sum.toFixed(1)} of all threads: ${path}${isBad ? '  TOO MUCH' : ''}`,
  )
}

const isFair = await payBeside(stack, {
  ...{ accessToken: token, paths: [...answers, ...lists], count: 3, most: 1.2, what: 'the answers' },
  ...{ pairs: figure('PAIRS', 10), samples: figure('SAMPLES', 30) },
})

await stack.stopWorker()
for (const path of plainLists) {
  const turn = await longestTurnMs(fileOf(stack.stateDir, 'History', decodeJwt(token).sub!), path)
  if (turn > mostMs) isCheap = false
  console.log(`${turn.toFixed(1)} ms is the longest turn: ${path}`)
}
process.exitCode = isCheap && isFair ? 0 : 1
