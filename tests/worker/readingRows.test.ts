/**
 * How many rows each call that every member may make reads in an account with 200,000 payments and 100,000 rows in its audit log,
 * and that none of its statements reads a whole table of those.
 * @module-tag all
 */
import { beforeAll, expect, test } from 'vitest'
import type { allowed, Call } from '#domain/roles.ts'
import { minuteMs } from '#domain/time.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { counted, scansOf } from '../support/countedRows.ts'
import { createPayer, manualChain, type Payer, prepare } from '../support/payer.ts'
import { paymentRow } from '../support/rows.ts'
import { inTreasury } from '../support/treasuries.ts'

const payments = 200_000
const auditRows = 100_000
/** Of a page, or of the days of a chart. */
const most = 3_000
const grown = ['audit', 'payment', 'payout', 'notice']

let payer: Payer

beforeAll(async () => {
  await prepare()
  payer = await createPayer({ on: manualChain, funds: '1000000', limit: '1000000' })
  await payer.ledger()
  const groupId = payer.group.id
  const agentId = `agt_${payer.userId}_0`
  await inTreasury(payer, ({ context: { store, userId, now } }) => {
    const numbers = (count: number) =>
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`
    const start = now() - payments * minuteMs
    const at = `${start} + i * ${minuteMs}`
    const row = paymentRow({
      id: "'pay_' || i",
      wallet_id: payer.wallet.id,
      group_id: groupId,
      agent_id: agentId,
      to_address: "'0x' || printf('%040d', i % 10000)" as never,
    })
    const computed = { id: row.id, to_address: row.to_address, created_at: at, accepted_at: at, confirmed_at: at }
    const columns = Object.entries({ ...row, ...computed })
    const literalOf = ([name, value]: [string, unknown]) =>
      name in computed || typeof value === 'number' ? value : value === null ? 'NULL' : `'${value}'`
    store.run(
      `INSERT INTO payment (${columns.map(([name]) => `"${name}"`)}) ${numbers(payments)} SELECT ${columns.map(literalOf)} FROM n`,
    )
    const last = store.first<{ seq: number; data: string }>(
      "SELECT max(seq) AS seq, (SELECT data FROM audit WHERE event = 'group.created') AS data FROM audit",
    )!
    // Two in a hundred are changes of the group, made by its owner; a notice tells of some.
    store.run(
      `INSERT INTO audit (seq, at, event, ref, data, "by", via, shown, previous, hash)
       ${numbers(auditRows)} SELECT ${last.seq} + i, ${start} + 2 * i * ${minuteMs},
         CASE WHEN i % 50 = 0 THEN 'group.changed' ELSE 'payment.accepted' END,
         CASE WHEN i % 50 = 0 THEN ?1 ELSE 'pay_' || i END, CASE WHEN i % 50 = 0 THEN ?2 ELSE '{}' END, ?3, NULL,
         CASE WHEN i % 50 = 0 THEN 'rules' END, '', '' FROM n`,
      groupId,
      last.data,
      userId,
    )
    store.auditHead = null
  })
}, 300_000)

type Readable = {
  [Name in keyof typeof allowed]: 'viewer' extends (typeof allowed)[Name][number] ? Name : never
}[keyof typeof allowed]
/** They change something, or are not a Treasury's own. */
type NotRead = 'notices.markRead' | 'people.leave' | 'contacts.read' | 'lists.read'

/** A call of the roles that is missing here does not compile. */
const readings: Record<Exclude<Readable, NotRead>, (treasury: Treasury) => unknown> = {
  transaction: (treasury) => treasury.transaction('pay_7'),
  escrow: (treasury) => treasury.escrow('pay_7'),
  'reports.overview': (treasury) => treasury.reports().overview(),
  'reports.balance': (treasury) => treasury.reports().balance(),
  'reports.usage': (treasury) => treasury.reports().usage(),
  'reports.spending': (treasury) => treasury.reports().spending({ days: 90, by: 'agent' }),
  'reports.budgetHistory': (treasury) => treasury.reports().budgetHistory(payer.group.id, { days: 90 }),
  'reports.agentNames': (treasury) => treasury.reports().agentNames([`agt_${payer.userId}_0`]),
  'reports.walletLedger': (treasury) => treasury.reports().walletLedger(payer.wallet.id),
  'wallets.list': (treasury) => treasury.wallets().list(),
  'wallets.balance': (treasury) => treasury.wallets().balance(payer.wallet.id),
  'wallets.sessionKey': (treasury) => treasury.wallets().sessionKey(payer.wallet.id),
  'policies.account': (treasury) => treasury.policies().account(),
  'policies.groups': (treasury) => treasury.policies().groups(),
  'policies.group': (treasury) => treasury.policies().group(payer.group.id),
  'policies.whitelist': (treasury) => treasury.policies().whitelist(payer.group.id),
  'policies.groupsWithContact': (treasury) => treasury.policies().groupsWithContact('contact_1'),
  'policies.rules': (treasury) => treasury.policies().rules(payer.group.id),
  'policies.agents': (treasury) => treasury.policies().agents(),
  'policies.agent': (treasury) => treasury.policies().agent(`agt_${payer.userId}_0`),
  'policies.refusals': (treasury) => treasury.policies().refusals(`agt_${payer.userId}_0`),
  'approvals.list': (treasury) => treasury.approvals().list({ status: 'all', limit: 25 } as never),
  'approvals.get': (treasury) => treasury.approvals().get('apr_1'),
  'approvals.grants': (treasury) => treasury.approvals().grants({ status: 'all', limit: 25 } as never),
  'approvals.settings': (treasury) => treasury.approvals().settings(),
  'runs.list': (treasury) => treasury.runs().list({ status: 'all', after: null }),
  'runs.get': (treasury) => treasury.runs().get('run_1'),
  'runs.rows': (treasury) => treasury.runs().rows('run_1', {} as never),
  'runs.export': (treasury) => treasury.runs().export('run_1'),
  'connections.list': (treasury) => treasury.connections().list(),
  'notices.list': (treasury) => treasury.notices().list(),
  'notices.count': (treasury) => treasury.notices().count(),
  'review.changes': (treasury) => treasury.review().changes({}, null),
  'review.log': (treasury) => treasury.review().log(auditRows / 2),
  'people.list': (treasury) => treasury.people().list(),
  'people.mayCall': (treasury) => treasury.people().mayCall('reports.usage' satisfies Call),
}

test.each(Object.entries(readings))(
  '%s reads no whole table, however many payments there are @answers-37',
  async (_, read) => {
    await inTreasury(payer, async (treasury, { storage }) => {
      const { all, statements } = await counted(storage, async () => read(treasury))
      const scans = statements.flatMap((query) =>
        scansOf(storage, query)
          .filter((detail) => grown.includes(detail.split(' ')[1]!))
          .map((detail) => `${detail}: ${query}`),
      )
      expect(scans).toEqual([])
      expect(all).toBeLessThanOrEqual(most)
    })
  },
)
