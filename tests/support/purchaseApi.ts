/** Purchases of /v1 as a client sees them, in memory: one for each Idempotency-Key, signed at once unless told otherwise. */
import type { Payment, Purchase } from '#sdk'
import { type PaymentPayload, paymentHeader } from '../../worker/domain/x402/paymentPayload.ts'
import { parsePaymentRequired } from '../../worker/domain/x402/paymentRequired.ts'
import { payment } from './sdkPayment.ts'

export const bursarUrl = 'https://bursar.example'

type Body = { resource: string; method: string; payment_required: unknown; max_amount?: string }
type Reply = { status: number; body: unknown; headers?: Record<string, string> }
type Asked = Body & { key: string }

export const problem = (status: number, code: string, more: object = {}): Reply => ({
  status,
  body: { type: 'about:blank', title: code, status, detail: `Because of ${code}.`, code, ...more },
})

/**
 * `reply` decides about a request before it is bought; undefined buys. `sells` is called for requests to any other host, by default
 * really sent.
 */
export function purchaseApi(reply: (asked: Asked, attempt: number) => Reply | Error | undefined = () => undefined) {
  const asked: Asked[] = []
  const receipts: { id: string; payment_response: string | null; served: boolean }[] = []
  const bought = new Map<string, Purchase>()

  function buy({ key, ...body }: Asked): Purchase {
    const known = bought.get(key)
    if (known) return known
    const challenge = parsePaymentRequired(body.payment_required)
    if (!challenge.ok) throw new Error(challenge.problem.message)
    const accepted = challenge.value.accepts[0]!
    const number = bought.size + 1
    const amount = String(accepted.amount)
    const payload: PaymentPayload = {
      x402Version: 2,
      accepted,
      ...(challenge.value.resource && { resource: challenge.value.resource }),
      payload: {
        signature: `0x${'12'.repeat(103)}`,
        authorization: {
          from: '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
          to: String(accepted.payTo),
          value: amount,
          validAfter: '0',
          validBefore: '1795000000',
          nonce: `0x${String(number).padStart(64, '0')}`,
        },
      },
    }
    const purchase: Purchase = {
      ...payment({ id: `pay_${number}`, status: 'PROCESSING', amount: String(Number(amount) / 1e6) }),
      to: { type: 'x402', address: String(accepted.payTo), resource: `${body.method} ${body.resource}` },
      x402: { header: paymentHeader(payload), payload, valid_before: 1_795_000_000 },
    }
    bought.set(key, purchase)
    return purchase
  }

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const receiptOf = /^\/v1\/x402-payments\/(\w+)\/receipt$/.exec(pathname)?.[1]
    if (receiptOf !== undefined) {
      const receipt = (await request.json()) as { payment_response: string | null; served: boolean }
      receipts.push({ id: receiptOf, ...receipt })
      return Response.json(payment({ id: receiptOf, receipt }))
    }
    const key = request.headers.get('idempotency-key')!
    const input: Asked = { key, ...((await request.json()) as Body) }
    const replayed = bought.has(key)
    asked.push(input)
    const other = reply(input, asked.length)
    if (other instanceof Error) throw other
    if (other) return Response.json(other.body, { status: other.status, headers: other.headers ?? {} })
    return Response.json(buy(input), { status: 201, headers: replayed ? { 'idempotent-replayed': 'true' } : {} })
  }

  return {
    asked,
    receipts,
    bought,
    buy,
    /** A `fetch` for Bursar and, by default over the network, for sellers. */
    fetchWith:
      (sells: (request: Request) => Response | Promise<Response> = (request) => globalThis.fetch(request)) =>
      async (request: Request): Promise<Response> =>
        request.url.startsWith(bursarUrl) ? answer(request) : sells(request),
  }
}

/** A purchase as it is before it is signed. */
export const unsigned = (status: Payment['status'], over: Partial<Purchase> = {}): Purchase => ({
  ...payment({ status }),
  x402: null,
  ...over,
})
