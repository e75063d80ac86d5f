import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { AppError } from '../errors.ts'
import { acceptDeliveryReport } from '../services/deliveryReports.ts'

/** /delivery-reports/{vendor}: webhooks of message vendors, which authenticate themselves. Bodies are JSON or forms. */
export const deliveryReports = new Hono<AppEnv>().post('/:vendor', async (c) => {
  const { pathname, search } = new URL(c.req.url)
  // Vendors sign the address that they were given, which may differ from the one that a proxy called.
  const url = `${c.env.API_ORIGIN}${pathname}${search}`
  // Not text(), because workerd warns about forms.
  const body = new TextDecoder().decode(await c.req.arrayBuffer())
  const request = { url, headers: c.req.raw.headers, body }
  const outcome = await acceptDeliveryReport(c.var.deps, c.req.param('vendor'), request)
  if (outcome === 'not_set_up') throw new AppError('not_found', 'Not found.')
  if (outcome === 'unauthenticated') throw new AppError('forbidden', 'The signature of this report is not valid.')
  return c.body(null, 204)
})
