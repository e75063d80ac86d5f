import { stepGas } from '#domain/gasAllowance.ts'
import type { Refused } from '../../result.ts'
import type { Context } from '../context.ts'
import { suspendedOwner } from '../operators/suspension.ts'
import { gasShortage, reserveGas, takeExitGas } from './gas.ts'
import { ownerActionRate, ownerChangeRate, takeRates } from './rates.ts'

export type OwnerStep = 'deploy' | 'rotate' | 'ownerAction' | 'exit' | 'offer'

/**
 * Deploys, rotations and actions that the owner signs: limited by the hour, and by the gas that they cost; of a suspended
 * account only exits. Null: allowed and counted. Inside the transaction that starts it.
 */
export function takeOwnerAction(ctx: Context, step: OwnerStep): Refused | null {
  const suspended = step === 'exit' ? null : suspendedOwner(ctx)
  if (suspended) return suspended
  const rate = takeRates(ctx, [ownerActionRate(ctx.limits)])
  if (!rate.ok) return rate
  const refused = takeGas(ctx, step)
  if (refused) return refused
  rate.save()
  return null
}

/**
 * Changes of groups, agents and names stay in the audit log for ever, so they have a rate. Pausing and deleting have none:
 * they must always be possible. A suspended account changes nothing.
 */
export function takeOwnerChange(ctx: Context): Refused | null {
  const suspended = suspendedOwner(ctx)
  if (suspended) return suspended
  const rate = takeRates(ctx, [ownerChangeRate(ctx.limits)])
  if (!rate.ok) return rate
  rate.save()
  return null
}

function takeGas(ctx: Context, step: OwnerStep): Refused | null {
  // An offer is a row and a key; nothing is sent before the owner has signed it.
  if (step === 'offer') return null
  // Exits have gas of their own, so that nothing else can use it up.
  if (step === 'exit') return takeExitGas(ctx, stepGas.ownerAction)
  const shortage = gasShortage(ctx, null, stepGas[step])
  if (shortage && 'code' in shortage) return shortage
  reserveGas(ctx, null, stepGas[step])
  return null
}
