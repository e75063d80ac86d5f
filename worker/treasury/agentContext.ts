import { formatUsdc } from '../domain/money.ts'
import { mostAllowedNow } from '../domain/policy.ts'
import { periodNow } from '../domain/policyPeriod.ts'
import type { Result } from '../errors.ts'
import type { Agent, PolicyGroup } from '../schemas/policy.ts'
import type { Context } from './context.ts'
import { groupPolicy, walletFunds } from './ledger.ts'
import type { Paying } from './paying.ts'
import { agentView, groupView } from './policyViews.ts'

export type AgentContext = { agent: Agent; group: PolicyGroup; maxAllowedNow: string }

const emptyFreshMs = 10_000 // 10 seconds

/** What each agent may do now. Answers are kept in memory until anything in this object is written. */
export class AgentContexts {
  readonly #context: Context
  readonly #paying: Paying
  readonly #known = new Map<string, { version: number; until: number; value: AgentContext }>()

  constructor(context: Context, paying: Paying) {
    this.#context = context
    this.#paying = paying
  }

  async of(agentId: string): Promise<Result<AgentContext>> {
    const { store } = this.#context
    const now = this.#context.now()
    const known = this.#known.get(agentId)
    if (known?.version === store.version && now < known.until) return { ok: true, value: known.value }
    const agent = store.agent(agentId)
    const group = agent && store.group(agent.group_id)
    const wallet = group && store.wallet(group.wallet_id)
    if (!agent || !group || !wallet) return { ok: false, code: 'not_found', message: 'Policy group not found.' }
    const policy = groupPolicy(group, agent, store.accountPaused)
    const funds = walletFunds(wallet, store.session(wallet.id))
    // The first money may have come in since the chain was read: "nothing" is said only after looking.
    const empty = funds.available === 0n && wallet.status === 'active'
    if (empty && now - this.#paying.rereadAt(wallet.id) >= emptyFreshMs) {
      await this.#paying.reread(wallet)
      return this.of(agentId)
    }
    const most = mostAllowedNow(policy, funds, now, { isPayout: false, at: now })
    const value = {
      agent: agentView(this.#context, agent),
      group: groupView(this.#context, group),
      maxAllowedNow: formatUsdc(most),
    }
    // Time alone changes these: a period's end, the session key's.
    const ends = [
      policy.period && periodNow(policy.period, now).endAt,
      funds.session && funds.session.validUntil + 1,
      empty ? now + emptyFreshMs : null,
    ]
    const until = Math.min(...ends.filter((at) => at !== null && at > now).map(Number))
    this.#known.set(agentId, { version: store.version, until, value })
    return { ok: true, value }
  }
}
