import { expect, test } from 'vitest'
import { parseUsdc } from '#domain/money.ts'
import type { Block } from '../../worker/chain/types.ts'
import { signQueued } from '../../worker/treasury/payments/sign.ts'
import { acceptNow } from '../support/acceptNow.ts'
import { createMemoryTreasury } from '../support/memoryTreasury.ts'

const usdc = (text: string) => parseUsdc(text)!

test('payments that do not fit a new session do not block those that do', () => {
  const { context, store, clock } = createMemoryTreasury(usdc('100000'), usdc('10000'))
  const pay = (amount: string) => {
    const address = `0x${'d'.repeat(40)}` as const
    const prepared = { draft: null, lookup: { address, found: 'clear' as const }, refreshed: true, grants: {} }
    const to = { type: 'address', address } as const
    const input = {
      principal: { type: 'user' },
      key: null,
      walletId: 'wal',
      to,
      amount: usdc(amount),
      memo: null,
    } as const
    const result = acceptNow(context, input, prepared)
    if ('need' in result || !result.ok) throw new Error('not accepted')
    clock.now += 1
    return result.value.payment.id
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
  context.keys.set('wal:2', `0x${'11'.repeat(32)}`)
  const head = { number: 1, timestamp: Math.floor(clock.now / 1000), hash: '0x' } as unknown as Block
  store.transaction(() => signQueued(context, store.wallet('wal')!, head))
  expect(store.payment(small)).toMatchObject({ status: 'PROCESSING', epoch: 2 })
})
