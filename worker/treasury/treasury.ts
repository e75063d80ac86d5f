import { DurableObject } from 'cloudflare:workers'
import { chainsFrom } from '../chain/chains.ts'
import type { Address, ChainId } from '../chain/types.ts'
import { isPayoutAddress, noteBusy, noteIdle } from '../db/readModel.ts'
import { formatUsdc } from '../domain/money.ts'
import { mostAllowedNow } from '../domain/policy.ts'
import type { Env } from '../env.ts'
import type { Refused, Result } from '../errors.ts'
import type { RelayReport } from '../relayer/types.ts'
import type { CreateEscrowReply, Escrow } from '../schemas/escrow.ts'
import type { Payment } from '../schemas/payment.ts'
import type { Agent, PolicyGroup, PolicyGroupWithAgents } from '../schemas/policy.ts'
import type { Overview, Transaction } from '../schemas/transaction.ts'
import type { SessionKeyInfo, Wallet } from '../schemas/wallet.ts'
import { type Accepted, accept, type Prepared, payoutAddressKey } from './accept.ts'
import { verifyAudit } from './audit.ts'
import { type Context, freshHead, isNodeTrouble, type TimerKind } from './context.ts'
import { actionId, deliver, deliverFresh, deployId, handOver, noteReports, relayerOf } from './deliver.ts'
import { claimUrlOf, flush, forgetCodes } from './flush.ts'
import { groupPolicy, spentOf, walletFunds } from './ledger.ts'
import { migrate } from './migrations.ts'
import { claim, draftPayout, reclaim, resendCode } from './payouts.ts'
import { agentView, contactChanged, createAgent, createGroup, groupView, listAgents, listGroups } from './policies.ts'
import { BooksDiffer, scanWallet } from './scan.ts'
import { Sealer } from './seal.ts'
import { isBusy, settle } from './settle.ts'
import { loadSessionKey, signQueued } from './sign.ts'
import { type PaymentRow, type PayoutRow, Store, type WalletRow } from './store.ts'
import type { AgentInput, ClaimInput, DeployInput, GroupInput, LedgerView, PayInput, Principal } from './types.ts'
import { companionView, escrowView, paymentView, termsView, transactionView } from './views.ts'
import { deployWallet, ledgerView, readSession, scanEveryMs, walletView } from './wallets.ts'

const gatherMs = 50 // of deliveries, under load
const settleEveryMs = 1_000 // 1 second
/** A watchdog row is renewed when older than this; the cron pokes rows that are twice as old. */
const busyNoteMs = 60_000 // 1 minute
/** A timer whose work was cut off by a crash is repeated after this. */
const retryMs = 20_000 // 20 seconds
const refusalsKeptMs = 30 * 24 * 3600_000 // 30 days; lists keep showing them
const balanceFreshMs = 2_000 // one block

type AgentContext = { agent: Agent; group: PolicyGroup; maxAllowedNow: string }

const notFound = (what: string): Refused => ({ ok: false, code: 'not_found', message: `${what} not found.` })
const unreachable: Refused = {
  ok: false,
  code: 'upstream_unavailable',
  message: 'The Base network can’t be reached right now. Nothing was sent; please try again.',
}

/**
 * One per user: decides, reserves, signs and settles that user's money. This class is wiring; what it wires stands
 * in the files beside it, and the rules in domain/. Answers are values: errors' classes do not survive RPC.
 */
export class Treasury extends DurableObject<Env> {
  /** Replaceable in tests (time, randomness, chains). */
  readonly context: Context
  #alarmAt: number | null = null
  #delivering: Promise<void> | null = null
  #flushing: Promise<unknown> = Promise.resolve()
  /** When each timer is due (ms), as far as known without reading; forgotten on rollback. */
  readonly #due = new Map<TimerKind, number>()
  /** Answers of agentContext by agent, good for one version of the tables. */
  readonly #contexts = new Map<string, { version: number; value: AgentContext }>()
  #again = false
  /** Look through the tables as well, not only at what was just signed. */
  #all = false
  #deliveredAt = 0
  /** One reading of the chain per wallet at a time, shared by all who wait for it. */
  readonly #rereads = new Map<string, Promise<void>>()
  readonly #rereadAt = new Map<string, number>()
  readonly #failures = new Map<TimerKind, number>()
  #balances = new Map<string, { value: Promise<bigint | null>; at: number }>()

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrate(ctx.storage)
    const store = new Store(ctx.storage, () => {
      this.#alarmAt = null
      this.#due.clear()
    })
    const name = ctx.id.name ?? store.meta('user_id') ?? ''
    if (name && store.meta('user_id') === null) store.setMeta('user_id', name)
    this.context = {
      env,
      userId: name,
      store,
      sealer: new Sealer(env.KEK_V1),
      chains: chainsFrom(env),
      now: () => Date.now(),
      random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
      wake: (kind, at) => this.#wake(kind, at),
      heads: new Map(),
      keys: new Map(),
      outgoing: [],
      handedOver: new Map(),
    }
  }

  // ---- paying -------------------------------------------------------------------------------------------------

  /** POST /v1/payments. The same key answers the same payment, whatever happened since. */
  async payAsAgent(input: PayInput): Promise<Result<{ payment: Payment; replayed: boolean }>> {
    const result = await this.#pay(input)
    if (!result.ok) return result
    const { payment, replayed } = result.value
    return { ok: true, value: { payment: paymentView(this.context.store, payment), replayed } }
  }

  /** POST /transactions/send. Waits up to 300 ms for a hash. */
  async send(input: PayInput): Promise<Result<Transaction>> {
    const result = await this.#pay(input)
    if (!result.ok) return result
    const { payment, replayed } = result.value
    if (!replayed) await this.#waitForHash(payment, 300)
    return { ok: true, value: transactionView(this.context.store, this.context.store.payment(payment.id)!) }
  }

  /** POST /escrow/create. Link and code are for the sender, once; the link's index is in D1 before they are answered. */
  async createPayout(input: PayInput): Promise<Result<CreateEscrowReply>> {
    const { store, sealer, userId } = this.context
    const result = await this.#pay(input)
    if (!result.ok) return result
    const payout = store.payout(result.value.payment.id)
    if (!payout) return notFound('Payout')
    if (!(await this.#flushNow()))
      return {
        ok: false,
        code: 'unavailable',
        message: 'The payout is being created, but its link is not ready yet. Please try again.',
        retryAfter: 2,
      }
    const shows = payout.sealed_code !== null && this.context.now() < payout.code_until
    return {
      ok: true,
      value: {
        id: payout.id,
        escrowId: payout.id,
        claimUrl: await claimUrlOf(this.context, payout.sealed_token, payout.id),
        passcode: shows
          ? await sealer.open(payout.sealed_code!, `${userId}|passcode|${payout.id}|${payout.code_version}`)
          : null,
        escrowSubwalletAddress: payout.address,
        fundingTxHash: store.payment(payout.id)?.tx_hash ?? null,
        expiresAt: new Date(payout.expires_at).toISOString(),
        terms: termsView(payout),
      },
    }
  }

  /** Try to decide; fetch what is missing; try again. Everything that awaits happens outside the decision. */
  async #pay(input: PayInput): Promise<Result<Accepted>> {
    const { context } = this
    const prepared: Prepared = { draft: null, lookup: null, reread: false }
    try {
      for (;;) {
        const result = accept(context, input, prepared)
        if (!('need' in result)) {
          if (result.ok && !result.value.replayed) this.#deliverSigned(result.value.wallet, result.value.payment)
          return result
        }
        if (result.need === 'lookup') {
          prepared.lookup = await this.#lookUp(result.address)
        } else if (result.need === 'reread') {
          await this.#reread(result.wallet, result.freshEnoughMs)
          prepared.reread = true
        } else {
          prepared.draft = await draftPayout(context, result.wallet, {
            amount: input.amount,
            expiresInDays: input.expiresInDays ?? 30,
            senderName: input.senderName ?? null,
          })
        }
      }
    } catch (error) {
      if (isNodeTrouble(error)) return unreachable
      throw error
    }
  }

  /** Before refusing for balance or session the chain is read once more; an unreachable node leaves what we know. */
  #reread(wallet: WalletRow, freshEnoughMs = 0): Promise<void> {
    const running = this.#rereads.get(wallet.id)
    if (running) return running
    if (this.context.now() - (this.#rereadAt.get(wallet.id) ?? 0) < freshEnoughMs) return Promise.resolve()
    this.#rereadAt.set(wallet.id, this.context.now())
    const reading = (async () => {
      try {
        await scanWallet(this.context, wallet.id)
        await readSession(this.context, wallet)
      } catch (error) {
        if (!isNodeTrouble(error)) throw error
      } finally {
        this.#rereads.delete(wallet.id)
      }
    })()
    this.#rereads.set(wallet.id, reading)
    return reading
  }

  /** Nobody pays a payout's address by hand. Asked once per new recipient; D1 is never needed to pay. */
  async #lookUp(to: Address): Promise<Prepared['lookup']> {
    try {
      if (!(await isPayoutAddress(this.env.DB, to))) return 'clear'
      this.context.store.setMeta(payoutAddressKey(to), '1')
    } catch (error) {
      console.error('recipient not looked up', error)
    }
    return 'done'
  }

  /** Most are signed when they are accepted; without a fresh head or an open key that is made up for now. */
  #deliverSigned(wallet: WalletRow, payment: PaymentRow): void {
    if (payment.status === 'QUEUED') {
      this.ctx.waitUntil(this.#signLater(wallet))
      return
    }
    handOver(this.context, wallet, payment)
    this.#deliverSoon(payment.kind === 'payout')
  }

  async #signLater(wallet: WalletRow): Promise<void> {
    try {
      const head = await freshHead(this.context, wallet.chain_id)
      await loadSessionKey(this.context, wallet)
      this.context.store.transaction(() => signQueued(this.context, this.context.store.wallet(wallet.id)!, head))
      this.#deliverSoon()
    } catch (error) {
      if (!isNodeTrouble(error)) throw error
    }
  }

  /** One delivery at a time; what arrives meanwhile goes with the next. The settle timer covers a lost one. */
  #deliverSoon(all = true): void {
    this.#again = true
    this.#all ||= all
    this.#delivering ??= this.#deliverLoop().finally(() => {
      this.#delivering = null
      if (this.#again) this.#deliverSoon(false)
    })
    this.ctx.waitUntil(this.#delivering)
  }

  async #deliverLoop(): Promise<void> {
    try {
      while (this.#again) {
        // Under load what comes in the next moments goes along; the first of a quiet time does not wait.
        if (this.context.now() - this.#deliveredAt < gatherMs * 2) await scheduler.wait(gatherMs)
        const all = this.#all
        this.#again = false
        this.#all = false
        await deliverFresh(this.context)
        if (all) await deliver(this.context)
        this.#deliveredAt = this.context.now()
      }
    } catch (error) {
      console.error('delivery failed, will be repeated', error)
      this.#again = false
    }
  }

  async #waitForHash(payment: PaymentRow, ms: number): Promise<void> {
    const { store } = this.context
    await this.#delivering
    const now = store.payment(payment.id)!
    if (now.sig_version === 0) return
    try {
      const report = await relayerOf(this.context, store.wallet(now.wallet_id)!.chain_id).wait(
        `${now.id}:${now.sig_version}`,
        ms,
      )
      if (report) noteReports(this.context, [report])
    } catch (error) {
      console.error('relayer did not answer', error)
    }
  }

  // ---- payouts ------------------------------------------------------------------------------------------------

  /** Called by the ClaimDesk for a recipient whose code was right. */
  async claim(input: ClaimInput): Promise<Result<{ status: PayoutRow['status']; txHash: string | null }>> {
    return this.#act(() => claim(this.context, input))
  }

  async reclaim(payoutId: string): Promise<Result<{ status: PayoutRow['status']; txHash: string | null }>> {
    return this.#act(() => reclaim(this.context, payoutId, 'sender'))
  }

  /** The claim page's object is told before this answers, so that the old code is refused from then on. */
  async resendCode(payoutId: string, by: 'sender' | 'recipient'): Promise<Result<{ resendsLeft: number }>> {
    const result = await resendCode(this.context, payoutId, by)
    if (!result.ok) return result
    await this.#flushNow()
    const { sender_resends, recipient_resends } = result.value
    return { ok: true, value: { resendsLeft: 3 - (by === 'sender' ? sender_resends : recipient_resends) } }
  }

  async #act(
    work: () => Promise<Result<PayoutRow>>,
  ): Promise<Result<{ status: PayoutRow['status']; txHash: string | null }>> {
    try {
      const result = await work()
      if (!result.ok) return result
      this.#deliverSoon()
      await this.#delivering
      const payout = this.context.store.payout(result.value.id)!
      if (payout.action && payout.done_tx === null) {
        const wallet = this.context.store.wallet(payout.wallet_id)!
        const report = await relayerOf(this.context, wallet.chain_id).wait(actionId(payout), 1_000)
        if (report) noteReports(this.context, [report])
      }
      const now = this.context.store.payout(payout.id)!
      return { ok: true, value: { status: now.status, txHash: now.done_tx ?? now.action_tx } }
    } catch (error) {
      if (isNodeTrouble(error)) return unreachable
      throw error
    }
  }

  // ---- wallets, groups, agents ----------------------------------------------------------------------------------

  async deploy(input: DeployInput): Promise<Result<Wallet>> {
    try {
      const result = await deployWallet(this.context, input)
      if (!result.ok) return result
      const { id, status, chain_id } = result.value
      if (status === 'deploying') {
        this.#deliverSoon()
        await this.#delivering
        const report = await relayerOf(this.context, chain_id).wait(deployId({ id }, this.context.now()), 4_000)
        if (report) noteReports(this.context, [report])
      }
      return { ok: true, value: walletView(this.context.store, this.context.store.wallet(id)!, null) }
    } catch (error) {
      if (isNodeTrouble(error)) return unreachable
      throw error
    }
  }

  async wallets(): Promise<Wallet[]> {
    const rows = this.context.store.all<WalletRow>('SELECT * FROM wallet ORDER BY created_at DESC')
    return Promise.all(
      rows.map(async (row) =>
        walletView(this.context.store, this.context.store.wallet(row.id)!, await this.#balance(row)),
      ),
    )
  }

  /** The chain's balance; null when it can't be read. Also books what came in or went out meanwhile. */
  async balance(walletId: string): Promise<Result<string | null>> {
    const wallet = this.context.store.wallet(walletId)
    if (!wallet) return notFound('Wallet')
    const balance = await this.#balance(wallet)
    return { ok: true, value: balance === null ? null : formatUsdc(balance) }
  }

  #balance(wallet: WalletRow): Promise<bigint | null> {
    const { now, chains } = this.context
    const known = this.#balances.get(wallet.id)
    if (known && now() - known.at < balanceFreshMs) return known.value
    const value = chains[wallet.chain_id].usdcBalance(wallet.address).catch((error: unknown) => {
      this.#balances.delete(wallet.id)
      console.error('balance not read', wallet.id, error)
      return null
    })
    this.#balances.set(wallet.id, { value, at: now() })
    return value
  }

  async sessionKey(walletId: string): Promise<Result<SessionKeyInfo>> {
    const wallet = this.context.store.wallet(walletId)
    if (!wallet) return notFound('Wallet')
    let rotationDisabled = false
    try {
      const state = wallet.status === 'active' ? await readSession(this.context, wallet) : null
      rotationDisabled = state ? state.rotationDisabled || state.sessionRevoked : false
    } catch (error) {
      if (!isNodeTrouble(error)) throw error
    }
    const session = this.context.store.session(walletId)
    const validUntil = session?.valid_until ?? wallet.valid_until
    const isExpired = validUntil * 1000 < this.context.now()
    return {
      ok: true,
      value: {
        address: session?.key_address ?? wallet.session_key,
        spendingLimit: String(session?.spend_limit ?? wallet.session_limit),
        spentAmount: String(session?.used ?? 0),
        heldAmount: String(session?.held ?? 0),
        validUntil,
        isExpired,
        isActive: session !== null && !isExpired,
        canRotate: !rotationDisabled,
        nonce: session?.epoch ?? 0,
      },
    }
  }

  async createGroup(input: GroupInput): Promise<Result<PolicyGroup>> {
    return createGroup(this.context, input)
  }
  async createAgent(input: AgentInput): Promise<Result<{ agent: Agent; repeated: boolean }>> {
    return createAgent(this.context, input)
  }
  async contactChanged(
    contactId: string,
    now: { address: string | null; email: string | null; phone: string | null } | null,
  ): Promise<void> {
    contactChanged(this.context, contactId, now)
  }
  async groups(): Promise<PolicyGroupWithAgents[]> {
    return listGroups(this.context.store)
  }
  async agents(): Promise<Agent[]> {
    return listAgents(this.context.store)
  }

  // ---- reading ----------------------------------------------------------------------------------------------------

  /** Rows that D1 does not know yet in their present form, newest first; the caller lays them over its page. */
  async unprojected(): Promise<{ transactions: Transaction[]; escrows: Escrow[] }> {
    const { store } = this.context
    const transactions: Transaction[] = []
    const escrows: Escrow[] = []
    for (const { kind, ref } of store.all<{ kind: string; ref: string }>(
      "SELECT kind, ref FROM outbox WHERE kind IN ('payment','payout') ORDER BY ref DESC LIMIT 200",
    )) {
      const payment = store.payment(ref)!
      const payout = store.payout(ref)
      if (kind === 'payment') transactions.push(transactionView(store, payment))
      if (kind === 'payout' && payout) {
        escrows.push(escrowView(store, payout))
        const companion = companionView(store, payment, payout)
        if (companion) transactions.push(companion)
      }
    }
    return { transactions, escrows }
  }

  async transaction(id: string): Promise<Result<Transaction>> {
    const { store } = this.context
    const [paymentId, companion] = id.split(':') as [string, string | undefined]
    const payment = store.payment(paymentId)
    if (!payment) return notFound('Transaction')
    if (companion === undefined) return { ok: true, value: transactionView(store, payment) }
    const payout = store.payout(paymentId)
    const view = payout && companionView(store, payment, payout)
    return view && view.id === id ? { ok: true, value: view } : notFound('Transaction')
  }

  async escrow(id: string): Promise<Result<Escrow>> {
    const payout = this.context.store.payout(id)
    return payout ? { ok: true, value: escrowView(this.context.store, payout) } : notFound('Payout')
  }

  /** The agent's own payments only; another agent's id is not found. */
  async payment(principal: Principal, id: string): Promise<Result<Payment>> {
    const gate = this.#agentGate(principal)
    if (gate) return gate
    const payment = this.context.store.payment(id)
    if (!payment || (principal.type === 'agent' && payment.agent_id !== principal.agentId)) return notFound('Payment')
    return { ok: true, value: paymentView(this.context.store, payment) }
  }

  /** Newest first; `after` is the last row of the page before. */
  async payments(
    principal: Principal,
    limit: number,
    after: { createdAt: number; id: string } | null,
  ): Promise<Result<{ payments: Payment[]; last: { createdAt: number; id: string } | null; more: boolean }>> {
    const gate = this.#agentGate(principal)
    if (gate) return gate
    const { store } = this.context
    const from = after ?? { createdAt: Number.MAX_SAFE_INTEGER, id: '' }
    const rows = store.all<PaymentRow>(
      'SELECT * FROM payment WHERE agent_id = ? AND (created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT ?',
      principal.type === 'agent' ? principal.agentId : '',
      from.createdAt,
      from.id,
      limit + 1,
    )
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    return {
      ok: true,
      value: {
        payments: page.map((row) => paymentView(store, row)),
        last: last ? { createdAt: last.created_at, id: last.id } : null,
        more: rows.length > limit,
      },
    }
  }

  /** GET /v1/context: what the agent may do now. Kept in memory until anything in this object is written. */
  async agentContext(principal: Principal): Promise<Result<AgentContext>> {
    const gate = this.#agentGate(principal)
    if (gate || principal.type !== 'agent') return gate ?? notFound('Agent')
    const { store } = this.context
    const known = this.#contexts.get(principal.agentId)
    if (known?.version === store.version) return { ok: true, value: known.value }
    const agent = store.agent(principal.agentId)
    const group = agent && store.group(agent.group_id)
    const wallet = group && store.wallet(group.wallet_id)
    if (!agent || !group || !wallet) return notFound('Policy group')
    const most = mostAllowedNow(groupPolicy(group, agent, false), walletFunds(wallet, store.session(wallet.id)))
    const value = { agent: agentView(store, agent), group: groupView(store, group), maxAllowedNow: formatUsdc(most) }
    this.#contexts.set(principal.agentId, { version: store.version, value })
    return { ok: true, value }
  }

  #agentGate(principal: Principal): Refused | null {
    if (principal.type === 'user') return null
    const { store, now } = this.context
    const valid = store.first(
      'SELECT 1 FROM credential JOIN agent ON agent.id = credential.agent_id WHERE credential.hash = ? AND agent.id = ? AND agent.deleted_at IS NULL AND (credential.expires_at IS NULL OR credential.expires_at > ?)',
      principal.credentialHash,
      principal.agentId,
      now(),
    )
    return valid
      ? null
      : {
          ok: false,
          code: 'unauthenticated',
          message: 'Authentication failed: these agent credentials are no longer valid.',
        }
  }

  async overview(): Promise<Overview> {
    const { store } = this.context
    const rows = store.all<WalletRow>('SELECT * FROM wallet WHERE chain_id = 8453')
    const balances = await Promise.all(rows.filter((row) => row.status === 'active').map((row) => this.#balance(row)))
    const total = balances.reduce<bigint | null>(
      (sum, balance) => (sum === null || balance === null ? null : sum + balance),
      0n,
    )
    const count = (query: string) => store.first<{ n: number; sum: number | null }>(query)!
    const pending = count(
      "SELECT count(*) AS n, sum(amount) AS sum FROM payout WHERE status IN ('CREATING','CREATED','CLAIMING','RECLAIMING')",
    )
    return {
      totalBalance: total === null ? null : formatUsdc(total),
      walletCount: rows.length,
      groupCount: count('SELECT count(*) AS n, 0 AS sum FROM policy_group WHERE deleted_at IS NULL').n,
      agentCount: count('SELECT count(*) AS n, 0 AS sum FROM agent WHERE deleted_at IS NULL').n,
      transactionCount: count('SELECT count(*) AS n, 0 AS sum FROM payment').n,
      totalSpent: formatUsdc(rows.reduce((sum, row) => sum + spentOf(store, row.id), 0n)),
      held: formatUsdc(BigInt(count('SELECT 0 AS n, sum(held) AS sum FROM wallet WHERE chain_id = 8453').sum ?? 0)),
      pendingPayouts: { count: pending.n, amount: formatUsdc(BigInt(pending.sum ?? 0)) },
    }
  }

  /** The books beside the chain, after reading it up to now. */
  async ledger(walletId: string): Promise<Result<LedgerView>> {
    const wallet = this.context.store.wallet(walletId)
    if (!wallet) return notFound('Wallet')
    await this.#reread(wallet)
    this.#balances.delete(walletId)
    const balance = await this.#balance(wallet)
    return { ok: true, value: ledgerView(this.context.store, this.context.store.wallet(walletId)!, balance) }
  }

  async auditCheck(): Promise<{ rows: number; head: string; brokenAt: number | null }> {
    return verifyAudit(this.context.store)
  }

  // ---- the Relayer, the watchdog, the alarm -------------------------------------------------------------------------

  async relayed(reports: RelayReport[]): Promise<void> {
    noteReports(this.context, reports)
  }

  /** From the cron watchdog: an alarm that was lost is set again. */
  async kick(): Promise<void> {
    this.#alarmAt = null
    await this.#arm()
    if (this.#nextTimer() === null) await noteIdle(this.env.DB, this.context.userId)
  }

  override async alarm(): Promise<void> {
    this.#alarmAt = null
    try {
      await this.#runDue()
    } finally {
      await this.#arm()
    }
  }

  /**
   * A timer is taken off the table before its work and a retry is left there instead: a crash repeats the work, and
   * a wake that arrives meanwhile is not slept through.
   */
  async #runDue(): Promise<void> {
    const { store, now } = this.context
    for (const { kind: row } of store.all<{ kind: string }>(
      'SELECT kind FROM timer WHERE due_at <= ? ORDER BY due_at',
      now(),
    )) {
      const kind = row.replace(/^retry:/, '') as TimerKind
      const retry = `retry:${kind}`
      store.transaction(() => {
        store.run('DELETE FROM timer WHERE kind IN (?, ?)', kind, retry)
        this.#due.delete(kind)
        store.run('INSERT INTO timer (kind, due_at) VALUES (?, ?)', retry, now() + retryMs)
      })
      let nextAt: number | null
      try {
        nextAt = await this.#run(kind)
        this.#failures.delete(kind)
      } catch (error) {
        if (!isNodeTrouble(error) || error instanceof BooksDiffer) console.error(`timer ${kind} failed`, error)
        const failures = (this.#failures.get(kind) ?? 0) + 1
        this.#failures.set(kind, failures)
        nextAt = now() + Math.min(15_000, 250 * 2 ** Math.min(failures, 6))
      }
      store.transaction(() => {
        store.run('DELETE FROM timer WHERE kind = ?', retry)
        if (nextAt !== null) this.#wake(kind, nextAt)
      })
    }
  }

  /** When `kind` is due again (ms), null when it has nothing left to do. */
  async #run(kind: TimerKind): Promise<number | null> {
    const { context } = this
    const { store, now } = context
    switch (kind) {
      case 'settle': {
        const noted = this.#noteBusy()
        const before = store.first<{ n: number }>("SELECT count(*) AS n FROM payment WHERE status = 'QUEUED'")!.n
        let busy = true
        try {
          busy = await settle(context)
        } finally {
          await deliver(context)
        }
        await noted
        if (!busy) {
          // A payment accepted meanwhile notes itself again.
          store.setMeta('busy_noted', '0')
          await noteIdle(this.env.DB, context.userId)
        }
        return busy ? now() + (before > 0 ? settleEveryMs / 2 : settleEveryMs) : null
      }
      case 'outbox':
        return this.#flush()
      case 'scan': {
        store.run("DELETE FROM payment WHERE status = 'POLICY_REJECTED' AND created_at < ?", now() - refusalsKeptMs)
        await each(store.all<WalletRow>("SELECT * FROM wallet WHERE status = 'active'"), async (wallet) => {
          if (!isBusy(context, wallet)) for (let more = true; more; ) more = !(await scanWallet(context, wallet.id))
          await readSession(context, wallet)
        })
        return now() + scanEveryMs
      }
      case 'expiry': {
        forgetCodes(context)
        try {
          await each([8453, 84532] as const, (chainId) => this.#reclaimExpired(chainId))
        } finally {
          await deliver(context)
        }
        const next =
          store.first<{ at: number | null }>(
            "SELECT min(expires_at) AS at FROM payout WHERE status IN ('CREATING','CREATED','CLAIMING')",
          )?.at ?? null
        const codes =
          store.first<{ at: number | null }>('SELECT min(code_until) AS at FROM payout WHERE sealed_code IS NOT NULL')
            ?.at ?? null
        const soonest = [next, codes].filter((at) => at !== null)
        return soonest.length === 0 ? null : Math.max(now() + 30_000, Math.min(...soonest))
      }
    }
  }

  /** By chain time; a bounded number at a time. */
  async #reclaimExpired(chainId: ChainId): Promise<void> {
    const { context } = this
    const expired = (time: number) =>
      context.store.all<PayoutRow>(
        `SELECT payout.* FROM payout JOIN wallet ON wallet.id = payout.wallet_id
         WHERE payout.status = 'CREATED' AND wallet.chain_id = ? AND payout.expires_at <= ? LIMIT 25`,
        chainId,
        time,
      )
    if (expired(context.now()).length === 0) return
    const head = await freshHead(context, chainId)
    for (const payout of expired(head.timestamp * 1000)) await reclaim(context, payout.id, 'expiry')
  }

  /** One flush after the other: what one has told, another must not forget for a newer change. */
  #flush(): Promise<number | null> {
    const next = this.#flushing.then(
      () => flush(this.context),
      () => flush(this.context),
    )
    this.#flushing = next
    return next
  }

  /** The link of a payout must be findable before it is answered. */
  async #flushNow(): Promise<boolean> {
    await this.#flush()
    return this.context.store.first("SELECT 1 FROM outbox WHERE kind = 'link'") === null
  }

  async #noteBusy(): Promise<void> {
    const { store, now, userId } = this.context
    const noted = Number(store.meta('busy_noted') ?? 0)
    if (now() - noted < busyNoteMs) return
    store.setMeta('busy_noted', String(now()))
    try {
      await noteBusy(this.env.DB, userId, now())
    } catch (error) {
      console.error('watchdog row not written', error)
    }
  }

  /** Ask for `kind` no later than `at`; part of the transaction that needs it. */
  #wake(kind: TimerKind, at: number): void {
    if ((this.#due.get(kind) ?? Number.POSITIVE_INFINITY) <= at) return
    this.#due.set(kind, at)
    this.context.store.run(
      'INSERT INTO timer (kind, due_at) VALUES (?, ?) ON CONFLICT (kind) DO UPDATE SET due_at = min(due_at, excluded.due_at)',
      kind,
      at,
    )
    if (this.#alarmAt === null || at < this.#alarmAt) {
      this.#alarmAt = at
      void this.ctx.storage.setAlarm(at)
    }
  }

  #nextTimer(): number | null {
    return this.context.store.first<{ at: number | null }>('SELECT min(due_at) AS at FROM timer')?.at ?? null
  }

  async #arm(): Promise<void> {
    const next = this.#nextTimer()
    if (next === null) return
    this.#alarmAt = next
    await this.ctx.storage.setAlarm(next)
  }
}

/** All of them, one after the other, although one may fail; then the first failure. */
async function each<T>(list: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = []
  for (const one of list) await work(one).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}
