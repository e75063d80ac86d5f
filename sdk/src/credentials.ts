import { BursarError, BursarSignedOut } from './errors.ts'

/** Returns an access token. `rejected`: one that was just not accepted. */
export type AccessTokens = (call: { rejected?: string | undefined; signal: AbortSignal }) => Promise<string>

/** An agent's API key, its OAuth client, which gets access tokens that last 15 minutes, or access tokens from elsewhere. */
export type Credentials =
  | { apiKey: string }
  | { clientId: string; clientSecret: string }
  | { accessToken: AccessTokens }

/** Throws TypeError if a header could not carry the text, without showing it. */
export function headerText(text: string, name: string): string {
  if (typeof text === 'string' && /^[\x20-\x7e]+$/.test(text) && text.trim() === text) return text
  throw new TypeError(`${name}: has a character that no credential has, such as a line break`)
}

type Token = { text: string; freshUntil: number }

/** A token is replaced this long before it expires. */
const earlyMs = 60_000 // 1 minute

/** Provides the bearer token of each request. */
export class TokenSource {
  readonly #credentials: Credentials
  readonly #post: (form: URLSearchParams, signal: AbortSignal) => Promise<Response>
  #token: Promise<Token> | null = null
  #rejected: string | undefined

  /** `post` sends a form to the token endpoint. */
  constructor(credentials: Credentials, post: (form: URLSearchParams, signal: AbortSignal) => Promise<Response>) {
    this.#credentials = credentials
    this.#post = post
  }

  /** Whether another token could be accepted where one was not. */
  get canRenew(): boolean {
    return !('apiKey' in this.#credentials)
  }

  /** Throws BursarSignedOut if the client is unknown, and whatever `post` or `accessToken` throws. */
  async get(signal: AbortSignal): Promise<string> {
    if ('apiKey' in this.#credentials) return this.#credentials.apiKey
    if ('accessToken' in this.#credentials)
      return headerText(await this.#credentials.accessToken({ rejected: this.#rejected, signal }), 'accessToken')
    const known = await this.#token?.catch(() => null)
    if (known && performance.now() < known.freshUntil) return known.text
    this.#token = this.#issue(this.#credentials, signal)
    return (await this.#token).text
  }

  /** Forgets a token that was not accepted, unless it has been replaced meanwhile. */
  async reject(text: string): Promise<void> {
    this.#rejected = text
    const known = await this.#token?.catch(() => null)
    if (known?.text === text) this.#token = null
  }

  async #issue({ clientId, clientSecret }: { clientId: string; clientSecret: string }, signal: AbortSignal) {
    const askedAt = performance.now() // does not depend on whether the machine's clock is right
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
    const reply = await this.#post(new URLSearchParams(form), signal)
    const body = (await reply.json()) as { access_token?: string; expires_in?: number; error_description?: string }
    if (reply.status === 400 || reply.status === 401)
      throw new BursarSignedOut('unauthenticated', body.error_description ?? 'The client is unknown.', {
        status: reply.status,
      })
    if (!body.access_token) throw new BursarError('no_token', 'The token endpoint issued no token.')
    const lifetimeMs = (body.expires_in ?? 0) * 1000
    return { text: body.access_token, freshUntil: askedAt + Math.max(lifetimeMs / 2, lifetimeMs - earlyMs) }
  }
}
