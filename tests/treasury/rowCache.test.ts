/** Values that the Treasury caches in memory equal those in its tables. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stepGas } from '#domain/gasAllowance.ts'
import { microUsdc } from '#domain/money.ts'
import { hourMs } from '#domain/time.ts'
import type { Block } from '../../worker/chain/types.ts'
import { RestoreGate } from '../../worker/durable/restoreGate.ts'
import { heads } from '../../worker/treasury/core/chainHeads.ts'
import type { Context } from '../../worker/treasury/core/context.ts'
import type { PaymentRow } from '../../worker/treasury/core/storage/rows.ts'
import { Store } from '../../worker/treasury/core/storage/store.ts'
import { queuedOf } from '../../worker/treasury/limits/admission.ts'
import {
  correctGas,
  gasAllowance,
  recordConfirmation,
  recordFailure,
  releaseGas,
  takePoolGas,
} from '../../worker/treasury/limits/gas.ts'
import { paymentRateStates } from '../../worker/treasury/limits/rates.ts'
import { readSlots } from '../../worker/treasury/payments/slots.ts'
import { credentialRefusal } from '../../worker/treasury/policies/agentGate.ts'
import { openKeys } from '../../worker/treasury/wallets/sessionKeys.ts'
import { createBook } from '../support/book.ts'
import { agentPrincipal, owner } from '../support/build.ts'
import { noLimits } from '../support/limits.ts'

const agentIds = ['agt_0', 'agt_1']
const principals = [null, ...agentIds]
const few = { ...noLimits, agentPaymentsPerSecond: 0.1, agentPaymentBurst: 5, gasPerDay: 800_000 }

function createTreasury(limits = few) {
  const book = createBook({ funds: '1000000', sessionLimit: '10000', limits })
  const group = book.addGroup()
  for (const id of agentIds) book.addAgent(group, id)
  const pay = (agentId: string | null) => book.pay({ principal: agentId ? agentPrincipal(agentId) : owner })
  return { ...book, pay }
}

const figures = (context: Context) =>
  principals.map((id) => ({ id, rates: paymentRateStates(context, id), gas: gasAllowance(context, id) }))

const step = fc.oneof(
  fc.record({ kind: fc.constant('pay' as const), agentId: fc.constantFrom(...principals) }),
  fc.record({ kind: fc.constant('pay and roll back' as const), agentId: fc.constantFrom(...principals) }),
  fc.record({
    kind: fc.constantFrom('receipt' as const, 'failure' as const),
    gas: fc.integer({ min: 1, max: 200_000 }),
  }),
  fc.record({ kind: fc.constantFrom('confirmed' as const, 'failed' as const, 'exit' as const) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(-hourMs, 1_000, 60_000, 20 * hourMs) }),
)

test('cached rates and gas equal the tables after any sequence of steps @limits-34', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { context, store, storage, clock, pay, close } = createTreasury()
      const latest = () => store.first<PaymentRow>('SELECT * FROM payment ORDER BY id DESC LIMIT 1')
      for (const one of steps) {
        const payment = latest()
        if (one.kind === 'wait') clock.now += one.ms
        else if (one.kind === 'pay') pay(one.agentId)
        else if (one.kind === 'pay and roll back')
          expect(() =>
            store.transaction(() => {
              pay(one.agentId)
              figures(context)
              throw new Error('rolled back')
            }),
          ).toThrow('rolled back')
        else if (one.kind === 'exit') takePoolGas(context, 'exit', 8453, 1_000)
        else if (one.kind === 'receipt') payment && correctGas(context, payment, 'send', one.gas)
        else if (one.kind === 'failure') payment && releaseGas(context, payment)
        else if (one.kind === 'confirmed') recordConfirmation(context, 8453, microUsdc(1_000_000n))
        else recordFailure(context)
        const reloaded = { ...context, store: new Store(storage, () => {}) }
        expect(figures(context)).toEqual(figures(reloaded))
      }
      close()
    }),
  )
})

const paymentStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pay' as const), agentId: fc.constantFrom(...principals) }) },
  fc.record({ kind: fc.constant('pay and roll back' as const), agentId: fc.constantFrom(...principals) }),
  fc.record({
    kind: fc.constantFrom('confirm' as const, 'revert' as const, 'retry' as const),
    nth: fc.nat({ max: 20 }),
  }),
  // Without the session key, payments are queued.
  fc.record({ kind: fc.constant('key' as const), isLoaded: fc.boolean() }),
  fc.record({ kind: fc.constant('cancel' as const) }),
  // Almost as many nonces as the window is wide.
  fc.record({ kind: fc.constant('skip nonces' as const), count: fc.constantFrom(1, 60, 126) }),
)
const changes = {
  confirm: "UPDATE payment SET status = 'CONFIRMED' WHERE id = ?",
  revert: "UPDATE payment SET revert = 'refused' WHERE id = ?",
  retry: 'UPDATE payment SET revert = NULL WHERE id = ?',
}

test('cached counts of payments equal the tables after any sequence of steps @limits-38', () => {
  fc.assert(
    fc.property(fc.array(paymentStep, { maxLength: 30 }), (steps) => {
      const { context, store, storage, clock, pay, close } = createTreasury({
        ...noLimits,
        ownerSlots: 4,
        agentInFlight: 6,
      })
      const head = { number: 1, timestamp: Math.floor(clock.now / 1000), hash: '0x' } as unknown as Block
      heads(context).set(8453, { block: head, readAt: clock.now })
      const loadKey = () => openKeys(context).set('wal:1', `0x${'11'.repeat(32)}`)
      loadKey()
      const slots = (of: Context) => {
        const { of: free, inFlight } = readSlots(of, of.store.session('wal')!, head)
        const queued = (id: string | null) => queuedOf(of, 'wal', id)
        return principals.map((id) => ({ id, free: free(id), inFlight: inFlight(id), queued: queued(id) }))
      }
      for (const one of steps) {
        if (one.kind === 'pay') pay(one.agentId)
        else if (one.kind === 'pay and roll back')
          expect(() =>
            store.transaction(() => {
              pay(one.agentId)
              throw new Error('rolled back')
            }),
          ).toThrow('rolled back')
        else if (one.kind === 'key') one.isLoaded ? loadKey() : openKeys(context).clear()
        else if (one.kind === 'cancel') store.run("UPDATE payment SET status = 'CANCELLED' WHERE status = 'QUEUED'")
        else if (one.kind === 'skip nonces')
          store.run("UPDATE session SET next_sequence = next_sequence + ? WHERE wallet_id = 'wal'", one.count)
        else {
          const query = "SELECT id FROM payment WHERE status = 'PROCESSING' ORDER BY sequence LIMIT 1 OFFSET ?"
          const payment = store.first<{ id: string }>(query, one.nth)
          if (payment) store.run(changes[one.kind], payment.id)
        }
        expect(slots(context)).toEqual(slots({ ...context, store: new Store(storage, () => {}) }))
      }
      close()
    }),
  )
})

test('an accepted payment counts immediately in the cached rates and gas @limits-37', () => {
  const { context, pay } = createTreasury()
  figures(context)
  expect(pay('agt_0')).toMatchObject({ ok: true })
  expect(figures(context)[1]).toMatchObject({ rates: [{ remaining: 4 }, {}], gas: { used: stepGas.send } })
})

test('a cached credential is refused once its agent is paused or the credential has expired @limits-35', () => {
  const { context, store, clock } = createTreasury()
  const refusal = () => credentialRefusal(context, agentPrincipal('agt_0'))
  expect(refusal()).toBeNull()
  store.run("UPDATE agent SET paused = 1 WHERE id = 'agt_0'")
  expect(refusal()).toMatchObject({ code: 'agent_disabled' })
  store.run("UPDATE agent SET paused = 0 WHERE id = 'agt_0'")
  store.run("UPDATE credential SET expires_at = ? WHERE hash = 'kagt_0'", clock.now + 1_000)
  expect(refusal()).toBeNull()
  clock.now += 1_000
  expect(refusal()).toMatchObject({ code: 'unauthenticated' })
})

test('the account’s single values equal the table, also after a rollback', () => {
  const { store, storage } = createTreasury()
  const stored = () => new Store(storage, () => {}).meta('suspension')
  expect(store.isSuspended).toBe(false)
  const suspendAndFail = () =>
    store.transaction(() => {
      store.suspension = { since: 1, version: 1 }
      expect(store.isSuspended).toBe(true)
      throw new Error('rolled back')
    })
  expect(suspendAndFail).toThrow('rolled back')
  expect([store.isSuspended, stored()]).toEqual([false, null])
  store.suspension = { since: 2, version: 2 }
  expect([store.suspension, stored()]).toEqual(Array(2).fill({ since: 2, version: 2 }))
  store.setMeta('suspension', null)
  expect([store.isSuspended, stored()]).toEqual([false, null])
})

test('an account that is being restored does not serve cached values @limits-36', () => {
  const { context, storage } = createTreasury()
  const gate = new RestoreGate(storage)
  const gated = { ...context, store: new Store(gate.storage, () => {}, gate.check) }
  expect(credentialRefusal(gated, agentPrincipal('agt_0'))).toBeNull()
  figures(gated)
  gate.isClosed = true
  expect(() => credentialRefusal(gated, agentPrincipal('agt_0'))).toThrow('account_restoring')
  expect(() => figures(gated)).toThrow('account_restoring')
})
