import { countMissingLinks, insertClaimLinks } from '../../db/claimLinks.ts'
import { differsFromOwner, restoreOwner } from '../../db/keptAccounts.ts'
import { differingSuspension, writeSuspension } from '../../db/operatorControls.ts'
import { countDifferingCredentials, type LiveCredential, restoreCredentials } from '../../db/restoredCredentials.ts'
import { countDifferingWebhooks, restoreWebhooks } from '../../db/webhooks.ts'
import { noPassword } from '../../identity/passwords.ts'
import type { Context } from '../core/context.ts'
import { linkRow, sendToDesk } from '../delivery/readModel.ts'
import { stateOf } from '../delivery/webhooks.ts'
import { enqueue } from '../outbox/enqueue.ts'
import { nextEdition } from '../outbox/entries.ts'
import type { PayoutRow, WebhookRow } from '../storage/rows.ts'
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
  const { store, db, userId, now } = ctx
  const owner = keptOwner(ctx)
  const credentials = liveCredentials(ctx)
  const suspension = ctx.store.suspension
  const edition = nextEdition(ctx)
  const webhooks = store
    .all<WebhookRow>('SELECT * FROM webhook')
    .map((row) => ({ id: row.id, state: stateOf(row) }) as const)
  const next = { after: '' }
  const rows = {
    user: owner === null ? 0 : 1,
    agent_credential: credentials.length,
    webhook_endpoint: webhooks.length,
    user_suspension: suspension.version > 0 ? 1 : 0,
  }
  if (owner === null) return { next, rows, changed: {}, problem: 'the account does not know its owner yet' }

  const [user, agent_credential, webhook_endpoint, user_suspension] = await Promise.all([
    differsFromOwner(db, userId, owner),
    countDifferingCredentials(db, userId, credentials, now()),
    countDifferingWebhooks(db, userId, webhooks, edition),
    differingSuspension(db, userId, suspension),
  ])
  const changed = { user: Number(user), agent_credential, webhook_endpoint, user_suspension }
  if (isDry) return { next, rows, changed, problem: null }

  if (!(await restoreOwner(db, userId, owner, noPassword)))
    return { next, rows, changed: {}, problem: `another account has its address ${owner.email}` }
  await restoreCredentials(db, userId, credentials, now())
  await restoreWebhooks(db, userId, webhooks, edition)
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

async function sendPayouts(ctx: Context, after: string, isDry: boolean): Promise<Reprojected> {
  const { store, db } = ctx
  const payouts = store.all<PayoutRow>('SELECT * FROM payout WHERE id > ? ORDER BY id LIMIT ?', after, maxPayouts)
  const links = payouts.map((payout) => linkRow(ctx, payout))
  const claim_link = await countMissingLinks(db, links)
  if (!isDry) {
    await insertClaimLinks(db, links)
    for (const payout of payouts.filter(isOpen)) await sendToDesk(ctx, payout)
  }
  return {
    next: payouts.length < maxPayouts ? null : { after: payouts.at(-1)!.id },
    rows: { claim_link: links.length },
    changed: { claim_link },
    problem: null,
  }
}
