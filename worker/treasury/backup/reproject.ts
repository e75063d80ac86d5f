import { countDifferingKept, differsFromOwner, restoreOwner, writeKeptValues } from '../../db/keptAccounts.ts'
import { differingSuspension, writeSuspension } from '../../db/operatorControls.ts'
import { countDiffering, projectLists } from '../../db/projectLists.ts'
import { countDifferingCredentials, type LiveCredential, restoreCredentials } from '../../db/restoredCredentials.ts'
import { countDifferingWebhooks, restoreWebhooks } from '../../db/webhooks.ts'
import { noPassword } from '../../identity/passwords.ts'
import type { Context } from '../core/context.ts'
import { backupValues } from '../delivery/backup.ts'
import { listRows, sendToDesk } from '../delivery/readModel.ts'
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
  const { store, db, userId, now } = ctx
  const owner = keptOwner(ctx)
  const credentials = liveCredentials(ctx)
  const suspension = ctx.store.suspension
  const edition = nextEdition(ctx)
  const kept = backupValues(ctx)
  const webhooks = store
    .all<WebhookRow>('SELECT * FROM webhook')
    .map((row) => ({ id: row.id, state: stateOf(row) }) as const)
  const next = { after: '' }
  const rows = {
    user: owner === null ? 0 : 1,
    agent_credential: credentials.length,
    webhook_endpoint: webhooks.length,
    kept_value: kept.length,
    user_suspension: suspension.version > 0 ? 1 : 0,
  }
  if (owner === null) return { next, rows, changed: {}, problem: 'the account does not know its owner yet' }

  const [user, agent_credential, webhook_endpoint, kept_value, user_suspension] = await Promise.all([
    differsFromOwner(db, userId, owner),
    countDifferingCredentials(db, userId, credentials, now()),
    countDifferingWebhooks(db, userId, webhooks, edition),
    countDifferingKept(db, userId, kept),
    differingSuspension(db, userId, suspension),
  ])
  const changed = { user: Number(user), agent_credential, webhook_endpoint, kept_value, user_suspension }
  if (isDry) return { next, rows, changed, problem: null }

  if (!(await restoreOwner(db, userId, owner, noPassword)))
    return { next, rows, changed: {}, problem: `another account has its address ${owner.email}` }
  await restoreCredentials(db, userId, credentials, now())
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

const liveCredentials = ({ store, now }: Context): LiveCredential[] =>
  store.all<LiveCredential>(
    `SELECT credential.hash, credential.kind, agent.id AS agentId, agent.client_id AS clientId,
       credential.created_at AS createdAt, credential.expires_at AS expiresAt
     FROM credential JOIN agent ON agent.id = credential.agent_id
     WHERE agent.deleted_at IS NULL AND (credential.expires_at IS NULL OR credential.expires_at > ?)`,
    now(),
  )

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
  // Taken before anything is awaited, so that later changes are sent under a higher edition.
  const edition = nextEdition(ctx)
  const lists = listRows(
    ctx,
    ids.flatMap((ref) => [
      { kind: 'payment' as const, ref },
      { kind: 'payout' as const, ref },
    ]),
  )
  const differing = await countDiffering(db, lists)
  if (!isDry) {
    await projectLists(db, userId, edition, lists)
    for (const payout of payouts.filter(isOpen)) await sendToDesk(ctx, payout)
  }
  return {
    next: ids.length < maxPayments ? null : { after: ids.at(-1)! },
    rows: {
      transaction_view: lists.transactions.length,
      payout_view: lists.payouts.length,
    },
    changed: { transaction_view: differing.transactions, payout_view: differing.payouts },
    problem: null,
  }
}
