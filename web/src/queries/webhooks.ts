import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Delivery, Webhook, WebhookFilter } from '#schemas/webhook.ts'
import { api } from '../lib/api.ts'
import { orAlreadyDeleted, refreshing } from '../lib/changes.ts'
import { queryClient } from '../lib/queryClient.ts'

export type { Delivery, Webhook, WebhookFilter }

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: ({ signal }) => api('GET /webhooks', { signal }),
})

/** Newest first, 25 at a time. */
export const deliveriesQuery = (webhookId: string) =>
  infiniteQueryOptions({
    queryKey: [...webhooksQuery.queryKey, 'deliveries', webhookId],
    queryFn: ({ signal, pageParam }) =>
      api('GET /webhooks/:webhookId/deliveries', {
        params: { webhookId },
        query: pageParam === null ? {} : { cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  })

const changed = refreshing(() => queryClient.invalidateQueries({ queryKey: webhooksQuery.queryKey, exact: true }))
export const refreshDeliveries = (webhookId: string) =>
  queryClient.invalidateQueries({ queryKey: deliveriesQuery(webhookId).queryKey })

export const createWebhook = (body: { url: string; events: WebhookFilter[] }) =>
  changed(api('POST /webhooks', { body }))
export const editWebhook = (webhookId: string, body: { url?: string; events?: WebhookFilter[]; enabled?: boolean }) =>
  changed(api('PATCH /webhooks/:webhookId', { params: { webhookId }, body }))
export const rotateSecret = (webhookId: string) =>
  changed(api('POST /webhooks/:webhookId/rotate-secret', { params: { webhookId }, body: {} }))
export const sendTest = (webhookId: string) => api('POST /webhooks/:webhookId/test', { params: { webhookId } })
export const replayDelivery = (webhookId: string, deliveryId: string) =>
  api('POST /webhooks/:webhookId/deliveries/:deliveryId/replay', { params: { webhookId, deliveryId } })

export const deleteWebhook = (webhookId: string) =>
  changed(orAlreadyDeleted(api('DELETE /webhooks/:webhookId', { params: { webhookId } })))
