import { bursar } from '#domain/actor.ts'
import { prepareScope, scopeNames } from '#domain/scopes.ts'
import { within } from '../../durable/within.ts'
import { logError } from '../../observability/log.ts'
import { notFound, ok, type Refused, type Result, refuse } from '../../result.ts'
import { actingAs } from '../core/acting.ts'
import type { Context } from '../core/context.ts'
import type { Principal } from '../core/rpcTypes.ts'
import type { RunRow, WhitelistRow } from '../core/storage/rows.ts'
import { findReplay } from '../ledger/idempotency.ts'
import { takeRates } from '../limits/rates.ts'
import { type Caller, resolveCaller } from '../policies/paymentParties.ts'
import { checkNext } from './checking.ts'
import { createRun, type Maker, runRequest } from './create.ts'
import { endRun } from './end.ts'
import { isPrepared } from './rows.ts'
import type { CreateRunInput, NamedContact, PrepareRunInput } from './rpcTypes.ts'

type Agent = NonNullable<Caller['agent']>
type Group = NonNullable<Caller['group']>

/**
 * POST /v1/runs: an agent makes a draft from the wallet of its group. Only people submit it and decide about it (I25). The same key
 * returns the same run.
 */
export function prepareRun(ctx: Context, input: PrepareRunInput): Result<{ run: RunRow; replayed: boolean }> {
  const caller = resolveCaller(ctx, input.principal, null)
  if (!caller.ok) return caller
  const { agent, group, wallet, policy } = caller.value
  if (!agent || !group || !policy) return notFound('Agent')
  if (!policy.scopes.includes(prepareScope)) return lacksScope(policy.name)
  const { title, rows, again, key, replaces } = input
  const run: CreateRunInput & { replaces: string | null } = {
    ...{ title, walletId: wallet.id, from: { rows }, again, key, replaces },
    contacts: whitelistedContacts(ctx, group, rows),
    by: { userId: agent.id, name: agent.name },
  }
  const maker = makerOf(input.principal, agent, replaces)
  const replayed = findReplay(ctx.store, runRequest(run, maker)) !== null
  const made = createRun(ctx, run, maker)
  return made.ok ? ok({ run: made.value, replayed }) : made
}

const makerOf = (principal: Principal, agent: Agent, replaces: string | null): Maker => ({
  principal,
  mayMake: (ctx, rows) => cancelReplaced(ctx, agent, replaces) ?? openRefusal(ctx, agent) ?? takeRows(ctx, agent, rows),
  noContact: (name) => `Your policy group has no contact named “${name}”.`,
  knows: (run) => run.made_by === agent.id,
})

const lacksScope = (group: string): Refused => ({
  ...refuse('insufficient_scope', `The policy group "${group}" does not let its agents prepare payout runs.`),
  refusal: {
    rule: prepareScope,
    next: `Ask the owner for the permission ${scopeNames[prepareScope]} (${prepareScope}).`,
    max_allowed_now: '0',
  },
})

/** An agent takes back only drafts of its own: what a person has submitted is theirs. */
function cancelReplaced(ctx: Context, agent: Agent, id: string | null): Refused | null {
  if (id === null) return null
  const run = preparedRun(ctx, agent.id, id)
  if (!run) return notFound('Run', 'replaces')
  if (run.status === 'CANCELLED') return null
  if (run.status !== 'DRAFT')
    return refuse('conflict', 'This run was submitted, so only people can cancel it.', { field: 'replaces' })
  endRun(ctx, run, 'cancel')
  return null
}

function openRefusal({ store, limits }: Context, agent: Agent): Refused | null {
  const open = 'run WHERE ended_at IS NULL AND'
  const most = limits.agentOpenRuns
  if (store.count(`${open} made_by = ?`, agent.id) >= most)
    return refuse(
      'conflict',
      `${most} runs of this agent are open, which is the limit. Replace a draft, or wait until people have decided.`,
    )
  return store.count(`${open} ${isPrepared}`) < limits.openRuns
    ? null
    : refuse(
        'conflict',
        `${limits.openRuns} runs of agents are open, which is the limit. Wait until people have decided.`,
      )
}

/** The look-ups of agents never use up what people may check. */
function takeRows(ctx: Context, agent: Agent, rows: number): Refused | null {
  const rate = takeRates(
    ctx,
    [
      ['agent_run_rows', agent.id],
      ['run_rows', 'agents'],
    ],
    rows,
  )
  if (!rate.ok) return rate
  rate.save()
  return null
}

/** The contacts that the rows name, of those that the group may pay: an agent can't find out about others. */
function whitelistedContacts(
  { store }: Context,
  group: Group,
  rows: PrepareRunInput['rows'],
): Record<string, NamedContact[]> {
  const names = new Set(rows.flatMap(({ row }) => (row?.to.type === 'contact' ? [row.to.name] : [])))
  const found = store.all<WhitelistRow>(
    'SELECT * FROM whitelist WHERE group_id = ? AND name IN (SELECT value FROM json_each(?))',
    group.id,
    JSON.stringify([...names]),
  )
  const contact = ({ contact_id: id, name, address, email, phone }: WhitelistRow): NamedContact => ({
    ...{ id, name, address, email, phone, changedBy: null, updatedAt: 0 },
  })
  return Object.fromEntries([...names].map((name) => [name, found.filter((row) => row.name === name).map(contact)]))
}

/** A run that this agent has prepared. */
export function preparedRun({ store }: Context, agentId: string, id: string): RunRow | null {
  const run = store.payoutRun(id)
  return run?.made_by === agentId ? run : null
}

const checkMs = 5_000 // 5 seconds

/** Checks the rows now, so that the reply has the verdicts. If that takes longer, the alarm goes on with it. */
export async function checkPrepared(ctx: Context, id: string): Promise<void> {
  const { store } = ctx
  const check = async () => {
    for (let run = store.payoutRun(id); run?.status === 'DRAFT' && run.hash === null; run = store.payoutRun(id))
      await checkNext(ctx, run)
  }
  await within(checkMs, () => actingAs(bursar, check)).catch((error: unknown) =>
    logError('run_not_checked', { user: ctx.userId }, error),
  )
}
