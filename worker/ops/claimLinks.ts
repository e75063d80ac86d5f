import type { ClaimLinkState } from '#schemas/ops.ts'
import type { Deps } from '../appEnv.ts'
import { findClaimLink, findPayoutLink } from '../db/claimLinks.ts'
import { AppError } from '../errors.ts'
import { sha256 } from '../identity/secrets.ts'
import { unwrap } from '../result.ts'
import { treasuryOf } from '../treasuryOf.ts'
import { type Act, recordAct } from './record.ts'

/**
 * Takes the claim link of a payout down, or restores it. `payout` is the link, its token or the payout's id; only the id is
 * recorded. No money moves: the sender can reclaim the payout, and it returns to them when it expires.
 */
export async function setLinkDown(deps: Deps, act: Act, payout: string, isDown: boolean): Promise<ClaimLinkState> {
  const { env, db } = deps
  const token = /(?:\/claim\/)?([\w-]+)\/?$/.exec(payout)?.[1] ?? ''
  const link = (await findPayoutLink(db, token)) ?? (await findClaimLink(db, sha256(token)))
  if (!link) throw new AppError('not_found', 'There is no payout with this link or id.')
  const { userId, payoutId } = link
  await recordAct(deps, act, isDown ? 'claim_link.take_down' : 'claim_link.restore', payoutId, { userId })
  return { payoutId, userId, ...unwrap(await treasuryOf(env, userId).operators().setLinkDown(payoutId, isDown)) }
}
