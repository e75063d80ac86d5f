import { differsFromOwner, restoreOwner } from '../../db/keptAccounts.ts'
import { differingMemberships, restoreMemberships } from '../../db/memberships.ts'
import { differingSuspension, writeSuspension } from '../../db/operatorControls.ts'
import { countDifferingWebhooks, restoreWebhooks } from '../../db/webhooks.ts'
import { noPassword } from '../../identity/passwords.ts'
import type { Context } from '../core/context.ts'
import type { PayoutRow, WebhookRow } from '../core/storage/rows.ts'
import { sendToDesk } from '../outbox/delivery/desk.ts'
import { stateOf } from '../outbox/delivery/webhooks.ts'
import { enqueue } from '../outbox/enqueue.ts'
import { nextEdition } from '../outbox/entries.ts'
import { keptOwner } from './owner.ts'
import type { ReprojectCursor, Reprojected } from './rpcTypes.ts'

/** Maximum number of payouts per call: one batch of D1. */
const maxPayouts = 100

/** Sends a part of what D1 has of this account again. worker/db/tables.ts lists what each table needs. */
export async function reproject(
  ctx: Context,
  { from, isDry }: { from: ReprojectCursor | null; isDry: boolean },
): Promise<Reprojected> {
  return from === null ? sendAccount(ctx, isDry) : sendPayouts(ctx, from.after, isDry)
}

async function sendAccount(ctx: Context, isDry: boolean): Promise<Reprojected> {
  const { store, db, userId } = ctx
  const owner = keptOwner(ctx)
  const suspension = ctx.store.suspension
  const edition = nextEdition(ctx)
  const webhooks = store
    .all<WebhookRow>('SELECT * FROM webhook')
    .map((row) => ({ id: row.id, state: stateOf(row) }) as const)
  const members = store
    .all<{ id: string }>("SELECT person_id AS id FROM member WHERE status = 'active'")
    .map(({ id }) => id)
  const next = { after: '' }
  const rows = {
    user: owner === null ? 0 : 1,
    webhook_endpoint: webhooks.length,
    membership: members.length,
    user_suspension: suspension.version > 0 ? 1 : 0,
  }
  if (owner === null) return { next, rows, changed: {}, problem: 'the account does not know its owner yet' }

  const [user, webhook_endpoint, user_suspension, membership] = await Promise.all([
    differsFromOwner(db, userId, owner),
    countDifferingWebhooks(db, userId, webhooks, edition),
    differingSuspension(db, userId, suspension),
    differingMemberships(db, userId, members),
  ])
  const changed = { user: Number(user), webhook_endpoint, user_suspension, membership }
  if (isDry) return { next, rows, changed, problem: null }

  if (!(await restoreOwner(db, userId, owner, noPassword)))
    return { next, rows, changed: {}, problem: `another account has its address ${owner.email}` }
  await restoreWebhooks(db, userId, webhooks, edition)
  if (suspension.version > 0) await writeSuspension(db, userId, suspension)
  await restoreMemberships(db, userId, members)
  reportAgain(ctx)
  return { next, rows, changed, problem: null }
}

/** Reports troubles again, because alerts read them from D1. */
function reportAgain(ctx: Context): void {
  const { store } = ctx
  store.transaction(() => {
    for (const { id } of store.all<{ id: string }>('SELECT id FROM wallet WHERE halt_kind IS NOT NULL'))
      enqueue(ctx, 'trouble', id)
    if (store.meta('is_large')) enqueue(ctx, 'trouble', 'size')
    if (store.meta('history_problem')?.isReported) enqueue(ctx, 'trouble', 'history')
  })
}

const isOpen = ({ status, returned_block }: PayoutRow) =>
  status === 'CREATING' ||
  status === 'CREATED' ||
  status === 'CLAIMING' ||
  status === 'RECLAIMING' ||
  returned_block !== null

async function sendPayouts(ctx: Context, after: string, isDry: boolean): Promise<Reprojected> {
  const { store } = ctx
  const payouts = store.all<PayoutRow>('SELECT * FROM payout WHERE id > ? ORDER BY id LIMIT ?', after, maxPayouts)
  if (!isDry) for (const payout of payouts.filter(isOpen)) await sendToDesk(ctx, payout)
  return {
    next: payouts.length < maxPayouts ? null : { after: payouts.at(-1)!.id },
    rows: {},
    changed: {},
    problem: null,
  }
}
