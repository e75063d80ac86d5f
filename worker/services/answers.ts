import type { z } from 'zod'
import { chainNameOf } from '#domain/networks.ts'
import type { AgentRequests, PaidTo, PaidToQuery, PeriodQuery, Refusals } from '#schemas/answers.ts'
import type { Person } from '../appEnv.ts'
import { primaryChain } from '../chain/networkSettings.ts'
import { AppError } from '../errors.ts'
import { historyOf } from '../historyOf.ts'
import { unwrap } from '../result.ts'

type PeriodInput = z.output<typeof PeriodQuery>

export async function paidTo(
  { deps: { env, now }, accountId, callerId }: Person,
  query: z.output<typeof PaidToQuery>,
): Promise<PaidTo> {
  const chain = chainNameOf(primaryChain(env))
  return unwrap(await historyOf(env, accountId).paidTo(callerId, { ...query, chain, now: now() }))
}

export async function agentRequests(
  { deps: { env, now }, accountId, callerId, treasury }: Person,
  agentId: string,
  query: PeriodInput,
): Promise<AgentRequests> {
  const [agent] = await treasury.reports().agentNames([agentId])
  if (!agent) throw new AppError('not_found', 'Agent not found.')
  const sums = await historyOf(env, accountId).agentRequests(callerId, agentId, { ...query, now: now() })
  return { agent, ...unwrap(sums) }
}

export async function refusals(
  { deps: { env, now }, accountId, callerId, treasury }: Person,
  query: PeriodInput,
): Promise<Refusals> {
  const { rows, ...rest } = unwrap(await historyOf(env, accountId).refusals(callerId, { ...query, now: now() }))
  const agents = await treasury.reports().agentNames([...new Set(rows.map(({ agentId }) => agentId))])
  const names = new Map(agents.map(({ id, name }) => [id, name]))
  return { ...rest, rows: rows.map((row) => ({ ...row, agentName: names.get(row.agentId) ?? 'Unknown' })) }
}
