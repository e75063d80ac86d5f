import { stepGas } from '#domain/gasAllowance.ts'
import type { ChainId } from '../../chain/types.ts'
import type { Refused } from '../../result.ts'
import { suspendedOwner } from '../core/commonRefusals.ts'
import type { Context } from '../core/context.ts'
import { gasShortage, grantMissing, reserveGas, takePoolGas } from './gas.ts'
import { takeRate, takeRates } from './rates.ts'

export type OwnerStep = 'deploy' | 'rotate' | 'ownerAction' | 'exit' | 'offer'

/**
 * Limits deploys, rotations and owner-signed actions per hour and by the gas that they cost. Exits are limited only by a gas
 * pool of their own, so that nothing else can use it up, and suspended accounts can make them. Null if the step is allowed;
 * it is then counted. Called inside the transaction that starts it.
 */
export function takeOwnerAction(ctx: Context, step: OwnerStep, chainId: ChainId): Refused | null {
  if (step === 'exit') return takePoolGas(ctx, 'exit', chainId, stepGas.ownerAction)
  const suspended = suspendedOwner(ctx)
  if (suspended) return suspended
  const rate = takeRates(ctx, [['owner_actions', 'owner']])
  if (!rate.ok) return rate
  // An offer is a row and a key; nothing is sent before the owner has signed it.
  if (step !== 'offer') {
    const work = { chainId, spender: null, gas: stepGas[step] }
    const shortage = gasShortage(ctx, work)
    if (shortage) return 'code' in shortage ? shortage : grantMissing
    reserveGas(ctx, work)
  }
  rate.save()
  return null
}

/**
 * Limits the rate of changes to groups, agents and names, because they stay in the audit log forever. Pausing and deleting
 * are not limited: they must always be possible. A suspended account can't change anything.
 */
export function takeOwnerChange(ctx: Context): Refused | null {
  return suspendedOwner(ctx) ?? takeRate(ctx, 'owner_changes', 'owner')
}
