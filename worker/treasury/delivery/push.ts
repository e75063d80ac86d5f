import type { Channel } from '#schemas/approval.ts'
import { approvalNotice } from '../../notifications/approvalMessages.ts'
import { pushToUser } from '../../notifications/pushToUser.ts'
import { waitingInBatch } from '../approvals/notices.ts'
import type { Context } from '../core/context.ts'
import { type Entry, markSent } from '../outbox/entries.ts'

/** Pushes the notice with this number to the owner's browsers. Throws, for a retry, if no push service accepted it. */
export async function pushApprovals(ctx: Context, entry: Entry): Promise<void> {
  const [first, ...others] = waitingInBatch(ctx, Number(entry.ref))
  if (first) {
    const waiting = [first, ...others] as const
    const ttlSeconds = (Math.max(...waiting.map(({ expiresAt }) => expiresAt)) - ctx.now()) / 1000
    const state = await pushToUser(ctx.env, ctx.db, ctx.userId, approvalNotice(waiting), ttlSeconds)
    recordPush(ctx, entry.ref, state)
    if (state === 'failed') throw new Error('no push service accepted the notice')
  }
  markSent(ctx, entry)
}

/** Records the outcome, to be shown with the approvals of the notice. */
function recordPush({ store, now }: Context, ref: string, state: Channel['state']): void {
  const at = state === 'not_set_up' ? null : now()
  store.run('UPDATE approval SET push_state = ?, push_at = ? WHERE email_batch = ?', state, at, Number(ref))
}
