/** What requests.ts is made of. */

/** What the account has. */
export type World = {
  url: string
  email: string
  userId: string
  token: string
  walletId: string
  walletAddress: string
  groupId: string
  agentId: string
  otherAgentId: string
  apiKey: string
  paymentId: string
  payoutId: string
  claimToken: string
  contactIds: string[]
  clientId: string
  redirectUri: string
  requestId: string
}

/** `path`: the values of its parameters. `key`: with an idempotency key. */
export type WorstRequest = {
  path?: string[]
  query?: Record<string, string>
  body?: string
  type?: string
  key?: true
}
/** The same for all calls, or of the nth. */
export type Worst = WorstRequest | ((call: { world: World; n: number }) => WorstRequest)

export const asJson = (value: unknown): WorstRequest => ({ body: JSON.stringify(value), type: 'application/json' })
export const asForm = (fields: Record<string, string>): WorstRequest => ({
  body: new URLSearchParams(fields).toString(),
  type: 'application/x-www-form-urlencoded',
})

export const text = (length: number) => 'x'.repeat(length)
export const address = (n: number) => `0x8${n.toString(16).padStart(39, '5')}`

/** Fields of the shortest names that fit into so many kB of a form. */
export const names = (kilobytes: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: Math.floor((kilobytes * 1000) / 6) }, (_, i) => [i.toString(36), '']))

/** An object of so many kB with as many fields as fit: lists of issues and copies of it are as long as can be. */
export const maximal = (kilobytes: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: Math.floor((kilobytes * 1000) / 9) }, (_, i) => [`_${i.toString(36)}`, 0]))

/** A challenge with as many offers as fit. */
export function x402Request(kilobytes: number) {
  const offer = {
    ...{ scheme: 'exact', network: 'eip155:8453', amount: '10000', asset: address(1), payTo: address(2) },
    ...{ maxTimeoutSeconds: 60, extra: { name: 'USDC', version: '2' } },
  }
  const count = Math.floor((kilobytes * 1024) / (JSON.stringify(offer).length + 1))
  return {
    ...{ method: 'GET', url: 'https://shop.example/x', max_amount: '1' },
    payment_required: {
      x402Version: 2,
      resource: { url: 'https://shop.example/x' },
      accepts: Array(count).fill(offer),
    },
  }
}

/** By turns: a body of 60 kB, a list and a dry context. */
export function mcpCall(n: number): WorstRequest {
  const calls = [
    { name: 'pay_x402', arguments: { ...x402Request(40), idempotency_key: `n${n}` } },
    { name: 'list_payments', arguments: { limit: 100 } },
    { name: 'get_payment_context', arguments: maximal(50) },
  ]
  return asJson({ jsonrpc: '2.0', id: n, method: 'tools/call', params: calls[n % calls.length] })
}
