import { RpcTarget } from 'cloudflare:workers'
import type { Delivery, WebhookFilter } from '#schemas/webhook.ts'
import { logError } from '../../../observability/log.ts'
import { andThen, ok, type Refused, type Result, refuse } from '../../../result.ts'
import type { Context } from '../../core/context.ts'
import { takeOwnerChange } from '../../limits/ownerActions.ts'
import type { Outbox } from '../delivery/flush.ts'
import { sendEvent } from '../events.ts'
import * as endpoints from './endpoints.ts'
import type { WebhookEdit } from './rpcTypes.ts'

const notOn: Refused = refuse('conflict', 'This webhook is switched off. Switch it on first.')

const senderOf = ({ env, userId }: Context) => env.WEBHOOK_SENDER.getByName(userId)

/** If this call fails, the WebhookSender refreshes by itself within seconds. */
export async function refreshSender(ctx: Context): Promise<void> {
  await senderOf(ctx)
    .refresh()
    .catch((error: unknown) => logError('webhooks_not_refreshed', {}, error))
}

export const wakeSender = async (ctx: Context): Promise<void> => {
  await senderOf(ctx).wakeUp()
}

/** The account's webhooks. The Treasury decides what is sent to whom, the WebhookSender sends it. */
export class Webhooks extends RpcTarget {
  readonly #ctx: Context
  readonly #outbox: Outbox

  constructor(ctx: Context, outbox: Outbox) {
    super()
    this.#ctx = ctx
    this.#outbox = outbox
  }

  async list() {
    return endpoints.listWebhooks(this.#ctx)
  }
  async get(id: string) {
    return endpoints.findWebhook(this.#ctx, id)
  }
  async create(input: { url: string; events: WebhookFilter[]; passwordChecked?: boolean }) {
    return takeOwnerChange(this.#ctx) ?? (await endpoints.createWebhook(this.#ctx, input))
  }
  async edit(id: string, edit: WebhookEdit) {
    // It must always be possible to switch a webhook off.
    const refused = edit.enabled === false ? null : takeOwnerChange(this.#ctx)
    return refused ?? this.#afterChange(endpoints.editWebhook(this.#ctx, id, edit))
  }
  async delete(id: string) {
    return this.#afterChange(endpoints.deleteWebhook(this.#ctx, id))
  }
  /** The old secret signs along with the new one for 24 hours. */
  async rotateSecret(id: string, passwordChecked = false) {
    return takeOwnerChange(this.#ctx) ?? this.#afterChange(await endpoints.rotateSecret(this.#ctx, id, passwordChecked))
  }
  /** Sends a `webhook.test` event and returns its id. */
  async test(id: string) {
    const refused = this.#sendingRefusal(id)
    if (refused) return refused
    const data = { id, object: 'webhook' as const, message: 'This is a test. Nothing has happened.' }
    const { store } = this.#ctx
    const event = store.transaction(() => sendEvent(this.#ctx, 'webhook.test', [id], data))
    // The caller looks for the event in the list of deliveries.
    await this.#outbox.flushEvents()
    return ok({ id: event })
  }
  async replay(id: string, eventId: string): Promise<Result<Delivery>> {
    return this.#sendingRefusal(id) ?? (await senderOf(this.#ctx).replay(id, eventId))
  }

  #sendingRefusal(id: string) {
    const found = endpoints.findWebhook(this.#ctx, id)
    if (!found.ok) return found
    if (!found.value.enabled) return notOn
    return takeOwnerChange(this.#ctx)
  }

  /** From now on nothing is sent to a webhook that was deleted or switched off. */
  #afterChange<T>(result: Result<T>): Promise<Result<T>> {
    return andThen(result, async (value) => {
      await refreshSender(this.#ctx)
      return ok(value)
    })
  }
}
