import type { WebhookFilter } from '#schemas/webhook.ts'
import { logError } from '../../observability/log.ts'
import { andThen, ok, type Refused, type Result, refuse } from '../../result.ts'
import type { WebhookFailure } from '../../webhooks/api.ts'
import { takeOwnerChange } from '../limits/ownerActions.ts'
import { OperatedTreasury } from '../operators/operatedTreasury.ts'
import { sendEvent } from '../outbox/events.ts'
import type * as Api from './api.ts'
import * as endpoints from './endpoints.ts'

const notOn: Refused = refuse('conflict', 'This webhook is switched off. Switch it on first.')

/** RPC calls for the account's webhooks. treasury.ts adds those of users and agents. */
export abstract class WebhookedTreasury extends OperatedTreasury implements Api.WebhookCalls {
  async webhooks() {
    return endpoints.listWebhooks(this.context)
  }
  async webhook(id: string) {
    return endpoints.findWebhook(this.context, id)
  }
  async createWebhook(input: { url: string; events: WebhookFilter[] }) {
    return takeOwnerChange(this.context) ?? (await endpoints.createWebhook(this.context, input))
  }
  async editWebhook(id: string, edit: Api.WebhookEdit) {
    // It must always be possible to switch a webhook off.
    const refused = edit.enabled === false ? null : takeOwnerChange(this.context)
    return refused ?? this.#afterChange(endpoints.editWebhook(this.context, id, edit))
  }
  async deleteWebhook(id: string) {
    return this.#afterChange(endpoints.deleteWebhook(this.context, id))
  }
  async rotateWebhookSecret(id: string) {
    const refused = takeOwnerChange(this.context)
    return refused ?? this.#afterChange(await endpoints.rotateSecret(this.context, id))
  }
  async testWebhook(id: string) {
    const refused = this.#sendingRefusal(id)
    if (refused) return refused
    const data = { id, object: 'webhook' as const, message: 'This is a test. Nothing has happened.' }
    const { store } = this.context
    const event = store.transaction(() => sendEvent(this.context, 'webhook.test', [id], data))
    // The caller looks for the event in the list of deliveries.
    await this.outbox.flushEvents()
    return ok({ id: event })
  }
  async replayDelivery(id: string, eventId: string) {
    return this.#sendingRefusal(id) ?? (await this.#sender.replay(id, eventId))
  }
  async webhookTargets() {
    return endpoints.webhookTargets(this.context)
  }
  async webhookFailed(failure: WebhookFailure) {
    endpoints.webhookFailed(this.context, failure)
  }
  override async wakeForOperator() {
    await super.wakeForOperator()
    await this.#sender.wakeUp()
  }
  override async suspend(isSuspended: boolean) {
    const state = await super.suspend(isSuspended)
    await this.#refreshSender()
    return state
  }

  get #sender() {
    return this.context.env.WEBHOOK_SENDER.getByName(this.context.userId)
  }

  #sendingRefusal(id: string) {
    const found = endpoints.findWebhook(this.context, id)
    if (!found.ok) return found
    if (!found.value.enabled) return notOn
    return takeOwnerChange(this.context)
  }

  /** From now on nothing is sent to a webhook that was deleted or switched off. */
  async #afterChange<T>(result: Result<T>): Promise<Result<T>> {
    return andThen(result, async (value) => {
      await this.#refreshSender()
      return ok(value)
    })
  }

  /** If this call fails, the WebhookSender refreshes by itself within seconds. */
  async #refreshSender(): Promise<void> {
    await this.#sender.refresh().catch((error: unknown) => logError('webhooks_not_refreshed', {}, error))
  }
}
