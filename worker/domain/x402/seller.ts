import { sameAddress } from '../sameAddress.ts'
import { type WebhookRules, webhookUrlProblem } from '../webhookUrl.ts'
import type { Token } from './chooseOffer.ts'
import type { ChallengeProblem, PaymentRequired } from './paymentRequired.ts'

/** What is bought. Query and fragment are no part of it: they may differ with each request of the same purchase. */
export type Resource = { method: string; origin: string; path: string; host: string }

/** The methods that HTTP defines for requests of a resource. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** `url` must be one that Bursar may request itself, as the address of a webhook is. */
export function parseResource(
  url: string,
  method: string,
  rules: WebhookRules,
): { ok: true; resource: Resource } | { ok: false; problem: ChallengeProblem } {
  const problem = webhookUrlProblem(url, rules)
  if (problem !== null) return { ok: false, problem: { field: 'resource', message: problem } }
  if (!methods.includes(method))
    return { ok: false, problem: { field: 'method', message: `method must be one of ${methods.join(', ')}` } }
  const { protocol, pathname, hostname, port } = new URL(url)
  // A final dot leads to the same server, which would be another seller.
  const host = hostname.replace(/\.$/, '') + (port && `:${port}`)
  return { ok: true, resource: { method, origin: `${protocol}//${host}`, path: pathname, host } }
}

/** As in a payment's terms and row: `GET https://api.example.com/weather`. */
export const resourceText = ({ method, origin, path }: Resource): string => `${method} ${origin}${path}`

export const urlOf = (resource: string): string => resource.slice(resource.indexOf(' ') + 1)

/** The host of such a text, with its port. */
export const hostOf = (resource: string): string => new URL(urlOf(resource)).host

/** Identifies a seller: its host, and the address where it is paid. */
export const sellerPair = (host: string, address: string): string => `${host} ${address.toLowerCase()}`

const isAddress = (value: unknown, address: string) => typeof value === 'string' && sameAddress(value, address)

/**
 * Whether a challenge that the host sent to Bursar itself confirms that the host is paid at `payTo`. The agent's own copy of a
 * challenge proves nothing about the host.
 */
export const confirmsSeller = ({ accepts }: PaymentRequired, token: Token, payTo: string): boolean =>
  accepts.some(
    ({ network, asset, payTo: named }) =>
      network === `eip155:${token.chainId}` && isAddress(asset, token.address) && isAddress(named, payTo),
  )
