/** When a frozen Treasury may go back or be opened. The platform's recovery is replaced: workerd has none. */
import { runInDurableObject } from 'cloudflare:test'
import { beforeAll, expect, test } from 'vitest'
import type { Context } from '../../worker/treasury/context.ts'
import { enqueue } from '../../worker/treasury/outbox/enqueue.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { createPayer, manualChain, prepare } from '../support/payer.ts'

beforeAll(prepare, 60_000)

test('a Treasury goes back only when it is frozen and D1 has everything, and never while it is being unfrozen @restore-21', async () => {
  const payer = await createPayer({ on: manualChain })
  const id = 'rst_back'
  const inTreasury = <T>(work: (treasury: Treasury) => T) => runInDurableObject(payer.treasury(), work)
  const contextOf = (treasury: Treasury) => (treasury as unknown as { restoreContext: Context }).restoreContext
  const past = Date.now() - 60_000
  const wait = 'try again in a minute'

  await inTreasury((treasury) => expect(treasury.goBack(id, past, true)).rejects.toThrow('the account is not frozen'))
  await inTreasury((treasury) => treasury.freezeForRestore(id))
  await inTreasury(async (treasury) => {
    const context = contextOf(treasury)
    let fail = (_: Error) => {}
    treasury.snapshots = () => ({
      goBack: () =>
        new Promise((_, reject) => {
          fail = reject
        }),
    })
    enqueue(context, 'payment', 'pay_unsent')
    expect(await treasury.goBack(id, past, false), 'D1 lacks a payment').toEqual({ isSent: false })

    const back = treasury.goBack(id, past, true)
    await expect(treasury.unfreeze(id)).rejects.toThrow(wait)
    await expect(treasury.goBack(id, past, true)).rejects.toThrow(wait)
    fail(new Error('no such bookmark'))
    await expect(back).rejects.toThrow('no such bookmark')

    const opened = treasury.unfreeze(id)
    await expect(treasury.goBack(id, past, true)).rejects.toThrow(wait)
    expect(await opened).toEqual({ isOpen: true })
  })
})
