/** For the chain without automatic blocks (84532), on which time, alarms and statuses advance only when a test says so. */
import { chainIdOf } from '#domain/networks.ts'
import type { Address, Chain } from '../../worker/chain/types.ts'
import { type PayFields, toEmail, usdc } from './build.ts'
import { accepted, manualChain as chain, type Payer, until, type WalletUser } from './payer.ts'
import { inTreasury, runNow } from './treasuries.ts'

/** Runs the Treasury's settlement now, before its alarm is due. */
export const look = (payer: WalletUser): Promise<void> => runNow(payer, 'settle')

/** Moves chain time forward and makes it final. */
export async function pass(seconds: number): Promise<void> {
  await chain.node('evm_increaseTime', seconds)
  await chain.mine(4)
}

/** Mines blocks and settles until `isDone`. */
export const mineUntil = (payer: WalletUser, what: string, isDone: () => Promise<boolean>) =>
  until(what, async () => {
    await chain.mine()
    await look(payer)
    return isDone()
  })

/** Settles, without new blocks, until `isDone`. A settlement that is already running may read older blocks. */
export const lookUntil = (payer: WalletUser, what: string, isDone: () => Promise<boolean>) =>
  until(what, async () => {
    await look(payer)
    return isDone()
  })

/** Mines blocks until the payment has `status`. */
export const becomes = (payer: WalletUser, id: string, status: string) =>
  mineUntil(payer, `${id} ${status}`, async () => (await payer.status(id)) === status)

/** Settles, without new blocks, until the payment has `status`. */
export const settlesAs = (payer: WalletUser, id: string, status: string) =>
  lookUntil(payer, `${id} ${status}`, async () => (await payer.status(id)) === status)

/** Pays as the payer's agent, and mines blocks until the payment is confirmed. */
export async function payAndConfirm(payer: Payer, over: PayFields = {}) {
  const payment = await accepted(payer, over)
  await becomes(payer, payment.id, 'CONFIRMED')
  return payment
}

/** Mines blocks until `to` has USDC. */
export const isPaid = (to: Address) =>
  until(`${to} is paid`, async () => {
    await chain.mine()
    return (await chain.usdcBalance(to)) > 0n
  })

export const payoutOf = (payer: WalletUser, id: string) =>
  inTreasury(payer, (object) => object.context.store.payout(id)!)

/** Mines blocks until the payout has `status`. */
export const payoutIs = (payer: WalletUser, id: string, status: string) =>
  mineUntil(payer, `payout ${status}`, async () => (await payoutOf(payer, id)).status === status)

/** Creates a payout of 5 USDC by the payer's agent, and mines blocks until it can be claimed. */
export async function createPayout(payer: Payer, over: PayFields = {}) {
  const payout = await accepted(payer, { to: toEmail('bob@example.com'), amount: usdc('5'), ...over })
  await payoutIs(payer, payout.id, 'CREATED')
  return payout
}

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
  const id = chainIdOf(payer.wallet.chain)
  const set = (chainOf: (present: Chain) => Chain) =>
    inTreasury(payer, (object) => {
      object.context.chains[id] = chainOf(object.context.chains[id])
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
