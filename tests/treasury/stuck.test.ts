import { expect, test } from 'vitest'
import { microUsdc } from '#domain/money.ts'
import { stuckWork } from '../../worker/treasury/operators/stuck.ts'
import { noteBooksAgree, noteBooksDiffer } from '../../worker/treasury/wallets/walletHalts.ts'
import { acceptNow } from '../support/acceptNow.ts'
import { createMemoryTreasury } from '../support/memoryTreasury.ts'

test('a payment whose last signature has expired is listed with what it waits for @stuck-2', async () => {
  const { context, store, clock } = createMemoryTreasury(microUsdc(10_000_000n), microUsdc(10_000_000n))
  const address = `0x${'d'.repeat(40)}` as const
  const accepted = acceptNow(
    context,
    {
      principal: { type: 'user' },
      key: null,
      walletId: 'wal',
      to: { type: 'address', address },
      amount: microUsdc(1_000_000n),
      memo: null,
    },
    { draft: null, lookup: { address, found: 'clear' }, refreshed: true, grants: {} },
  )
  if ('need' in accepted || !accepted.ok) throw new Error('not accepted')
  const { id, give_up_at } = accepted.value.payment
  clock.now += 120_000
  const expired = Math.floor(clock.now / 1000) - 1
  store.run("UPDATE payment SET status = 'PROCESSING', sig_version = 1, max_deadline = ? WHERE id = ?", expired, id)
  const why = async () => (await stuckWork(context)).find((work) => work.id === id)?.why

  expect(await why()).toMatch(/^its last signature has expired; not signed again yet: /)
  noteBooksDiffer(context, 'wal', 'read')
  expect(await why()).toBe('its last signature has expired; the books of its wallet differ from the chain')
  noteBooksAgree(context, store.wallet('wal')!, 'read')
  store.run("UPDATE payment SET revert = 'Paused' WHERE id = ?", id)
  expect(await why()).toBe('the contract refuses it: Paused; waits for a final block')
  noteBooksDiffer(context, 'wal', 'final')
  expect(await why()).toBe('the contract refuses it: Paused; the books of its wallet differ from the chain')
  noteBooksAgree(context, store.wallet('wal')!, 'final')
  store.run('UPDATE payment SET revert = NULL, epoch = 0 WHERE id = ?', id)
  expect(await why(), 'of an earlier session').toBe('its last signature has expired; waits for a final block')
  store.run('UPDATE payment SET epoch = 1 WHERE id = ?', id)
  expect(await why()).toMatch(/; not signed again yet: /)
  clock.now = give_up_at
  expect(await why()).toBe('its last signature has expired; waits for a final block')
})
