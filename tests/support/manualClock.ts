/** For the chain without automatic blocks (84532), on which time, alarms and statuses advance only when a test says so. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import type { Chain } from '../../worker/chain/types.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { manualChain as chain, type Payer, until } from './payer.ts'

/** Runs the Treasury's settlement now, before its alarm is due. */
export async function look(payer: Payer): Promise<void> {
  await runInDurableObject(payer.treasury(), (object: Treasury) => object.context.schedule('settle', 1))
  await runDurableObjectAlarm(payer.treasury())
}

/** Moves chain time forward and makes it final. */
export async function pass(seconds: number): Promise<void> {
  await chain.node('evm_increaseTime', seconds)
  await chain.mine(4)
}

export const statusOf = async (payer: Payer, id: string) => {
  const found = await payer.treasury().transaction(id)
  return found.ok ? found.value.status : found.message
}

/** Mines blocks until the payment has `status`. */
export const becomes = (payer: Payer, id: string, status: string) =>
  until(`${id} ${status}`, async () => {
    await chain.mine()
    await look(payer)
    return (await statusOf(payer, id)) === status
  })

/** Settles, without new blocks, until the payment has `status`. A settlement that is already running may read older blocks. */
export const settlesAs = (payer: Payer, id: string, status: string) =>
  until(`${id} ${status}`, async () => {
    await look(payer)
    return (await statusOf(payer, id)) === status
  })

export const payoutOf = (payer: Payer, id: string) =>
  runInDurableObject(payer.treasury(), (object: Treasury) => object.context.store.payout(id)!)

/** Mines blocks until the payout has `status`. */
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

/** Moves time past the payout's expiry, on the chain and for its Treasury. */
export async function expire(payer: Payer, id: string): Promise<void> {
  const { expiry, expires_at } = await payoutOf(payer, id)
  await runInDurableObject(payer.treasury(), async ({ context }: Treasury) => {
    await pass(expiry - (await context.chains[84532].head()).timestamp + 1)
    context.now = () => Math.max(Date.now(), expires_at + 1)
    context.schedule('expiry', 1)
  })
}

/** Changes what the Treasury's node returns. Returns a function that undoes the change. */
export async function changeNode(payer: Payer, change: (real: Chain) => Partial<Chain>) {
  const set = (chainOf: (present: Chain) => Chain) =>
    runInDurableObject(payer.treasury(), (object: Treasury) => {
      object.context.chains[84532] = chainOf(object.context.chains[84532])
    })
  let real: Chain
  await set((present) => {
    real = present
    const changed = change(real) as Record<string | symbol, unknown>
    const get = (_: Chain, key: string | symbol) => {
      const value = changed[key] ?? Reflect.get(real, key, real)
      return typeof value === 'function' ? value.bind(real) : value
    }
    return new Proxy(real, { get })
  })
  return () => set(() => real)
}
