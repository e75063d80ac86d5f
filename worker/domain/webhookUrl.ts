import ipaddr from 'ipaddr.js'

/** Where webhooks may go. A Worker cannot pin the address that a name resolves to, so the names themselves are checked. */

/** Names that no public resolver knows, or that always refer to the machine itself or its network. */
const reserved = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home|corp|private|test|invalid|onion|arpa)$/
/** Public names whose first labels spell an IP address, or that always resolve to loopback. */
const spelledAddresses = /(^|\.)(nip\.io|sslip\.io|xip\.io|traefik\.me|localtest\.me|lvh\.me|vcap\.me|lacolhost\.com)$/

/** `isLocal` marks a local build, which may also send to loopback without TLS. `own` has Bursar's own origins. */
export type WebhookRules = { isLocal: boolean; own: readonly string[] }

/** The rules of a deployment, from its settings. */
export const webhookRulesOf = (env: { ENVIRONMENT: string; API_ORIGIN: string; APP_ORIGIN: string }): WebhookRules => ({
  isLocal: env.ENVIRONMENT !== 'production',
  own: [env.API_ORIGIN, env.APP_ORIGIN],
})

const maxLength = 500

/** Why nothing may be sent to `text`, as a sentence for people, or null. Checked when saving and before every attempt. */
export function webhookUrlProblem(text: string, { isLocal, own }: WebhookRules): string | null {
  const url = text.length <= maxLength && !/\s/.test(text) ? URL.parse(text) : null
  if (!url) return 'Enter a full address, such as https://example.com/webhooks'
  if (url.username !== '' || url.password !== '')
    return 'The address must not contain a user name or password; the signature shows who sent an event'
  const host = plainHost(url)
  if (host.split('.').includes('')) return 'The host name must not have two dots in a row, or begin with one'
  const mayBeLocal = isLocal && isLoopback(host)
  if (url.protocol !== 'https:' && !(mayBeLocal && url.protocol === 'http:'))
    return 'The address must begin with https://'
  if (isOwn(url, own)) return 'This is an address of Bursar itself. Enter one of your own'
  if (mayBeLocal) return null
  if (url.port !== '') return 'The address must use port 443'
  if (isIp(host)) return 'The address must have a host name, not an IP address'
  if (!host.includes('.') || reserved.test(host) || spelledAddresses.test(host))
    return 'The address must be reachable from the internet'
  return null
}

const unbracketed = (host: string) => host.replace(/^\[|\]$/g, '')
const isIp = (host: string) => ipaddr.isValid(unbracketed(host))

/** URL parsing has already normalized decimal, octal, hexadecimal and full-width spellings. */
function isLoopback(host: string): boolean {
  if (host === 'localhost') return true
  return isIp(host) && ipaddr.process(unbracketed(host)).range() === 'loopback'
}

/** A name with a dot at its end is the same host. */
const plainHost = ({ hostname }: URL) => hostname.replace(/\.$/, '')

/** Whether the host is that of one of our origins or a subdomain of it. On loopback, the ports are compared. */
export function isOwn(url: URL, own: readonly string[]): boolean {
  const host = plainHost(url)
  const portOf = ({ port, protocol }: URL) => port || (protocol === 'https:' ? '443' : '80')
  return own.some((origin) => {
    const ours = URL.parse(origin)
    if (!ours) return false
    if (isLoopback(host) && isLoopback(ours.hostname)) return portOf(url) === portOf(ours)
    return host === ours.hostname || host.endsWith(`.${ours.hostname}`)
  })
}
