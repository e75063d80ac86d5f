import { formatUsdc, formatUsdcText, type MicroUsdc, min } from '#domain/money.ts'
import { chainNameOf } from '#domain/networks.ts'
import { mostAllowed } from '#domain/policy.ts'
import { rulesInWords, wireRules } from '#domain/rules/values.ts'
import { isoOf, minuteMs } from '#domain/time.ts'
import { notFound, ok, type Result } from '../../result.ts'
import type { Context } from '../core/context.ts'
import { groupPolicy } from '../core/storage/groupPolicy.ts'
import { walletFunds } from '../ledger/balances.ts'
import { readWindows } from '../ledger/windows.ts'
import { gasAllowance } from '../limits/gas.ts'
import { nextPeriodAt } from '../limits/periods.ts'
import { paymentRateStates } from '../limits/rates.ts'
import { leftAlone } from '../limits/secondPerson.ts'
import { budgetView } from './budgets.ts'
import type { AgentContext, RuleInForce } from './rpcTypes.ts'
import { contactsOf } from './whitelist.ts'

/** The parts that do not change every second, without contacts, which all agents of a group share. */
type Cached = Omit<AgentContext, 'rates' | 'gas' | 'contacts' | 'contactsTotal'>

const agentWords = { money: (amount: MicroUsdc) => `${formatUsdcText(amount)} USDC`, moment: (at: number) => isoOf(at) }

const emptyForMs = 10_000 // 10 seconds

/** What each agent may do now, cached until this object's storage is next written. */
export class AgentContexts {
  readonly #context: Context
  readonly #known = new Map<string, { version: number; until: number; value: Cached }>()

  constructor(context: Context) {
    this.#context = context
  }

  /** `contact`: text that the listed contacts must contain; null lists all. */
  async of(agentId: string, contact: string | null): Promise<Result<AgentContext>> {
    const cached = await this.#cached(agentId)
    if (!cached.ok) return cached
    const ctx = this.#context
    return ok({
      ...cached.value,
      ...contactsOf(ctx.store, cached.value.group.id, contact),
      rates: paymentRateStates(ctx, agentId),
      gas: gasAllowance(ctx, agentId),
    })
  }

  async #cached(agentId: string): Promise<Result<Cached>> {
    const { store } = this.#context
    const now = this.#context.now()
    const known = this.#known.get(agentId)
    if (known?.version === store.version && now < known.until) return ok(known.value)
    const agent = store.agent(agentId)
    const group = agent && store.group(agent.group_id)
    const wallet = group && store.wallet(group.wallet_id)
    if (!agent || !group || !wallet) return notFound('Policy group')
    const policy = groupPolicy(group, agent, store.accountPaused)
    const funds = walletFunds(store, wallet, store.session(wallet.id))
    // Money may have arrived since the chain was read, so zero is reported only after a fresh reading.
    const empty = funds.available === 0n && wallet.status === 'active'
    if (empty && now - this.#context.chainReads.lastReadAt(wallet.id) >= emptyForMs) {
      await this.#context.chainReads.refresh(wallet)
      return this.#cached(agentId)
    }
    const { used } = readWindows(store, group, policy.rules, null, now)
    const most = mostAllowed(policy, funds, now, { isPayout: false, amount: null, at: now, used, recipient: null })
    const left = leftAlone(this.#context, group)
    const values: Record<string, RuleInForce['value']> = wireRules(policy.rules)
    const rules = rulesInWords(policy.rules, agentWords, {
      used,
      unclaimed: policy.unclaimed,
      scopes: policy.scopes,
    }).map(({ rule, sentence }) => ({
      names: Object.keys(rule.names),
      field: rule.field,
      sentence,
      value: values[rule.field]!,
      resetsAt: isoOf(used[rule.field]?.resetsAt ?? null),
    }))
    const value = {
      agent: { id: agent.id, name: agent.name },
      group: {
        id: group.id,
        name: group.name,
        version: group.version,
        scopes: [...policy.scopes],
        wallet: wallet.address,
        chain: chainNameOf(wallet.chain_id),
      },
      budget: budgetView(group),
      maxAllowedNow: formatUsdc(most.now),
      maxWithoutAsking: formatUsdc(left === null ? most.withoutAsking : min(most.withoutAsking, left)),
      rules,
    }
    // When the value changes without a write: a rule's window, the session key or the zero reading expires. Rules about
    // hours change on full minutes.
    const ends = [
      ...Object.values(used).map(({ resetsAt }) => resetsAt),
      rules.length > 0 ? Math.floor(now / minuteMs + 1) * minuteMs : null,
      funds.session && funds.session.validUntil + 1,
      empty ? now + emptyForMs : null,
      left === null ? null : nextPeriodAt(this.#context),
    ]
    const until = Math.min(...ends.filter((at) => at !== null && at > now).map(Number))
    this.#known.set(agentId, { version: store.version, until, value })
    return ok(value)
  }
}
