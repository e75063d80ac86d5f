import { expect, test } from 'vitest'
import type { Block } from '../../worker/chain/types.ts'
import { signQueued } from '../../worker/treasury/payments/sign.ts'
import { openKeys } from '../../worker/treasury/wallets/sessionKeys.ts'
import { createBook, paid } from '../support/book.ts'
import { usdc } from '../support/build.ts'

test('payments that do not fit a new session do not block those that do', () => {
  const { context, store, clock, ...book } = createBook({ funds: '100000', sessionLimit: '10000' })
  const pay = (amount: string) => {
    const { id } = paid(book.pay({ amount: usdc(amount) }))
    clock.now += 1
    return id
  }
  // Without a key nothing is signed, so these stay queued.
  for (let i = 0; i < 70; i++) pay('20')
  store.run("UPDATE session SET current = 0 WHERE wallet_id = 'wal'")
  store.run(
    `INSERT INTO session (wallet_id, epoch, key_address, sealed_key, spend_limit, valid_until, current) VALUES ('wal', 2, ?, '', ?, 4000000000, 1)`,
    `0x${'e'.repeat(40)}`,
    Number(usdc('10')),
  )
  const small = pay('1')
  openKeys(context).set('wal:2', `0x${'11'.repeat(32)}`)
  const head = { number: 1, timestamp: Math.floor(clock.now / 1000), hash: '0x' } as unknown as Block
  store.transaction(() => signQueued(context, store.wallet('wal')!, head))
  expect(store.payment(small)).toMatchObject({ status: 'PROCESSING', epoch: 2 })
})
