import { notFound, ok, type Refused, type Result, refuse } from '../../../result.ts'
import type { Context } from '../../core/context.ts'
import { accountFull } from '../../core/storage/store.ts'
import { agentsRefusal } from '../../reports/changes/agents.ts'
import { groupProblem, termsOf } from '../../reports/changes/groups.ts'
import type { AllowInput, Consent } from './rpcTypes.ts'

/**
 * Stores what the owner allows, until the app exchanges its code. The same again, after a lost reply, puts the new code in
 * place of the first.
 */
export function allow(ctx: Context, input: AllowInput): Result<{ connectionId: string }> {
  const { store } = ctx
  return store.transaction((): Result<{ connectionId: string }> => {
    store.run("DELETE FROM connection WHERE status = 'allowed' AND expires_at <= ?", ctx.now())
    const consent = consentOf(input)
    const before = store.first<{ id: string; status: string; consent: string }>(
      'SELECT id, status, consent FROM connection WHERE request_id = ?',
      input.requestId,
    )
    if (before) {
      const { allowed } = JSON.parse(before.consent) as Consent
      const isRepeat = before.status === 'allowed' && JSON.stringify(allowed) === JSON.stringify(consent.allowed)
      if (!isRepeat) return answered
      // A code names its connection, so the first one's connection gives way.
      store.run('DELETE FROM connection WHERE id = ?', before.id)
    }
    if (!input.passwordChecked) return passwordNeeded
    const problem = store.isFull ? accountFull : choiceProblem(ctx, consent)
    if (problem) return problem
    store.insert('connection', {
      id: input.id,
      request_id: input.requestId,
      status: 'allowed',
      client_id: input.clientId,
      redirect_key: input.redirectKey,
      app: JSON.stringify(input.app),
      consent: JSON.stringify(consent),
      code_hash: input.codeHash,
      expires_at: input.expiresAt,
      created_at: ctx.now(),
    })
    return ok({ connectionId: input.id })
  })
}

export const answered: Refused = refuse('gone', 'This request has been answered. Start again in the app.')

const passwordNeeded: Refused = refuse('password_required', 'Enter your password to connect an app.', {
  field: 'password',
})

function consentOf({ allowed: { agent, ...rest }, newAgent }: AllowInput): Consent {
  if (agent.type === 'existing' || agent.policyGroup.type === 'existing')
    return { allowed: { ...rest, agent } as Consent['allowed'], newAgent }
  const { type, group } = agent.policyGroup
  return { allowed: { ...rest, agent: { ...agent, policyGroup: { type, group: termsOf(group) } } }, newAgent }
}

/** Why the agent that was chosen cannot be had now, or null. */
export function choiceProblem(ctx: Context, { allowed: { agent } }: Consent): Refused | null {
  const { store } = ctx
  if (agent.type === 'existing') return store.agent(agent.agentId) ? null : notFound('Agent', 'agent.agentId')
  const { policyGroup } = agent
  const tooMany = agentsRefusal(store)
  if (tooMany) return tooMany
  if (policyGroup.type === 'new') return groupProblem(ctx, policyGroup.group)
  return store.group(policyGroup.policyGroupId) ? null : notFound('Policy group', 'agent.policyGroup.policyGroupId')
}
