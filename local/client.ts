/** A client of Bursar's API for people (/api and /dev), and of the chain as anyone can read it. Agents use the SDK. */
import { createPublicClient, erc20Abi, http } from 'viem'
import { type MicroUsdc, microUsdc } from '#domain/money.ts'
import type { LoginReply } from '#schemas/account.ts'
import type { ClaimPayout, ClaimReply, VerifyReply } from '#schemas/escrow.ts'
import type { Address } from '../worker/chain/types.ts'

type Call = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  token?: string
  key?: string
  body?: unknown
  form?: Record<string, string>
}
export type Answer<T> = { status: number; headers: Headers; body: T }
/** A longer wait is not about how many calls there were, but about codes or passwords. */
const maxWaitSeconds = 5
/** More refusals in a row than one account's own calls can cause. */
const maxAttempts = 20

type Envelope<T> = { success: true; data: T; message?: string } | { success: false; error: string; code: string }

export class BursarClient {
  readonly url: string
  readonly rpcUrl: string
  readonly #chain: ReturnType<typeof createPublicClient>

  readonly #messagesUrl: string

  /** `messagesUrl` lists received messages; by default it is the local stack's own inbox. */
  constructor(url: string, rpcUrl: string, messagesUrl = `${url}/dev/inbox`) {
    this.url = url
    this.#messagesUrl = messagesUrl
    this.rpcUrl = rpcUrl
    this.#chain = createPublicClient({ transport: http(rpcUrl) })
  }

  /** Returns any reply, even a refusal. Throws if there is none or it is not JSON. */
  async call<T>(path: string, options: Call = {}): Promise<Answer<T>> {
    const { method, token, key, body, form } = options
    const headers: Record<string, string> = { accept: 'application/json' }
    if (token) headers.authorization = `Bearer ${token}`
    if (key) headers['idempotency-key'] = key
    if (body !== undefined) headers['content-type'] = 'application/json'
    const response = await fetch(`${this.url}${path}`, {
      method: method ?? (body !== undefined || form ? 'POST' : 'GET'),
      headers,
      signal: AbortSignal.timeout(30_000),
      body: form ? new URLSearchParams(form) : body === undefined ? null : JSON.stringify(body),
    }).catch((cause) => {
      throw new Error(`Nothing responds at ${this.url}: is npm run dev running?`, { cause })
    })
    const text = await response.text()
    try {
      return { status: response.status, headers: response.headers, body: JSON.parse(text) as T }
    } catch {
      throw new Error(`${path} returned ${response.status} without JSON: ${text.slice(0, 300)}`)
    }
  }

  /** Calls a path under /api and returns the data. Waits if there were too many calls. Throws if the call fails. */
  async api<T>(path: string, options?: Call): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const { status, headers, body } = await this.call<Envelope<T>>(`/api${path}`, options)
      if (body.success) return body.data
      const seconds = Number(headers.get('retry-after'))
      if (body.code !== 'rate_limited' || seconds > maxWaitSeconds || attempt === maxAttempts)
        throw new Error(`/api${path} returned ${status} ${body.code}: ${body.error}`)
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    }
  }

  /** Calls a path outside /api and returns the whole body. Throws if the call fails. */
  async plain<T>(path: string, options?: Call): Promise<T> {
    const { status, body } = await this.call<T>(path, options)
    if (status >= 300) throw new Error(`${path} returned ${status}: ${JSON.stringify(body)}`)
    return body
  }

  /** Throws if a new password has to be chosen first. */
  async signIn(email: string, password: string) {
    const reply = await this.api<LoginReply>('/auth/cognito/login', { body: { email, password } })
    if (!('accessToken' in reply)) throw new Error(`${email} has to choose a new password`)
    return reply
  }

  /** Claims a payout as its recipient does, and waits until it is withdrawn. */
  async claim(accessToken: string, passcode: string, recipientAddress: string): Promise<void> {
    const { sessionToken } = await this.api<VerifyReply>('/escrow/verify-passcode', { body: { accessToken, passcode } })
    await this.api<ClaimReply>('/escrow/claim', { body: { accessToken, sessionToken, recipientAddress } })
    await until('the payout to be withdrawn', async () => {
      const { status } = await this.api<ClaimPayout>(`/escrow/claim/${accessToken}`)
      return status === 'WITHDRAWN'
    })
  }

  /** Waits for a message to `to` that matches `pattern`. Returns the match in the newest one. */
  async message(to: string, pattern: RegExp, what: string): Promise<RegExpExecArray> {
    return until(what, async () => {
      const query = `?to=${encodeURIComponent(to)}`
      const reply = await fetch(`${this.#messagesUrl}${query}`, { headers: { accept: 'application/json' } })
      const messages = (await reply.json()) as { text: string }[]
      return messages.map(({ text }) => pattern.exec(text)).find((match) => match !== null)
    })
  }

  /** Reads the balance directly from the chain, without Bursar. */
  async usdcOnChain(token: Address, holder: Address): Promise<MicroUsdc> {
    const args = [holder] as const
    return microUsdc(await this.#chain.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args }))
  }

  /** Whether there is a contract at this address now. */
  async hasCode(address: Address): Promise<boolean> {
    return (await this.#chain.getCode({ address })) !== undefined
  }
}

/** Calls `look` every 300 ms until it returns a truthy value. Throws after `withinMs`. */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false>,
  withinMs = 180_000, // 3 minutes, for slow machines
): Promise<T> {
  const deadline = Date.now() + withinMs
  for (;;) {
    const found = await look()
    if (found) return found
    if (Date.now() > deadline) throw new Error(`timed out after ${withinMs / 1000} s waiting for: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
}
