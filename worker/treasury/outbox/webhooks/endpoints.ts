import { isConnectionEvent } from '#domain/events.ts'
import { isoOf } from '#domain/time.ts'
import { maxWebhooks, oldSecretMs } from '#domain/webhookRules.ts'
import { webhookRulesOf, webhookUrlProblem } from '#domain/webhookUrl.ts'
import type { CreatedWebhook, RotatedSecret, Webhook, WebhookFilter } from '#schemas/webhook.ts'
import { notFound, ok, type Refused, type Result, refuse } from '../../../result.ts'
import type { WebhookFailure, WebhookTargets } from '../../../webhooks/api.ts'
import { type Context, newId } from '../../core/context.ts'
import type { WebhookRow } from '../../core/storage/rows.ts'
import { audit } from '../../ledger/audit.ts'
import { enqueue } from '../enqueue.ts'
import { enabledWebhooks } from '../events.ts'
import { auditAndReport } from '../reportedChanges.ts'
import type { WebhookEdit } from './rpcTypes.ts'

const noWebhook: Refused = notFound('Webhook')

export const listWebhooks = (ctx: Context): Webhook[] =>
  ctx.store.all<WebhookRow>('SELECT * FROM webhook ORDER BY created_at, id').map((row) => webhookView(ctx, row))

export function findWebhook(ctx: Context, id: string): Result<Webhook> {
  const row = ctx.store.webhook(id)
  return row ? ok(webhookView(ctx, row)) : noWebhook
}

const webhookView = ({ now }: Context, row: WebhookRow): Webhook => ({
  id: row.id,
  url: row.url,
  events: JSON.parse(row.events) as WebhookFilter[],
  enabled: row.enabled === 1,
  disabledReason: row.disabled_reason,
  createdAt: isoOf(row.created_at),
  oldSecretUntil: row.old_secret_until !== null && row.old_secret_until > now() ? isoOf(row.old_secret_until) : null,
})

export async function createWebhook(
  ctx: Context,
  { url, events, passwordChecked = false }: { url: string; events: WebhookFilter[]; passwordChecked?: boolean },
): Promise<Result<CreatedWebhook>> {
  const { store } = ctx
  const id = newId(ctx, 'whk')
  const { secret, sealed } = await newSecret(ctx, id)
  return store.transaction((): Result<CreatedWebhook> => {
    const refused = urlRefusal(ctx, url, null)
    if (refused) return refused
    if (getsPayments(events) && !passwordChecked) return passwordNeeded
    if (store.count('webhook') >= maxWebhooks)
      return refuse('conflict', `An account can have ${maxWebhooks} webhooks. Delete one first.`)
    const now = ctx.now()
    const row = { id, url, events: JSON.stringify(events), enabled: 1, version: 1 }
    store.insert('webhook', { ...row, sealed_secret: sealed, created_at: now })
    auditAndReport(ctx, 'webhook.created', id, { host: hostOf(url), events })
    changed(ctx, id)
    return ok({ ...webhookView(ctx, ctx.store.webhook(id)!), secret })
  })
}

export function editWebhook(ctx: Context, id: string, edit: WebhookEdit): Result<Webhook> {
  const { store } = ctx
  return store.transaction((): Result<Webhook> => {
    const row = ctx.store.webhook(id)
    if (!row) return noWebhook
    const refused = edit.url === undefined || edit.url === row.url ? null : urlRefusal(ctx, edit.url, id)
    if (refused) return refused
    const before = JSON.parse(row.events) as WebhookFilter[]
    const after = {
      url: edit.url ?? row.url,
      events: edit.events ?? before,
      enabled: edit.enabled ?? row.enabled === 1,
    }
    const goesElsewhere = after.url !== row.url || after.events.some((name) => !before.includes(name))
    if (goesElsewhere && getsPayments(after.events) && !edit.passwordChecked) return passwordNeeded
    // Earlier failures do not count for a new address or for a webhook that is switched on again.
    const isReset = after.url !== row.url || (after.enabled && row.enabled === 0)
    store.update('webhook', id, {
      url: after.url,
      events: JSON.stringify(after.events),
      enabled: after.enabled ? 1 : 0,
      disabled_reason: edit.enabled === undefined ? row.disabled_reason : null,
      version: row.version + (isReset ? 1 : 0),
    })
    const { url, ...shown } = after
    auditAndReport(ctx, 'webhook.changed', id, { host: hostOf(url), ...shown })
    changed(ctx, id)
    return ok(webhookView(ctx, ctx.store.webhook(id)!))
  })
}

/** Switches a webhook off for its owner. */
export function switchOff(ctx: Context, id: string): void {
  editWebhook(ctx, id, { enabled: false })
}

export function deleteWebhook(ctx: Context, id: string): Result<null> {
  const { store } = ctx
  return store.transaction((): Result<null> => {
    const row = ctx.store.webhook(id)
    if (!row) return noWebhook
    store.run('DELETE FROM webhook WHERE id = ?', id)
    audit(store, ctx.now(), 'webhook.deleted', id, { host: hostOf(row.url) })
    changed(ctx, id)
    return ok(null)
  })
}

export async function rotateSecret(ctx: Context, id: string, passwordChecked = false): Promise<Result<RotatedSecret>> {
  const { store } = ctx
  const { secret, sealed } = await newSecret(ctx, id)
  return store.transaction((): Result<RotatedSecret> => {
    const row = store.webhook(id)
    if (!row) return noWebhook
    if (getsPayments(JSON.parse(row.events) as WebhookFilter[]) && !passwordChecked) return passwordNeeded
    const until = ctx.now() + oldSecretMs
    const secrets = { sealed_old_secret: row.sealed_secret, old_secret_until: until, sealed_secret: sealed }
    store.update('webhook', id, secrets)
    auditAndReport(ctx, 'webhook.secret_rotated', id, { host: hostOf(row.url), oldSecretUntil: until })
    return ok({ secret, oldSecretUntil: isoOf(until) })
  })
}

/** The webhooks with their secrets in plain text, newest secret first. Only for the WebhookSender. */
export async function webhookTargets(ctx: Context): Promise<WebhookTargets> {
  const { store, sealer, now } = ctx
  const rows = store.all<WebhookRow>('SELECT * FROM webhook')
  const isSuspended = store.isSuspended
  const endpoints = await Promise.all(
    rows.map(async (row) => {
      const sealed = [row.sealed_secret, (row.old_secret_until ?? 0) > now() ? row.sealed_old_secret : null].filter(
        (one) => one !== null,
      )
      const secrets = await Promise.all(sealed.map((one) => sealer.open(one, webhookSecretBinding(ctx, row.id))))
      return { id: row.id, url: row.url, version: row.version, isOn: row.enabled === 1, secrets }
    }),
  )
  return { isSuspended, endpoints }
}

export function webhookFailed(ctx: Context, { id, version, reason }: WebhookFailure): void {
  const { store } = ctx
  store.transaction(() => {
    const row = ctx.store.webhook(id)
    if (row?.enabled !== 1 || row.version !== version) return
    store.run('UPDATE webhook SET enabled = 0, disabled_reason = ? WHERE id = ?', reason, id)
    audit(store, ctx.now(), 'webhook.disabled', id, { host: hostOf(row.url), reason })
    changed(ctx, id)
    enqueue(ctx, 'mail.webhook_disabled', id)
  })
}

/** Whether its events contain payments, with recipients and amounts. Whoever has its secret can also invent them. */
const getsPayments = (events: WebhookFilter[]) => events.some((name) => name === '*' || !isConnectionEvent(name))

const passwordNeeded: Refused = refuse(
  'password_required',
  'Enter your password: this webhook gets the recipients and amounts of your payments.',
  { field: 'password' },
)

/** Paths may contain secrets of the receiver, and the audit log keeps its rows permanently. */
const hostOf = (url: string) => URL.parse(url)?.host ?? ''

/** Updates the webhook's row that operators count, and makes the next event look up its receivers again. */
function changed(ctx: Context, id: string): void {
  enabledWebhooks(ctx).list = null
  enqueue(ctx, 'webhook', id)
}

function urlRefusal(ctx: Context, url: string, own: string | null): Refused | null {
  const problem = webhookUrlProblem(url, webhookRulesOf(ctx.env))
  if (problem) return refuse('invalid_input', problem, { field: 'url' })
  const same = ctx.store.first('SELECT 1 FROM webhook WHERE url = ? AND id <> ?', url, own ?? '')
  return same ? refuse('conflict', 'A webhook with this address already exists.', { field: 'url' }) : null
}

export const webhookSecretBinding = (ctx: Context, id: string) => `${ctx.userId}|webhook secret|${id}`

/** 256 random bits in the form of Standard Webhooks. */
async function newSecret(ctx: Context, id: string): Promise<{ secret: string; sealed: string }> {
  const secret = `whsec_${btoa(String.fromCharCode(...ctx.random(32)))}`
  return { secret, sealed: await ctx.sealer.seal(secret, webhookSecretBinding(ctx, id)) }
}
