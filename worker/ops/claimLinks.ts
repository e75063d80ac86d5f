import type { ClaimLinkState } from '#schemas/ops.ts'
import type { Deps } from '../appEnv.ts'
import { AppError } from '../errors.ts'
import { objectOfToken } from '../identity/objectTokens.ts'
import { unwrap } from '../result.ts'
import { treasuryOf } from '../treasuryOf.ts'
import { type Act, recordAct } from './record.ts'

/**
 * Takes the claim link of a payout down, or restores it. `payout` is the link, its token or the payout's id; only the id is
 * recorded. No money moves: the sender can reclaim the payout, and it returns to them when it expires.
 */
export async function setLinkDown(deps: Deps, act: Act, payout: string, isDown: boolean): Promise<ClaimLinkState> {
  const { env } = deps
  const named = /(?:\/claim\/)?([\w-]+)\/?$/.exec(payout)?.[1] ?? ''
  const payoutId = objectOfToken(env, 'claim_link', named) ?? named
  const userId = /^pay_[0-9a-z]{29}$/.test(payoutId) ? await env.CLAIM_DESK.getByName(payoutId).owner() : null
  if (userId === null) throw new AppError('not_found', 'There is no payout with this link or id.')
  await recordAct(deps, act, isDown ? 'claim_link.take_down' : 'claim_link.restore', payoutId, { userId })
  return { payoutId, userId, ...unwrap(await treasuryOf(env, userId).operators().setLinkDown(payoutId, isDown)) }
}
