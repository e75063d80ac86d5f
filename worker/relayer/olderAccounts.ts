import type { RelayerAccounts } from './accounts.ts'
import { sweptWei } from './api.ts'
import { type FeeCeilings, feesWithin } from './fees.ts'

/** Gas of a plain transfer. */
const transferGas = 21_000n
/** Kept for the L1's share of the fee, which nodes do not report in advance; many times that share. */
const keptWei = 10n ** 14n // 0.0001 ETH

/** Follows the transactions of older accounts to their end. Returns whether there is still something to watch. */
export async function followOlder(accounts: RelayerAccounts, ceilings: FeeCeilings, now: number): Promise<boolean> {
  const busy = accounts.older().filter((one) => !one.isIdle(now))
  for (const submitter of busy) {
    const read = await submitter.readChain()
    submitter.reconcile(read)
    const fees = feesWithin(read.feeReading, ceilings)
    if (!('problem' in fees)) await submitter.resolvePending({ ...read, fees })
  }
  return busy.length > 0
}

/** Sends the remaining ETH of idle older accounts to the active account. Throws RpcUnavailable. */
export async function sweepOlder(accounts: RelayerAccounts, ceilings: FeeCeilings, now: number): Promise<void> {
  const to = accounts.active().address
  for (const submitter of accounts.older().filter((one) => one.isIdle(now))) {
    const chain = submitter.chain()
    const [balance, reading, read] = await Promise.all([
      chain.nativeBalance(submitter.address),
      chain.fees(),
      submitter.readChain(),
    ])
    const fees = feesWithin(reading, ceilings)
    if (balance <= sweptWei || 'problem' in fees) continue
    submitter.reconcile(read)
    const value = balance - keptWei - transferGas * fees.maxFeePerGas
    if (value <= 0n) continue
    submitter.transactions.createTransfer(to, value, fees, now)
    await submitter.resolvePending({ ...read, fees })
  }
}
