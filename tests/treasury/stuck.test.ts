import { expect, test } from 'vitest'
import { stuckWork } from '../../worker/treasury/account/operators/stuck.ts'
import { clearMismatch, recordMismatch } from '../../worker/treasury/wallets/walletHalts.ts'
import { createBook, paid } from '../support/book.ts'

test('a payment whose last signature has expired is listed with what it waits for @stuck-2', async () => {
  const { context, store, clock, pay } = createBook({ funds: '10' })
  const { id, give_up_at } = paid(pay())
  clock.now += 120_000
  const expired = Math.floor(clock.now / 1000) - 1
  store.run("UPDATE payment SET status = 'PROCESSING', sig_version = 1, max_deadline = ? WHERE id = ?", expired, id)
  const why = async () => (await stuckWork(context)).find((work) => work.id === id)?.why

  expect(await why()).toMatch(/^its last signature has expired; not signed again yet: /)
  recordMismatch(context, 'wal', 'read')
  expect(await why()).toBe('its last signature has expired; the books of its wallet differ from the chain')
  clearMismatch(context, store.wallet('wal')!, 'read')
  store.run("UPDATE payment SET revert = 'Paused' WHERE id = ?", id)
  expect(await why()).toBe('the contract refuses it: Paused; waits for a final block')
  recordMismatch(context, 'wal', 'final')
  expect(await why()).toBe('the contract refuses it: Paused; the books of its wallet differ from the chain')
  clearMismatch(context, store.wallet('wal')!, 'final')
  store.run('UPDATE payment SET revert = NULL, epoch = 0 WHERE id = ?', id)
  expect(await why(), 'of an earlier session').toBe('its last signature has expired; waits for a final block')
  store.run('UPDATE payment SET epoch = 1 WHERE id = ?', id)
  expect(await why()).toMatch(/; not signed again yet: /)
  clock.now = give_up_at
  expect(await why()).toBe('its last signature has expired; waits for a final block')
})
