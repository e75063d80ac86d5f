import { DurableObject } from 'cloudflare:workers'
import { chainsFrom } from '../chain/chains.ts'
import { isPayoutAddress, noteIdle } from '../db/readModel.ts'
import { formatUsdc, type MicroUsdc } from '../domain/money.ts'
import type { Scope } from '../domain/scopes.ts'
import type { Env } from '../env.ts'
import type { Refused, Result } from '../errors.ts'
import type { RelayReport } from '../relayer/types.ts'
import type { CreateEscrowReply, Escrow, ReclaimAllReply } from '../schemas/escrow.ts'
import type { Overview } from '../schemas/overview.ts'
import type { Payment, PaymentCheck } from '../schemas/payment.ts'
import type {
  AccountState,
  Agent,
  AgentRefusal,
  Paused,
  PolicyGroup,
  PolicyGroupWithAgents,
  Removed,
  ToppedUp,
  UpdatedPolicyGroup,
} from '../schemas/policy.ts'
import type { OwnerActionReply, OwnerTurn, RotateReply, SessionKeyInfo, SessionOffer } from '../schemas/sessionKey.ts'
import type { RecipientHistory, Transaction } from '../schemas/transaction.ts'
import type { Usage } from '../schemas/usage.ts'
import type { Wallet } from '../schemas/wallet.ts'
import { type AgentContext, AgentContexts } from './agentContext.ts'
import { agentGate, createAgent, deleteAgent, editAgent, replaceCredential } from './agents.ts'
import { RevokedTokens, scopesOf } from './agentTokens.ts'
import { verifyAudit } from './audit.ts'
import { cancelPayment } from './cancel.ts'
import { type CheckInput, check, type Looked } from './check.ts'
import { chore } from './chores.ts'
import { type Context, isNodeTrouble } from './context.ts'
import { actionId, deployId, noteReports, relayerOf } from './deliver.ts'
import { balanceOf, lookOf } from './exposure.ts'
import { claimUrlOf, flush, flushMails } from './flush.ts'
import { type ImportInput, importWallet, viewPrivateKey } from './importedWallets.ts'
import { migrate } from './migrations.ts'
import { overviewOf } from './overview.ts'
import { setPaused } from './pausing.ts'
import { Paying, unreachable } from './paying.ts'
import { claim, reclaim, resendCode } from './payouts.ts'
import { createGroup, deleteGroup, editGroup, topUp } from './policies.ts'
import { agentView, groupView, listAgents, listGroups, refusalsOf } from './policyViews.ts'
import { type RecipientInput, recipientHistory } from './recipients.ts'
import { reclaimAll } from './reclaimAll.ts'
import { Sealer } from './seal.ts'
import {
  type OwnerInput,
  offerSession,
  ownerTurn,
  type RotateInput,
  rotate,
  rotateReply,
  sessionKeyInfo,
  submitOwnerAction,
} from './sessionKeys.ts'
import { type PaymentRow, type PayoutRow, Store, type WalletRow } from './store.ts'
import { Timers } from './timers.ts'
import type {
  AgentInput,
  ClaimInput,
  ContactMethods,
  DeployInput,
  GroupEdit,
  GroupInput,
  LedgerView,
  PauseSubject,
  PayInput,
  Principal,
} from './types.ts'
import { usageOf } from './usage.ts'
import { companionView, escrowView, paymentView, termsView, transactionView } from './views.ts'
import { deleteWallet, renameWallet } from './walletAdmin.ts'
import { deployWallet, ledgerView, walletView } from './wallets.ts'
import { confirmContact, contactChanged } from './whitelist.ts'

const notFound = (what: string): Refused => ({ ok: false, code: 'not_found', message: `${what} not found.` })

/**
 * One per user: decides, reserves, signs and settles that user's money. This class is wiring; what it wires stands
 * in the files beside it, and the rules in domain/. Answers are values: errors' classes do not survive RPC.
 */
export class Treasury extends DurableObject<Env> {
  /** Replaceable in tests (time, randomness, chains). */
  readonly context: Context
  readonly #paying: Paying
  readonly #timers: Timers
  #flushing: Promise<void> = Promise.resolve()
  #mailing: Promise<void> = Promise.resolve()
  readonly #agentContexts: AgentContexts
  readonly #revokedTokens: RevokedTokens

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrate(ctx.storage)
    const store = new Store(ctx.storage, () => this.#timers.forget())
    const name = ctx.id.name ?? store.meta('user_id') ?? ''
    if (name && store.meta('user_id') === null) store.setMeta('user_id', name)
    this.#revokedTokens = new RevokedTokens(store)
    this.context = {
      env,
      userId: name,
      store,
      sealer: new Sealer(env.KEK_V1),
      chains: chainsFrom(env),
      now: () => Date.now(),
      random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
      wake: (kind, at) => this.#timers.wake(kind, at),
      heads: new Map(),
      looks: new Map(),
      keys: new Map(),
      plainKeys: new Map(),
      recipients: new Set(),
      outgoing: [],
      shard: null,
      handedOver: new Map(),
    }
    this.#paying = new Paying(this.context, (work) => ctx.waitUntil(work))
    this.#agentContexts = new AgentContexts(this.context, this.#paying)
    this.#timers = new Timers(
      ctx.storage,
      () => this.context,
      (kind) => chore(this.context, kind, { tell: () => this.#flush(), mail: () => this.#sendMails() }),
    )
  }

  // ---- paying -------------------------------------------------------------------------------------------------

  /** POST /v1/payments. The same key answers the same payment, whatever happened since. */
  async payAsAgent(input: PayInput): Promise<Result<{ payment: Payment; replayed: boolean }>> {
    const revoked = this.#revokedTokens.refusal(input.principal)
    if (revoked) return revoked
    const result = await this.#paying.pay(input)
    if (!result.ok) return result
    const { payment, replayed } = result.value
    const group = result.value.replayed ? undefined : result.value.group
    return { ok: true, value: { payment: paymentView(this.context.store, payment, group), replayed } }
  }

  /** POST /transactions/send. Waits up to 300 ms for a hash. */
  async send(input: PayInput): Promise<Result<Transaction>> {
    const result = await this.#paying.pay(input)
    if (!result.ok) return result
    const { payment, replayed } = result.value
    if (!replayed) await this.#paying.waitForHash(payment, 300)
    return { ok: true, value: transactionView(this.context.store, this.context.store.payment(payment.id)!) }
  }

  /** POST /escrow/create. Link and code are for the sender, once; the link's index is in D1 before they are answered. */
  async createPayout(input: PayInput): Promise<Result<CreateEscrowReply>> {
    const { store, sealer, userId } = this.context
    const result = await this.#paying.pay(input)
    if (!result.ok) return result
    if (!store.payout(result.value.payment.id)) return notFound('Payout')
    if (!(await this.#flushNow()))
      return {
        ok: false,
        code: 'unavailable',
        message: 'The payout is being created, but its link is not ready yet. Please try again.',
        retryAfter: 2,
      }
    // As it is now: a code that was renewed meanwhile is not shown in its old form.
    const payout = store.payout(result.value.payment.id)!
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

  // ---- payouts ------------------------------------------------------------------------------------------------

  /** Called by the ClaimDesk for a recipient whose code was right. */
  async claim(input: ClaimInput): Promise<Result<{ status: PayoutRow['status']; txHash: string | null }>> {
    return this.#act(() => claim(this.context, input))
  }

  async reclaim(payoutId: string): Promise<Result<{ status: PayoutRow['status']; txHash: string | null }>> {
    return this.#act(() => reclaim(this.context, payoutId, 'sender'))
  }

  async reclaimAll(): Promise<Result<ReclaimAllReply>> {
    return reclaimAll(this.context)
  }

  /** The claim page's object is told before this answers, so that the old code is refused from then on. */
  async resendCode(payoutId: string, by: 'sender' | 'recipient'): Promise<Result<{ resendsLeft: number }>> {
    const result = await resendCode(this.context, payoutId, by)
    if (!result.ok) return result
    await this.#flushNow()
    this.ctx.waitUntil(this.#sendMails())
    const { sender_resends, recipient_resends } = result.value
    return { ok: true, value: { resendsLeft: 3 - (by === 'sender' ? sender_resends : recipient_resends) } }
  }

  async #act(
    work: () => Promise<Result<PayoutRow>>,
  ): Promise<Result<{ status: PayoutRow['status']; txHash: string | null }>> {
    try {
      const result = await work()
      if (!result.ok) return result
      this.#paying.deliverSoon()
      await this.#paying.delivered
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
        this.#paying.deliverSoon()
        await this.#paying.delivered
        const report = await relayerOf(this.context, chain_id).wait(deployId({ id }, this.context.now()), 4_000)
        if (report) noteReports(this.context, [report])
      }
      return { ok: true, value: walletView(this.context, this.context.store.wallet(id)!, null) }
    } catch (error) {
      if (isNodeTrouble(error)) return unreachable
      throw error
    }
  }

  async wallets(): Promise<Wallet[]> {
    const rows = this.context.store.all<WalletRow>(
      "SELECT * FROM wallet WHERE status <> 'deleted' ORDER BY created_at DESC",
    )
    return Promise.all(
      rows.map(async (row) =>
        walletView(this.context, this.context.store.wallet(row.id)!, await lookOf(this.context, row)),
      ),
    )
  }

  async importWallet(input: ImportInput): Promise<Result<Wallet>> {
    return this.#onChain(async () => andThen(await importWallet(this.context, input), (row) => this.#viewOf(row)))
  }
  async renameWallet(walletId: string, name: string | null): Promise<Result<Wallet>> {
    return andThen(renameWallet(this.context, walletId, name), (row) => this.#viewOf(row))
  }
  async deleteWallet(walletId: string): Promise<Result<null>> {
    return deleteWallet(this.context, walletId)
  }
  async viewPrivateKey(walletId: string, masterPassword: string): Promise<Result<{ privateKey: string }>> {
    return viewPrivateKey(this.context, walletId, masterPassword)
  }

  async #viewOf(row: WalletRow): Promise<Result<Wallet>> {
    return { ok: true, value: walletView(this.context, row, await lookOf(this.context, row)) }
  }

  /** The chain's balance; null when it can't be read. */
  async balance(walletId: string): Promise<Result<string | null>> {
    const wallet = this.context.store.liveWallet(walletId)
    if (!wallet) return notFound('Wallet')
    const balance = await balanceOf(this.context, wallet)
    return { ok: true, value: balance === null ? null : formatUsdc(balance) }
  }

  async sessionKey(walletId: string): Promise<Result<SessionKeyInfo>> {
    return sessionKeyInfo(this.context, walletId)
  }
  async rotateSessionKey(input: RotateInput): Promise<Result<RotateReply>> {
    return this.#onChain(async () =>
      andThen(await rotate(this.context, input), (row) => rotateReply(this.context, row)),
    )
  }
  async ownerTurn(walletId: string): Promise<Result<OwnerTurn>> {
    return this.#onChain(() => ownerTurn(this.context, walletId))
  }
  async offerSession(input: RotateInput): Promise<Result<SessionOffer>> {
    return this.#onChain(() => offerSession(this.context, input))
  }
  async submitOwnerAction(input: OwnerInput): Promise<Result<OwnerActionReply>> {
    return this.#onChain(async () =>
      andThen(await submitOwnerAction(this.context, input), async ({ id }) => ({ ok: true, value: { actionId: id } })),
    )
  }

  /** What must ask the chain first; without an answer nothing was started. */
  async #onChain<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
    try {
      return await work()
    } catch (error) {
      if (isNodeTrouble(error)) return unreachable
      throw error
    }
  }

  async createGroup(input: GroupInput): Promise<Result<PolicyGroup>> {
    return createGroup(this.context, input)
  }
  async editGroup(id: string, edit: GroupEdit): Promise<Result<UpdatedPolicyGroup>> {
    return editGroup(this.context, id, edit)
  }
  async topUp(id: string, amount: MicroUsdc, key: string | null): Promise<Result<ToppedUp>> {
    return topUp(this.context, id, amount, key)
  }
  async deleteGroup(id: string): Promise<Result<Removed & { agentIds: string[] }>> {
    return deleteGroup(this.context, id)
  }
  async confirmContact(groupId: string, contactId: string, seen: ContactMethods): Promise<Result<PolicyGroup>> {
    const confirmed = confirmContact(this.context, groupId, contactId, seen)
    return confirmed.ok ? { ok: true, value: groupView(this.context, this.context.store.group(groupId)!) } : confirmed
  }
  async contactChanged(contactId: string, now: (ContactMethods & { name?: string }) | null): Promise<void> {
    contactChanged(this.context, contactId, now)
  }
  async createAgent(input: AgentInput): Promise<Result<{ agent: Agent; repeated: boolean }>> {
    return createAgent(this.context, input)
  }
  async editAgent(id: string, edit: { name: string; memo: string | null }): Promise<Result<Agent>> {
    return editAgent(this.context, id, edit)
  }
  async deleteAgent(id: string): Promise<Result<Removed>> {
    return deleteAgent(this.context, id)
  }
  async replaceCredential(
    id: string,
    input: { kind: 'secret' | 'api_key'; hash: string; endsAt: number },
  ): Promise<Result<{ previousUntil: number | null }>> {
    return replaceCredential(this.context, id, input)
  }
  async pause(subject: PauseSubject, paused: boolean): Promise<Result<Paused>> {
    return setPaused(this.context, subject, paused)
  }
  async account(): Promise<AccountState> {
    return { paused: this.context.store.accountPaused }
  }
  async groups(): Promise<PolicyGroupWithAgents[]> {
    return listGroups(this.context)
  }
  async agents(): Promise<Agent[]> {
    return listAgents(this.context)
  }
  async agent(id: string): Promise<Result<Agent>> {
    const agent = this.context.store.agent(id)
    return agent ? { ok: true, value: agentView(this.context, agent) } : notFound('Agent')
  }
  /** What the rules refused to this agent lately. */
  async refusals(agentId: string): Promise<Result<AgentRefusal[]>> {
    const refusals = refusalsOf(this.context, agentId)
    return refusals ? { ok: true, value: refusals } : notFound('Agent')
  }

  // ---- reading ----------------------------------------------------------------------------------------------------

  /** Tells D1 what it does not know yet, so that a list read next shows it. What can't be told now comes later. */
  async projected(): Promise<void> {
    const waits = "SELECT 1 FROM outbox WHERE kind IN ('payment','payout') AND due_at <= ? LIMIT 1"
    for (let round = 0; round < 5 && this.context.store.first(waits, this.context.now()); round++) await this.#flush()
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

  /** A wallet of the user's on Base that can be paid. */
  async hasWallet(address: string): Promise<boolean> {
    const query = "SELECT 1 FROM wallet WHERE address = ? COLLATE NOCASE AND chain_id = 8453 AND status = 'active'"
    return this.context.store.first(query, address) !== null
  }

  async recipientHistory(input: RecipientInput): Promise<RecipientHistory> {
    return recipientHistory(this.context, input)
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

  /** POST /v1/payments/check, or the owner's own try as one of their agents. Nothing is reserved or recorded. */
  async checkPayment(principal: Principal, input: CheckInput): Promise<Result<PaymentCheck>> {
    const revoked = this.#revokedTokens.refusal(principal)
    if (revoked) return revoked
    const looked: Looked = { reread: false, payoutAddress: null }
    for (;;) {
      const result = check(this.context, principal, input, looked)
      if (!('need' in result)) return result
      if (result.need === 'reread') {
        await this.#paying.reread(result.wallet, result.freshEnoughMs)
        looked.reread = true
      } else looked.payoutAddress = await isPayoutAddress(this.env.DB, result.address).catch(() => false)
    }
  }

  /** While it is unsigned; releases its reservation once. Another agent's id is not found. */
  async cancelPayment(principal: Principal, id: string): Promise<Result<Payment>> {
    const gate = this.#agentGate(principal)
    if (gate) return gate
    const result = cancelPayment(this.context, id, (payment) =>
      principal.type === 'user' ? true : payment.agent_id === principal.agentId,
    )
    return result.ok ? { ok: true, value: paymentView(this.context.store, result.value) } : result
  }

  /** GET /v1/context: what the agent may do now. */
  async agentContext(principal: Principal): Promise<Result<AgentContext>> {
    const gate = this.#agentGate(principal)
    if (gate || principal.type !== 'agent') return gate ?? notFound('Agent')
    return this.#agentContexts.of(principal.agentId)
  }

  /** POST /oauth/token: what the group allows now. */
  async agentScopes(principal: Principal): Promise<Result<Scope[]>> {
    const gate = this.#agentGate(principal)
    if (gate || principal.type !== 'agent') return gate ?? notFound('Agent')
    return scopesOf(this.context.store, principal.agentId)
  }

  /** POST /oauth/revoke: refused from now on; `endsAt` (ms) is when it would have ended by itself. */
  async revokeToken(tokenId: string, endsAt: number): Promise<void> {
    this.#revokedTokens.revoke(tokenId, endsAt, this.context.now())
  }

  #agentGate(principal: Principal): Refused | null {
    if (principal.type === 'user') return null
    const revoked = this.#revokedTokens.refusal(principal)
    if (revoked) return revoked
    return agentGate(this.context, principal)
  }

  async overview(): Promise<Omit<Overview, 'contactCount'>> {
    const rows = this.context.store.all<WalletRow>("SELECT * FROM wallet WHERE chain_id = 8453 AND status = 'active'")
    const balances = await Promise.all(rows.map((row) => balanceOf(this.context, row)))
    const total = balances.reduce<bigint | null>(
      (sum, balance) => (sum === null || balance === null ? null : sum + balance),
      0n,
    )
    return { totalBalance: total === null ? null : formatUsdc(total), ...overviewOf(this.context) }
  }
  async usage(): Promise<Usage> {
    return usageOf(this.context)
  }

  /** The books beside the chain, after reading it up to now. */
  async ledger(walletId: string): Promise<Result<LedgerView>> {
    const wallet = this.context.store.liveWallet(walletId)
    if (!wallet) return notFound('Wallet')
    await this.#paying.reread(wallet)
    this.context.looks.delete(walletId)
    const balance = await balanceOf(this.context, wallet)
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
    this.#timers.disarmed()
    await this.#timers.arm()
    if (this.#timers.next() === null) await noteIdle(this.env.DB, this.context.userId)
  }

  override async alarm(): Promise<void> {
    this.#timers.disarmed()
    try {
      await this.#timers.runDue()
    } finally {
      await this.#timers.arm()
    }
  }

  /** One flush after the other: what one has told, another must not forget for a newer change. */
  #flush(): Promise<void> {
    const next = this.#flushing.then(
      () => flush(this.context),
      () => flush(this.context),
    )
    this.#flushing = next
    return next
  }

  /** One round after the other, so that no mail goes out twice. */
  #sendMails(): Promise<void> {
    this.#mailing = this.#mailing.then(
      () => flushMails(this.context),
      () => flushMails(this.context),
    )
    return this.#mailing
  }

  /** The link of a payout must be findable before it is answered. */
  async #flushNow(): Promise<boolean> {
    await this.#flush()
    return this.context.store.first("SELECT 1 FROM outbox WHERE kind = 'link'") === null
  }
}

const andThen = async <A, B>(result: Result<A>, next: (value: A) => Promise<Result<B>>): Promise<Result<B>> =>
  result.ok ? next(result.value) : result
