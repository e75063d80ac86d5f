/** The first steps of a Treasury that was put back to an earlier time, tested with its real tables. */
import { expect, test } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import { RestoreGate } from '../../worker/durable/restoreGate.ts'
import { toAppError } from '../../worker/failure.ts'
import { audit, verifyAudit } from '../../worker/treasury/ledger/audit.ts'
import { begin } from '../../worker/treasury/restore/begin.ts'
import { restoreState } from '../../worker/treasury/restore/state.ts'
import { usdc } from '../support/build.ts'
import { createMemoryTreasury } from '../support/memoryTreasury.ts'

test('a restore first revokes everything that the owner may have forbidden since @restore-14', () => {
  const { context, store, clock } = createMemoryTreasury(usdc('100'), usdc('100'))
  store.setMeta('edition', '7')
  store.run("UPDATE session SET sealed_key = 'v1.a.b'")
  store.run("UPDATE wallet SET sealed_key = 'v1.c.d'")
  store.run(
    `INSERT INTO approval (id, kind, status, agent_id, group_id, wallet_id, credential_hash, payment_id, to_type, amount, asked,
       content, policy_version, asked_at, expires_at)
     VALUES ('apr', 'payment', 'PENDING', 'a', 'g', 'wal', 'h', 'pay', 'address', 1, '[]', 'c', 1, 1, 2)`,
  )
  store.run(
    `INSERT INTO approval_grant (id, approval_id, agent_id, group_id, address, spend_limit, created_at, created_by, ends_at)
     VALUES ('gnt', 'apr', 'a', 'g', '0x', 1, 1, 'u', 9e15)`,
  )
  store.run(
    "INSERT INTO policy_group (id, wallet_id, name, scopes, created_at, approve_new_recipient, approval_ttl_hours, duplicate_minutes) VALUES ('g', 'wal', 'G', '[]', 1, 0, 24, 0)",
  )
  store.run("INSERT INTO agent (id, group_id, name, client_id, created_at) VALUES ('a', 'g', 'A', 'c', 1)")
  audit(store, clock.now, 'account.resumed', 'account')
  clock.now += minuteMs

  const state = begin(context, 'rst_1', clock.now)
  expect(state).toMatchObject({ id: 'rst_1', stage: 'wait', seq: 7, asOf: clock.now - minuteMs })
  expect(restoreState(store)).toEqual(state)
  expect(store.accountPaused).toBe(true)
  // Each agent is paused, so that resuming the account does not resume one that its owner paused later.
  expect(store.first('SELECT paused FROM agent')).toEqual({ paused: 1 })
  expect(store.first('SELECT status, cancelled FROM approval')).toEqual({
    status: 'CANCELLED',
    cancelled: 'account_restored',
  })
  expect(store.first('SELECT end_reason FROM approval_grant')).toEqual({ end_reason: 'account_restored' })
  expect(store.first('SELECT sealed_key, current FROM session')).toEqual({ sealed_key: '', current: 0 })
  expect(store.first('SELECT sealed_key FROM wallet')).toEqual({ sealed_key: '' })

  // New events and rows get higher numbers than any that were lost, and the log still verifies.
  expect(Number(store.meta('edition'))).toBe(clock.now)
  expect(store.first('SELECT min(seq) AS seq FROM audit WHERE seq > 1')).toEqual({ seq: 1_000_002 })
  expect(verifyAudit(store).brokenAt).toBeNull()
  store.run('DROP TRIGGER audit_no_update')
  store.run("UPDATE audit SET seq = seq + 1 WHERE event = 'grant.ended'")
  expect(verifyAudit(store).brokenAt, 'only a restore may skip numbers').not.toBeNull()
})

test('while an account is being restored, reads and writes fail with account_restoring @restore-15', () => {
  const inner = { sql: { exec: () => 'read' }, transactionSync: (work: () => unknown) => work() }
  const gate = new RestoreGate(inner as unknown as DurableObjectStorage)
  expect(gate.storage.sql.exec('SELECT 1')).toBe('read')
  gate.isClosed = true
  for (const use of [() => gate.storage.sql.exec('SELECT 1'), () => gate.storage.transactionSync(() => 1)]) {
    let thrown: unknown
    try {
      use()
    } catch (error) {
      thrown = error
    }
    expect(toAppError(new Error(String(thrown)))).toMatchObject({ code: 'account_restoring', retryAfter: 60 })
  }
  expect(gate.inner.sql.exec('SELECT 1')).toBe('read')
})
