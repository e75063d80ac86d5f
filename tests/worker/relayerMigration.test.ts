import { runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { migrate } from '../../worker/durable/migrations.ts'
import type { JobRef } from '../../worker/relayer/api.ts'
import { relayerMigrations } from '../../worker/relayer/migrations.ts'
import type { Relayer } from '../../worker/relayer/relayer.ts'
import { ReportOutbox } from '../../worker/relayer/reportOutbox.ts'
import { relayer, rows, setUpRelayers } from './relayerHarness.ts'

setUpRelayers(500)

const farAway = Date.now() + 3_600_000 // 1 hour
const ref: JobRef = { type: 'payment', paymentId: 'pay_1', version: 1 }

/** Everything an object of schema version 2 can hold, in each state. */
const version2 = `
  INSERT INTO account VALUES (1, 84532, 0, 8);
  INSERT INTO item (seq, id, user_id, kind, lane, target, data, scope, deadline, state, alone, queued_at, due_at, parks,
      failures, nonce, tx_hash, reason, finished_at, version, tell_at, tell_attempts, ref) VALUES
    (1, 'waiting', 'u', 'send', 'send', '0x01', '0x02', 's1', 9, 'waiting', 0, 10, 11, 0, 0, NULL, NULL, NULL, NULL, 0, NULL, 0, '${JSON.stringify(ref)}'),
    (2, 'parked', 'u', 'claim', 'call', '0x01', '0x02', NULL, 9, 'parked', 1, 12, 13, 3, 2, NULL, NULL, 'no funds', NULL, 4, 14, 5, NULL),
    (3, 'signed', 'u', 'send', 'send', '0x01', '0x02', 's3', 9, 'carried', 0, 15, 16, 0, 0, 7, NULL, NULL, NULL, 0, NULL, 0, NULL),
    (4, 'sent', 'v', 'send', 'send', '0x01', '0x02', 's4', 9, 'carried', 0, 17, 18, 0, 0, 7, '0xaa', NULL, NULL, 1, NULL, 0, NULL),
    (9, 'mined', 'v', 'send', 'send', '0x01', '0x02', 's5', 9, 'mined', 0, 19, 20, 0, 0, 6, '0xbb', NULL, 21, 2, 22, 0, NULL);
  INSERT INTO account_tx (nonce, kind, target, data, gas, state, created_at) VALUES (7, 'sends', '0x03', '0x04', 5, 'open', 23);
  INSERT INTO cargo VALUES (7, 0, 'signed'), (7, 1, 'sent');
  INSERT INTO attempt (hash, nonce, raw, empty, max_fee, max_priority_fee, created_at) VALUES
    ('0xaa', 7, '0x05', 0, '6', '7', 24), ('0xcc', 7, '0x06', 1, '8', '9', 25);
  INSERT INTO guard VALUES ('s1', 'content');
  INSERT INTO timer VALUES ('work', ${farAway}), ('tell', ${farAway + 1}), ('prune', ${farAway + 2});
`

test('an object of schema version 2 keeps its jobs, transactions, reports and alarms', async () => {
  const pending = await runInDurableObject(relayer(), async (_: Relayer, { storage }) => {
    await storage.deleteAll()
    migrate(storage, relayerMigrations, 2)
    storage.sql.exec(version2)
    migrate(storage, relayerMigrations)
    return new ReportOutbox(storage.sql).pendingReports(22)
  })

  expect(await relayer().status(['waiting', 'parked', 'signed', 'sent', 'mined'])).toEqual([
    { id: 'waiting', ref, state: 'waiting' },
    { id: 'parked', state: 'parked', reason: 'no funds' },
    { id: 'signed', state: 'waiting' },
    { id: 'sent', state: 'broadcast', txHash: '0xaa' },
    { id: 'mined', state: 'mined', txHash: '0xbb' },
  ])
  expect(pending.map(({ userId, versions }) => [userId, versions])).toEqual([
    ['u', [{ id: 'parked', version: 4 }]],
    ['v', [{ id: 'mined', version: 2 }]],
  ])
  expect(
    await rows(
      `SELECT id, state, isolated, queued_at, due_at, simulation_failures, chain_failures, nonce, finished_at,
         report_attempts FROM job WHERE state IN ('parked','in_flight','mined') ORDER BY seq`,
    ),
  ).toEqual([
    {
      ...{ id: 'parked', state: 'parked', isolated: 1, queued_at: 12, due_at: 13, simulation_failures: 3 },
      ...{ chain_failures: 2, nonce: null, finished_at: null, report_attempts: 5 },
    },
    {
      ...{ id: 'signed', state: 'in_flight', isolated: 0, queued_at: 15, due_at: 16, simulation_failures: 0 },
      ...{ chain_failures: 0, nonce: 7, finished_at: null, report_attempts: 0 },
    },
    {
      ...{ id: 'sent', state: 'in_flight', isolated: 0, queued_at: 17, due_at: 18, simulation_failures: 0 },
      ...{ chain_failures: 0, nonce: 7, finished_at: null, report_attempts: 0 },
    },
    {
      ...{ id: 'mined', state: 'mined', isolated: 0, queued_at: 19, due_at: 20, simulation_failures: 0 },
      ...{ chain_failures: 0, nonce: 6, finished_at: 21, report_attempts: 0 },
    },
  ])
  expect(await rows('SELECT * FROM batch_job ORDER BY position')).toEqual([
    { nonce: 7, position: 0, job_id: 'signed' },
    { nonce: 7, position: 1, job_id: 'sent' },
  ])
  expect(await rows('SELECT hash, is_cancellation FROM attempt ORDER BY seq')).toEqual([
    { hash: '0xaa', is_cancellation: 0 },
    { hash: '0xcc', is_cancellation: 1 },
  ])
  expect(await rows('SELECT kind, due_at FROM timer ORDER BY due_at')).toEqual([
    { kind: 'deliver', due_at: farAway },
    { kind: 'report', due_at: farAway + 1 },
    { kind: 'prune', due_at: farAway + 2 },
  ])
  // The harness parses signed transactions, which these bytes are not.
  await runInDurableObject(relayer(), (_: Relayer, { storage }) => storage.sql.exec('DELETE FROM attempt'))
})
