/** Signatures that outlast the wait of a restore: their payments stay open until they can no longer be executed. */

import { runInDurableObject } from 'cloudflare:test'
import { beforeAll, expect, test } from 'vitest'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { forgetPayment, historyRows, syncHistory } from '../support/histories.ts'
import { changeNode, look, pass } from '../support/manualClock.ts'
import { accepted, createPayer, manualChain, type Payer, prepare, until } from '../support/payer.ts'
import { copyOf, pastTheGate, putBack } from '../support/restoredTreasury.ts'
import { withoutStopObject } from '../support/stops.ts'

beforeAll(prepare, 60_000)

const inTreasury = <T>({ treasury }: Payer, work: (treasury: Treasury) => T) => runInDurableObject(treasury(), work)

/** A payment that is signed, but in no block. */
async function signed(payer: Payer) {
  const { id } = await accepted(payer)
  await isSigned(payer, id)
  return id
}

const isSigned = (payer: Payer, id: string) =>
  until('signed', async () => {
    await look(payer)
    return (await payer.status(id)) === 'PROCESSING'
  })

const deadlineOf = (payer: Payer, id: string) =>
  inTreasury(payer, (treasury) => pastTheGate(treasury).store.payment(id)!.max_deadline!)

test.each(['History', 'the object'] as const)(
  'a restore waits for the last deadline that %s knows, even if the node is behind @restore-39',
  async (knownTo) => {
    const payer = await createPayer({ on: manualChain })
    const earlier = await copyOf(payer)
    const id = await signed(payer)
    const deadline = await deadlineOf(payer, id)
    await syncHistory(payer)
    if (knownTo === 'the object') await forgetPayment(payer, id)
    await changeNode(payer, (real) => ({
      async head() {
        const block = await real.head()
        return { ...block, timestamp: block.timestamp - 120 }
      },
    }))
    const { step } = await putBack(payer, knownTo === 'History' ? earlier : () => {})
    const progress = await step(null)
    expect(progress.step).toBe('waiting')
    expect(progress.until).toBeGreaterThanOrEqual(deadline)
  },
)

test('a restore keeps the deadline of a signature that outlasts its wait @restore-40', async () => {
  const payer = await createPayer({ on: manualChain })
  const open = await signed(payer)
  // While the stop object does not respond, payments are accepted and not signed.
  const unsigned = await withoutStopObject(payer, async (treasury) => {
    const paid = await treasury.payAsAgent(payer.payment())
    return paid.ok ? paid.value.payment.id : paid.message
  })
  expect(await payer.status(unsigned)).toBe('QUEUED')
  const earlier = await copyOf(payer)
  await isSigned(payer, unsigned)
  const since = await signed(payer)
  await syncHistory(payer)

  const { step } = await putBack(payer, earlier)
  const waiting = await step(null)
  expect(waiting.step).toBe('waiting')
  // History receives them late, from an object that did not confirm its freeze.
  const later = waiting.until! + 10_000
  await historyRows(
    payer,
    "UPDATE transaction_view SET kept = json_set(kept, '$.row.max_deadline', ?) WHERE id IN (?, ?)",
    later,
    unsigned,
    since,
  )
  await inTreasury(payer, (treasury) =>
    pastTheGate(treasury).store.run('UPDATE payment SET max_deadline = ? WHERE id = ?', later, open),
  )
  await pass(400)
  for (let doing = ''; doing !== 'reads the chain'; ) doing = (await step(null)).doing
  expect(await Promise.all([open, unsigned, since].map((id) => deadlineOf(payer, id)))).toEqual([later, later, later])
})
