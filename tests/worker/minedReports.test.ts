/** Reports of the Relayer start settling. Whatever it reports, only the chain decides what is booked. */

import { runDurableObjectAlarm } from 'cloudflare:test'
import { beforeAll, describe, expect, test } from 'vitest'
import { relayerName } from '../../worker/relayer/api.ts'
import { heads } from '../../worker/treasury/core/chainHeads.ts'
import { settleEveryMs } from '../../worker/treasury/core/minedReports.ts'
import { jobId, paymentRef } from '../../worker/treasury/wallets/relay/jobs.ts'
import { submittedAt } from '../../worker/treasury/wallets/relay/submitJobs.ts'
import { usdc } from '../support/build.ts'
import { accepted, manualChain as chain, createPayer, type Payer, prepare, until } from '../support/payer.ts'
import { env } from '../support/testEnv.ts'
import { changeJobs, inTreasury, rowsOf, setClock, treasuryOf } from '../support/treasuries.ts'

beforeAll(prepare)

const reportMined = async (payer: Payer, id: string, block: number) => {
  const ref = await inTreasury(payer, ({ context }) => paymentRef(context.store.payment(id)!))
  await payer.treasury().reportJobs([{ id: jobId(ref), ref, state: 'mined', txHash: `0x${'7'.repeat(64)}`, block }])
}
/** Whether the payer's Treasury settles now, or before the fallback is due. */
const settlesSoon = async (payer: Payer) => {
  const rows = await rowsOf<{ kind: string; due_at: number }>(payer, "SELECT * FROM timer WHERE kind LIKE '%settle'")
  return rows.some(({ kind, due_at }) => kind === 'retry:settle' || due_at < Date.now() + 1_000)
}
const headNumber = async () => Number(await chain.node('eth_blockNumber'))
const entries = (payer: Payer) => rowsOf(payer, 'SELECT seq FROM audit ORDER BY seq DESC LIMIT 1')
const confirmed = (payer: Payer, id: string) =>
  until('confirmed', async () => (await payer.status(id)) === 'CONFIRMED', settleEveryMs - 5_000)

describe('a report that a payment was mined', () => {
  test('confirms it without waiting for the fallback, and a second one changes nothing @settlement-11', async () => {
    const payer = await createPayer({ on: chain })
    const { id } = await accepted(payer, { amount: usdc('5') })
    const hash = () => inTreasury(payer, ({ context }) => context.store.payment(id)!.tx_hash)
    await until('broadcast', hash)
    expect(await settlesSoon(payer)).toBe(false)
    await chain.mine()
    await env.RELAYER.getByName(relayerName(84532, 0)).wakeUp()
    await confirmed(payer, id)

    const [books, before, sent] = [await payer.booksBalance(), await entries(payer), await hash()]
    await reportMined(payer, id, await headNumber())
    expect(await settlesSoon(payer)).toBe(false)
    expect([await payer.booksBalance(), await entries(payer), await hash()]).toEqual([books, before, sent])
  })

  test.each([
    ['an existing block', 0],
    ['a block that does not exist', 1_000_000],
  ])(
    'that is false and names %s books nothing, and the payment is confirmed when it is mined @settlement-12',
    async (_, ahead) => {
      const payer = await createPayer({ on: chain })
      let isWithheld = true
      await changeJobs(payer, (jobs) => (isWithheld ? [] : jobs))
      const { id } = await accepted(payer, { amount: usdc('5') })
      await payer.ledger()
      await inTreasury(payer, ({ context }) => heads(context).clear())
      await reportMined(payer, id, (await headNumber()) + ahead)
      await until('the chain is read', () => inTreasury(payer, ({ context }) => heads(context).size > 0))
      await until(
        'settling has ended',
        async () => (await rowsOf(payer, "SELECT 1 FROM timer WHERE kind = 'retry:settle'")).length === 0,
      )
      expect(await payer.status(id)).toBe('PROCESSING')
      expect(await payer.groupNow()).toMatchObject({ held: '5', currentSpent: '0' })
      await payer.booksBalance()

      isWithheld = false
      // It looks submitted; a job without a trace on chain is submitted again.
      await inTreasury(payer, ({ context }) => submittedAt(context).clear())
      await until('confirmed', async () => {
        await inTreasury(payer, ({ context }) => context.schedule('settle', 1))
        await runDurableObjectAlarm(treasuryOf(payer))
        await chain.mine()
        return (await payer.status(id)) === 'CONFIRMED'
      })
      expect(await payer.groupNow()).toMatchObject({ held: '0', currentSpent: '5' })
      await payer.booksBalance()
    },
  )

  test('that never arrives: the chain is read after 15 seconds @settlement-13', async () => {
    const payer = await createPayer({ on: chain })
    await inTreasury(payer, (treasury) => {
      treasury.reportJobs = () => Promise.reject(new Error('lost'))
    })
    const { id } = await accepted(payer, { amount: usdc('5') })
    const relayer = env.RELAYER.getByName(relayerName(84532, 0))
    await until('mined', async () => {
      await chain.mine()
      await relayer.wakeUp()
      const ref = await inTreasury(payer, ({ context }) => paymentRef(context.store.payment(id)!))
      return (await relayer.status([jobId(ref)]))[0]?.state === 'mined'
    })
    expect(await payer.status(id)).toBe('PROCESSING')
    await setClock(payer, () => Date.now() + settleEveryMs)
    // Another alarm may be running.
    const isConfirmed = async () => {
      await runDurableObjectAlarm(treasuryOf(payer))
      return (await payer.status(id)) === 'CONFIRMED'
    }
    await until('confirmed', isConfirmed, 5_000)
    await payer.booksBalance()
  })
})
