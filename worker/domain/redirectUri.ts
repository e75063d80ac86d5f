import { isOwn } from './webhookUrl.ts'

/** Where the code of an authorization may be sent (RFC 8252, OAuth 2.1 section 2.3). Record 084. */

/** What a redirect URI means to the person who consents. `host` is in ASCII form, with a port that is not the default. */
export type RedirectTarget =
  | { type: 'website'; host: string }
  | { type: 'loopback' }
  | { type: 'private_scheme'; scheme: string }

/**
 * Schemes that a known assistant has registered with the operating system. Any program can take any scheme, so an unknown
 * one says nothing about where the code goes.
 */
export const privateSchemes: readonly string[] = ['cursor', 'vscode', 'vscode-insiders', 'windsurf', 'warp', 'raycast']

const maxLength = 1_000

/** Null if no code may be sent to this address. `own`: Bursar's own origins. */
export function redirectTarget(text: string, own: readonly string[]): RedirectTarget | null {
  // Parsers disagree about these, and a fragment would reach the page's scripts.
  if (text.length > maxLength || !/^[\x21-\x7e]+$/.test(text) || /[\\#<>"^`{|}]/.test(text)) return null
  const url = /^[a-z][a-z0-9+.-]*:\/\/[^/?]/i.test(text) ? URL.parse(text) : null
  if (url?.username !== '' || url.password !== '') return null
  const scheme = url.protocol.slice(0, -1)
  if (privateSchemes.includes(scheme)) return { type: 'private_scheme', scheme }
  if (scheme !== 'https' && scheme !== 'http') return null
  if (isOwn(url, own) || url.hostname.endsWith('.')) return null
  if (isLoopback(url)) return { type: 'loopback' }
  return scheme === 'https' ? { type: 'website', host: url.host } : null
}

export const isLoopback = ({ hostname }: URL) => ['localhost', '127.0.0.1', '[::1]'].includes(hostname)

/**
 * The address by which two authorizations of a client go to the same place: without the port if it is a program on this
 * computer, which takes any that is free.
 */
export function redirectKey(text: string): string {
  const url = URL.parse(text)
  if (!url || !takesAnyPort(url)) return text
  url.port = ''
  return url.href
}

const takesAnyPort = (url: URL) => url.protocol === 'http:' && isLoopback(url)

/** Exact comparison of strings, except for the port of a loopback address. */
export const isRegisteredRedirect = (registered: readonly string[], asked: string): boolean =>
  registered.some((one) => redirectKey(one) === redirectKey(asked))

/** The address with these parameters added to its query. */
export function withParameters(redirectUri: string, parameters: Record<string, string | null>): string {
  const query = new URLSearchParams(
    Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null),
  )
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`
}
