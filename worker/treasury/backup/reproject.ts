import { countMissingLinks, insertClaimLinks } from '../../db/claimLinks.ts'
import { countDifferingKept, differsFromOwner, restoreOwner, writeKeptValues } from '../../db/keptAccounts.ts'
import { differingSuspension, writeSuspension } from '../../db/operatorControls.ts'
import { countDiffering, projectLists } from '../../db/projectLists.ts'
import { countDifferingWebhooks, restoreWebhooks } from '../../db/webhooks.ts'
import { noPassword } from '../../identity/passwords.ts'
import type { Context } from '../core/context.ts'
import { backupValues } from '../delivery/backup.ts'
import { linkRow, listRows, sendToDesk } from '../delivery/readModel.ts'
import { stateOf } from '../delivery/webhooks.ts'
import { enqueue } from '../outbox/enqueue.ts'
import { nextEdition } from '../outbox/entries.ts'
import type { PayoutRow, WebhookRow } from '../storage/rows.ts'
import { keptOwner } from './owner.ts'
import type { ReprojectCursor, Reprojected } from './rpcTypes.ts'

/** Maximum number of payments per call: one batch of D1. */
const maxPayments = 100

/** Sends a part of what D1 has of this account again. worker/db/tables.ts lists what each table needs. */
export async function reproject(
  ctx: Context,
  { from, isDry }: { from: ReprojectCursor | null; isDry: boolean },
): Promise<Reprojected> {
  return from === null ? sendAccount(ctx, isDry) : sendPayments(ctx, from.after, isDry)
}

async function sendAccount(ctx: Context, isDry: boolean): Promise<Reprojected> {
  const { store, db, userId } = ctx
  const owner = keptOwner(ctx)
  const suspension = ctx.store.suspension
  const edition = nextEdition(ctx)
  const kept = backupValues(ctx)
  const webhooks = store
    .all<WebhookRow>('SELECT * FROM webhook')
    .map((row) => ({ id: row.id, state: stateOf(row) }) as const)
  const next = { after: '' }
  const rows = {
    user: owner === null ? 0 : 1,
    webhook_endpoint: webhooks.length,
    kept_value: kept.length,
    user_suspension: suspension.version > 0 ? 1 : 0,
  }
  if (owner === null) return { next, rows, changed: {}, problem: 'the account does not know its owner yet' }

  const [user, webhook_endpoint, kept_value, user_suspension] = await Promise.all([
    differsFromOwner(db, userId, owner),
    countDifferingWebhooks(db, userId, webhooks, edition),
    countDifferingKept(db, userId, kept),
    differingSuspension(db, userId, suspension),
  ])
  const changed = { user: Number(user), webhook_endpoint, kept_value, user_suspension }
  if (isDry) return { next, rows, changed, problem: null }

  if (!(await restoreOwner(db, userId, owner, noPassword)))
    return { next, rows, changed: {}, problem: `another account has its address ${owner.email}` }
  await restoreWebhooks(db, userId, webhooks, edition)
  await writeKeptValues(db, userId, edition, kept)
  if (suspension.version > 0) await writeSuspension(db, userId, suspension)
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
  })
}

const isOpen = ({ status, returned_block }: PayoutRow) =>
  status === 'CREATING' ||
  status === 'CREATED' ||
  status === 'CLAIMING' ||
  status === 'RECLAIMING' ||
  returned_block !== null

async function sendPayments(ctx: Context, after: string, isDry: boolean): Promise<Reprojected> {
  const { store, db, userId } = ctx
  const ids = store
    .all<{ id: string }>('SELECT id FROM payment WHERE id > ? ORDER BY id LIMIT ?', after, maxPayments)
    .map(({ id }) => id)
  const payouts = ids.flatMap((id) => store.payout(id) ?? [])
  const links = payouts.map((payout) => linkRow(ctx, payout))
  // Taken before anything is awaited, so that later changes are sent under a higher edition.
  const edition = nextEdition(ctx)
  const lists = listRows(
    ctx,
    ids.flatMap((ref) => [
      { kind: 'payment' as const, ref },
      { kind: 'payout' as const, ref },
    ]),
  )
  const [differing, claim_link] = await Promise.all([countDiffering(db, lists), countMissingLinks(db, links)])
  if (!isDry) {
    await projectLists(db, userId, edition, lists)
    await insertClaimLinks(db, links)
    for (const payout of payouts.filter(isOpen)) await sendToDesk(ctx, payout)
  }
  return {
    next: ids.length < maxPayments ? null : { after: ids.at(-1)! },
    rows: {
      transaction_view: lists.transactions.length,
      payout_view: lists.payouts.length,
      claim_link: links.length,
    },
    changed: { transaction_view: differing.transactions, payout_view: differing.payouts, claim_link },
    problem: null,
  }
}
