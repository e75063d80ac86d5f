/** One client of a sender. Sends one request after the other, and repeats a request while the Worker is down. */

import { formatUsdc, type MicroUsdc } from '#domain/money.ts'
import type { CreateEscrowReply, VerifyReply } from '#schemas/escrow.ts'
import type { PolicyGroup } from '#schemas/policy.ts'
import type { BursarClient } from '../../local/client.ts'
import { payOnce } from '../support/agentCalls.ts'
import { usdc } from '../support/build.ts'
import { callTool, protocols } from '../support/mcpOverHttp.ts'
import { patient } from '../support/patience.ts'
import type { Random } from '../support/random.ts'
import type { Shop } from '../support/shop.ts'
import { addressFor, definite, definiteAnswer, pause, type Sender } from '../support/stackClient.ts'
import type { Asked, History, Operation } from './history.ts'

/** On a busy machine, a Worker that is killed every other second may need many restarts to give one reply. */
const repliesWithinMs = patient(300_000) // 5 minutes

/** A payout as its recipient and its sender know it. `link` is missing until a client has seen link and code. */
type Link = { accessToken: string; passcode: string }
type KnownPayout = { id: string; email: string; link?: Link | undefined; ended: boolean }

/** What the clients of one sender share. */
export type SenderRecord = {
  index: number
  sender: Sender
  payouts: KnownPayout[]
  problems: string[]
  replays: Replay[]
}
/** An acknowledged request, which is repeated at the end and must return the same payment. */
export type Replay = { operation: Operation; ask: () => Promise<string | null> }

export type AuditCheck = { rows: number; head: string; brokenAt: number | null }
type AgentRecipient = { type: 'address'; address: string } | { type: 'email'; email: string }
type Answered<T> = { status: number; body: T }
type Bought = { id?: string; code: string; x402: { header: string; payload: unknown } | null }
type Envelope<T> = { success: boolean; data: T; code: string }

export class Client {
  readonly #bursar: BursarClient
  readonly #record: SenderRecord
  readonly #random: Random
  readonly #history: History
  readonly #name: string
  readonly #shop: Shop | null
  readonly #settle: ReturnType<Shop['facilitator']> | undefined
  readonly #settlesAll: boolean
  #count = 0
  #auditRows = 0

  constructor(options: {
    name: string
    bursar: BursarClient
    record: SenderRecord
    random: Random
    history: History
    /** Without it nothing is bought. */
    shop?: Shop
    /** Otherwise some sellers never take their money. */
    settlesAll?: boolean
  }) {
    this.#name = options.name
    this.#bursar = options.bursar
    this.#record = options.record
    this.#random = options.random
    this.#history = options.history
    this.#shop = options.shop ?? null
    this.#settle = options.shop?.facilitator()
    this.#settlesAll = options.settlesAll ?? true
  }

  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.#step(this.#random.int(1, 100))
      await pause(this.#random.int(20, 200)) // people think
    }
  }

  #step(choice: number): Promise<void> {
    const agent = this.#random.int(0, this.#record.sender.agents.length - 1)
    const amount = this.#amount()
    if (choice <= 8 && this.#shop) return this.#buy(agent, this.#shop)
    if (choice <= 32) return this.#send(agent, amount)
    if (choice <= 47) return this.#send('user', amount)
    if (choice <= 59) return this.#payout(agent, amount)
    if (choice <= 68) return this.#payout('user', amount)
    if (choice <= 86) return this.#claim()
    if (choice <= 94) return this.#reclaim()
    return this.#checkInvariants()
  }

  /** 0.10 to 0.25 USDC; now and then more than the wallet has. */
  #amount(): MicroUsdc {
    const amount = this.#random.int(100_000, 250_000)
    return (this.#random.chance(4) ? usdc('5000') + BigInt(amount) : BigInt(amount)) as MicroUsdc
  }

  #next = () => `${this.#name}-${++this.#count}`

  #begin(asked: Asked, key = this.#next()): Operation {
    return this.#history.invoke({ sender: this.#record.index, key, asked, unknown: 0 })
  }

  /** Returns the definite reply, which ends the operation after any number of unknown outcomes. */
  #ask<T>(operation: Operation, path: string, token: () => Promise<string> | string | null, body?: unknown) {
    return definite<T>(
      this.#bursar,
      path,
      async () => {
        const bearer = await token()
        return { method: body ? 'POST' : 'GET', ...(bearer && { token: bearer }), key: operation.key, body }
      },
      (why) => this.#history.info(operation, why),
      repliesWithinMs,
    )
  }

  #end(operation: Operation, { status, body }: Answered<{ code: string }>, id: string | undefined): boolean {
    const ok = status < 300 && id !== undefined
    this.#history.end(operation, ok ? { ok, id } : { ok: false, status, code: body.code })
    return ok
  }

  async #send(by: 'user' | number, amount: MicroUsdc): Promise<void> {
    const { sender } = this.#record
    const key = this.#next()
    const to = addressFor(`${sender.wallet.id} ${key}`)
    const operation = this.#begin({ kind: 'send', by, to, amount }, key)
    const ask = async () => {
      if (by === 'user') {
        const body = { walletId: sender.wallet.id, toAddress: to, amount: formatUsdc(amount) }
        const answer = await this.#ask<Envelope<{ id: string }>>(
          operation,
          '/api/transactions/send',
          sender.token,
          body,
        )
        return { answer, id: answer.body.data?.id }
      }
      return this.#askAgent(operation, by, { type: 'address', address: to }, amount)
    }
    const { answer, id } = await ask()
    if (this.#end(operation, answer, id))
      this.#record.replays.push({ operation, ask: async () => (await ask()).id ?? null })
  }

  /**
   * Buys from a seller that nobody else pays, who takes the money, or now and then never does. The seller gets the same signature however
   * often the agent asks.
   */
  async #buy(by: number, shop: Shop): Promise<void> {
    const { sender, problems } = this.#record
    const key = this.#next()
    const to = addressFor(`${sender.wallet.id} ${key}`)
    const amount = BigInt(this.#random.int(1_000, 100_000))
    const settles = this.#settlesAll || this.#random.chance(70)
    const operation = this.#begin({ kind: 'purchase', by, to, amount, settles }, key)
    const token = () => sender.agents[by]!.apiKey
    const ask = () => this.#ask<Bought>(operation, '/v1/x402-payments', token, shop.requestOf(to, amount))
    let answer = await ask()
    while (answer.status === 202) {
      await pause(500)
      answer = await ask()
    }
    if (!this.#end(operation, answer, answer.body.id)) return
    this.#record.replays.push({ operation, ask: async () => (await ask()).body.id ?? null })
    const { x402 } = answer.body
    if (!x402 || !settles) return
    const again = (await ask()).body.x402
    if (again && again.header !== x402.header) problems.push(`I18: ${key} has two signatures`)
    await (await this.#settle!)(x402.payload).catch((error) => problems.push(`${key} was not settled: ${error}`))
  }

  /** Pays over REST or MCP, and after an unknown outcome again over either, because both share idempotency keys. */
  async #askAgent(operation: Operation, agent: number, to: AgentRecipient, amount: MicroUsdc) {
    const token = this.#record.sender.agents[agent]!.apiKey
    const { key } = operation
    const body = { to, amount: formatUsdc(amount) }
    const { type, ...recipient } = to
    const tool = { token, name: `pay_${type}`, args: { ...recipient, amount: body.amount, idempotency_key: key } }
    const answer = await definiteAnswer<{ id?: string; code: string }>(
      'the payment',
      () => {
        const way = this.#random.pick(['rest', ...protocols] as const)
        return way === 'rest'
          ? payOnce(this.#bursar, token, { ...body, idempotencyKey: key })
          : callTool(this.#bursar.url, way, tool)
      },
      (why) => this.#history.info(operation, why),
      repliesWithinMs,
    )
    return { answer, id: answer.body.id }
  }

  async #payout(by: 'user' | number, amount: MicroUsdc): Promise<void> {
    const { sender, payouts, replays } = this.#record
    const key = this.#next()
    const email = `${key}@recipients.test`.toLowerCase()
    const operation = this.#begin({ kind: 'payout', by, email, amount }, key)
    if (by !== 'user') {
      const ask = () => this.#askAgent(operation, by, { type: 'email', email }, amount)
      const { answer, id } = await ask()
      if (!this.#end(operation, answer, id)) return
      payouts.push({ id: id!, email, ended: false })
      replays.push({ operation, ask: async () => (await ask()).id ?? null })
      return
    }
    const body = { sourceWalletId: sender.wallet.id, amount: formatUsdc(amount), recipientEmail: email }
    const ask = () => this.#ask<Envelope<CreateEscrowReply>>(operation, '/api/escrow/create', sender.token, body)
    const answer = await ask()
    if (!this.#end(operation, answer, answer.body.data?.id)) return
    const { id, claimUrl, passcode } = answer.body.data
    const link = passcode === null ? {} : { link: { accessToken: tokenIn(claimUrl), passcode } }
    payouts.push({ id, email, ...link, ended: false })
    replays.push({ operation, ask: async () => (await ask()).body.data?.id ?? null })
  }

  /** Usually picks a payout that has not ended, sometimes any payout, so that claims and reclaims collide. */
  #choosePayout(): KnownPayout | undefined {
    const { payouts } = this.#record
    const open = payouts.filter(({ ended }) => !ended)
    return this.#random.pick(this.#random.chance(85) ? open : payouts)
  }

  /** Claims a payout to a new address, as a stranger with link and code from the sender or from the email. */
  async #claim(): Promise<void> {
    const payout = this.#choosePayout()
    if (!payout) return
    payout.link ??= await this.#linkInMail(payout.email)
    const { link } = payout
    if (!link) return
    const key = this.#next()
    const recipientAddress = addressFor(`${payout.id} ${key}`)
    const operation = this.#begin({ kind: 'claim', payoutId: payout.id, to: recipientAddress }, key)
    const { accessToken, passcode } = link
    let proof: { passcode: string } | { sessionToken: string } = { passcode }
    if (this.#random.chance(50)) {
      const path = '/api/escrow/verify-passcode'
      const verified = await this.#ask<Envelope<VerifyReply>>(operation, path, () => null, link)
      if (verified.status !== 200) return void this.#end(operation, verified, undefined)
      proof = { sessionToken: verified.body.data.sessionToken }
    }
    const body = { accessToken, ...proof, recipientAddress }
    const answer = await this.#ask<Envelope<unknown>>(operation, '/api/escrow/claim', () => null, body)
    if (this.#end(operation, answer, answer.status === 200 ? payout.id : undefined)) payout.ended = true
  }

  async #linkInMail(email: string): Promise<Link | undefined> {
    try {
      const inbox = await this.#bursar.plain<{ text: string }[]>(`/dev/inbox?to=${encodeURIComponent(email)}`)
      const [, accessToken, passcode] = /\/claim\/(\S+)[\s\S]*?^(\d{6})$/m.exec(inbox[0]?.text ?? '') ?? []
      return accessToken && passcode ? { accessToken, passcode } : undefined
    } catch {
      return undefined // read again later
    }
  }

  async #reclaim(): Promise<void> {
    const payout = this.#choosePayout()
    if (!payout) return
    const operation = this.#begin({ kind: 'reclaim', payoutId: payout.id })
    const path = `/api/escrow/${payout.id}/reclaim`
    const answer = await this.#ask<Envelope<unknown>>(operation, path, this.#record.sender.token, {})
    if (this.#end(operation, answer, answer.status === 200 ? payout.id : undefined)) payout.ended = true
  }

  /** Checks that I3 and I9 hold at every step, not only at the end. */
  async #checkInvariants(): Promise<void> {
    const { sender, problems } = this.#record
    const seen = await this.#read().catch((error) => this.#history.note('down', null, String(error)))
    if (!seen) return
    const { currentSpent, held, remaining } = seen.group
    const limit = usdc(String(sender.limit))
    if (usdc(currentSpent) + usdc(held) > limit || usdc(currentSpent) + usdc(held) + usdc(remaining ?? '') !== limit)
      problems.push(`I3: ${sender.wallet.id} showed spent ${currentSpent}, held ${held}, remaining ${remaining}`)
    if (seen.audit.brokenAt !== null) problems.push(`I9: audit broken at ${seen.audit.brokenAt}`)
    if (seen.audit.rows < this.#auditRows) problems.push(`I9: ${this.#auditRows} rows became ${seen.audit.rows}`)
    this.#auditRows = seen.audit.rows
  }

  async #read() {
    const token = await this.#record.sender.token()
    const [group] = await this.#bursar.api<PolicyGroup[]>('/policy-groups', { token })
    return { group: group!, audit: await this.#bursar.api<AuditCheck>('/audit', { token }) }
  }
}

const tokenIn = (claimUrl: string) => new URL(claimUrl).pathname.split('/').at(-1)!
