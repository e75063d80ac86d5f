import { createMiddleware } from 'hono/factory'
import { limitsFrom } from '#domain/limits.ts'
import type { AppEnv } from '../appEnv.ts'
import { type Slot, takeSlot } from '../services/concurrencyLimit.ts'
import { quotaOf } from '../services/quotas.ts'
import { refuseCall } from './rateLimit.ts'

/** Parameters that only choose the place in a list, or its rows by id. */
const places = new Set(['page', 'pageSize', 'cursor', 'sort', 'ids', 'userId'])

/**
 * For calls that read many rows, of D1, which all accounts share, or of the user's History: few of each user run at the same
 * time. Searching and filtering read more rows than they return, so such a call counts as several.
 */
export const readsRows = ({ isSearch = false } = {}) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const { userListsAtOnce, userSearchCost } = limitsFrom(c.env)
    const { personId, deps } = c.var
    if (isSearch || Object.keys(c.req.query()).some((name) => !places.has(name))) {
      const [quota, now] = [quotaOf('user', c.env), deps.now()]
      // login() has counted one, and will count one when the call is repeated.
      if (quota.take(personId, now, userSearchCost - 1) < 0) await refuseCall(quota, personId, now, userSearchCost)
    }
    const slot = await takeSlot(`list ${personId}`, userListsAtOnce)
    try {
      await next()
    } catch (error) {
      slot.release()
      throw error
    }
    if (c.res.headers.has('content-disposition') && c.res.body) c.res = untilRead(c.res, c.res.body, slot)
    else slot.release()
  })

/** The response, which keeps the slot until its last part was read or its reader is gone. */
function untilRead(response: Response, body: ReadableStream<Uint8Array>, slot: Slot): Response {
  const reader = body.getReader()
  const read = new ReadableStream<Uint8Array>({
    async pull(controller) {
      slot.touch()
      try {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
      } catch (error) {
        slot.release()
        throw error
      }
      slot.release()
      controller.close()
    },
    async cancel(reason) {
      slot.release()
      await reader.cancel(reason)
    },
  })
  return new Response(read, response)
}
