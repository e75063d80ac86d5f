import type { ChainId } from '../../chain/types.ts'
import type { Refused } from '../../result.ts'
import type { Context } from '../core/context.ts'
import { relayerOf } from '../core/relayers.ts'
import { gasShortage, grantRefusal, recordGrant } from './gas.ts'

/** Asks the Relayer that will pay for gas from today's share for new accounts. False if that is used up. */
export async function askForGas(ctx: Context, chainId: ChainId, gas: number): Promise<boolean> {
  const isGranted = await relayerOf(ctx, chainId).grantGas(gas)
  if (isGranted) recordGrant(ctx, gas)
  return isGranted
}

/** Obtains the gas for an owner action before it starts. Null if the account now has enough. */
export async function obtainGas(ctx: Context, chainId: ChainId, gas: number): Promise<Refused | null> {
  const shortage = gasShortage(ctx, null, gas)
  if (!shortage || 'code' in shortage) return shortage
  return (await askForGas(ctx, chainId, shortage.grant)) ? null : grantRefusal(ctx)
}
