/** On the chain that stands still (84532): time, looks and statuses, all when a test asks for them. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { stillChain as chain, type Payer, until } from './payer.ts'

/** The Treasury looks at the chain now, whatever its alarm says. */
export async function look(payer: Payer): Promise<void> {
  await runInDurableObject(payer.treasury(), (object: Treasury) => object.context.wake('settle', 1))
  await runDurableObjectAlarm(payer.treasury())
}

/** Chain time passes and becomes final. */
export async function pass(seconds: number): Promise<void> {
  await chain.node('evm_increaseTime', seconds)
  await chain.mine(4)
}

export const statusOf = async (payer: Payer, id: string) => {
  const found = await payer.treasury().transaction(id)
  return found.ok ? found.value.status : found.message
}

/** Blocks until `status` is the payment's. */
export const becomes = (payer: Payer, id: string, status: string) =>
  until(`${id} ${status}`, async () => {
    await chain.mine()
    await look(payer)
    return (await statusOf(payer, id)) === status
  })

export const payoutOf = (payer: Payer, id: string) =>
  runInDurableObject(payer.treasury(), (object: Treasury) => object.context.store.payout(id)!)

/** Blocks until `status` is the payout's. */
export const payoutIs = (payer: Payer, id: string, status: string) =>
  until(`payout ${status}`, async () => {
    await chain.mine()
    await look(payer)
    return (await payoutOf(payer, id)).status === status
  })

export async function accepted(payer: Payer, over = {}) {
  const paid = await payer.treasury().payAsAgent(payer.payment(over))
  if (!paid.ok) throw new Error(paid.message)
  return paid.value.payment
}
