/** Accounts whose recipients are screened, on a stand-in for the oracle, in workerd. */
import { oracleCodes, placeOracle } from '../../local/standIns/sanctionsOracle.ts'
import { lookups } from '../../worker/treasury/core/knownRecipients.ts'
import { fresh } from './payer.ts'
import { inTreasury, type User } from './treasuries.ts'
import type { WorkerChain } from './workerChain.ts'

export type Oracle = Awaited<ReturnType<typeof oracleOn>>
export const faultyOracles = (Object.keys(oracleCodes) as (keyof typeof oracleCodes)[]).filter(
  (kind) => kind !== 'right',
)

export const oracleOn = async (chain: WorkerChain) => ({
  ...(await placeOracle((method, ...params) => chain.node(method, ...params), fresh('oracle'))),
  chainId: chain.chainId,
})

/** Sets SANCTIONS_ORACLE_… for the account; without an oracle, unsets it. Returns a count of the questions from then on. */
export async function screenBy(
  user: User,
  oracle: Pick<Oracle, 'address' | 'chainId'> | null,
  chainId = oracle!.chainId,
) {
  const asked = { count: 0 }
  await inTreasury(user, ({ context }) => {
    context.env = { ...context.env, [`SANCTIONS_ORACLE_${chainId}`]: oracle?.address ?? '' }
    // A setting changes with the isolate, whose memory is gone then.
    lookups(context).clear()
    const chain = context.chains[chainId]
    const { isSanctioned } = Object.getPrototypeOf(chain) as typeof chain
    chain.isSanctioned = (...values) => {
      asked.count += 1
      return isSanctioned.apply(chain, values)
    }
  })
  return asked
}
