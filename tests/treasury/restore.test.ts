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
import { agentRow, groupRow, paymentRow } from '../support/rows.ts'

test('a restore first revokes everything that the owner may have forbidden since @restore-14', () => {
  const { context, store, clock } = createMemoryTreasury(usdc('100'), usdc('100'))
  store.setMeta('edition', 5)
  store.run("INSERT INTO change (seq, ref) VALUES (7, 'pay')")
  store.run("UPDATE session SET sealed_key = 'v1.a.b'")
  store.run("UPDATE wallet SET sealed_key = 'v1.c.d'")
  store.insert('payment', paymentRow({ id: 'pay', status: 'PENDING_APPROVAL', accepted_at: null, approval_id: 'apr' }))
  store.insert('approval', {
    id: 'apr',
    kind: 'payment',
    status: 'PENDING',
    agent_id: 'a',
    group_id: 'g',
    credential_hash: 'h',
    payment_id: 'pay',
    amount: 1,
    rules: '[]',
    same_request: 's',
    asked_at: 1,
    expires_at: 2,
  })
  store.insert('approval_grant', {
    id: 'gnt',
    approval_id: 'apr',
    agent_id: 'a',
    group_id: 'g',
    address: '0x',
    spend_limit: 1,
    created_at: 1,
    created_by: 'u',
    ends_at: 9e15,
  })
  store.insert('policy_group', groupRow({ id: 'g' }))
  store.insert('agent', agentRow({ id: 'a', group_id: 'g' }))
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
  expect(store.payment('pay')).toMatchObject({ status: 'CANCELLED', error_code: 'approval_cancelled' })
  expect(store.first('SELECT end_reason FROM approval_grant')).toEqual({ end_reason: 'account_restored' })
  expect(store.first('SELECT sealed_key, current FROM session')).toEqual({ sealed_key: '', current: 0 })
  expect(store.first('SELECT sealed_key FROM wallet')).toEqual({ sealed_key: '' })

  // New events and rows get higher numbers than any that were lost, and the log still verifies.
  // Above all numbers that D1, the desks and History may have seen.
  expect(store.meta('edition')).toBe(clock.now)
  expect(store.first('SELECT min(seq) AS seq FROM change')).toEqual({ seq: clock.now })
  expect(store.meta('incarnation')).toMatch(/^inc_/)
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
