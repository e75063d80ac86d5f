/** For the chain without automatic blocks (84532), on which time, alarms and statuses advance only when a test says so. */
import type { Chain } from '../../worker/chain/types.ts'
import { manualChain as chain, until, type WalletUser } from './payer.ts'
import { inTreasury, runNow } from './treasuries.ts'

/** Runs the Treasury's settlement now, before its alarm is due. */
export const look = (payer: WalletUser): Promise<void> => runNow(payer, 'settle')

/** Moves chain time forward and makes it final. */
export async function pass(seconds: number): Promise<void> {
  await chain.node('evm_increaseTime', seconds)
  await chain.mine(4)
}

/** Mines blocks until the payment has `status`. */
export const becomes = (payer: WalletUser, id: string, status: string) =>
  until(`${id} ${status}`, async () => {
    await chain.mine()
    await look(payer)
    return (await payer.status(id)) === status
  })

/** Settles, without new blocks, until the payment has `status`. A settlement that is already running may read older blocks. */
export const settlesAs = (payer: WalletUser, id: string, status: string) =>
  until(`${id} ${status}`, async () => {
    await look(payer)
    return (await payer.status(id)) === status
  })

export const payoutOf = (payer: WalletUser, id: string) =>
  inTreasury(payer, (object) => object.context.store.payout(id)!)

/** Mines blocks until the payout has `status`. */
export const payoutIs = (payer: WalletUser, id: string, status: string) =>
  until(`payout ${status}`, async () => {
    await chain.mine()
    await look(payer)
    return (await payoutOf(payer, id)).status === status
  })

/** Moves time past the payout's expiry, on the chain and for its Treasury. */
export async function expire(payer: WalletUser, id: string): Promise<void> {
  const { expiry, expires_at } = await payoutOf(payer, id)
  await inTreasury(payer, async ({ context }) => {
    await pass(expiry - (await context.chains[84532].head()).timestamp + 1)
    context.now = () => Math.max(Date.now(), expires_at + 1)
    context.schedule('expiry', 1)
  })
}

/** Changes what the Treasury's node returns. Returns a function that undoes the change. */
export async function changeNode(payer: WalletUser, change: (real: Chain) => Partial<Chain>) {
  const set = (chainOf: (present: Chain) => Chain) =>
    inTreasury(payer, (object) => {
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
