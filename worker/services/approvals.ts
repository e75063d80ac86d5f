import type { z } from 'zod'
import {
  type Approval,
  type ApprovalList,
  type ApprovalSettings,
  type ApprovalsQuery,
  type Approve,
  type Deny,
  type Grant,
  maxGrantMs,
  type SetApprovalSettings,
} from '#schemas/approval.ts'
import type { Person } from '../appEnv.ts'
import { findUser } from '../db/users.ts'
import { AppError } from '../errors.ts'
import { unwrap } from '../result.ts'
import type { Decider } from '../treasury/approvals/rpcTypes.ts'
import { checkPassword } from './passwords.ts'

/** The person who decides, identified by a login session, never an agent. */
export async function decider({ deps, personId, loginSessionId: sessionId }: Person): Promise<Decider> {
  const user = await findUser(deps.db, personId)
  return { userId: personId, name: user?.name ?? user?.email ?? null, sessionId, passwordAt: user?.passwordAt ?? 0 }
}

export async function listApprovals(
  person: Person,
  { status, agentId, cursor }: z.output<typeof ApprovalsQuery>,
): Promise<ApprovalList> {
  return person.treasury.approvals().list({ status, agentId: agentId ?? null, after: cursor ?? null })
}

export async function approve(person: Person, id: string, input: z.output<typeof Approve>): Promise<Approval> {
  const { hash, password, grant } = input
  const endsAt = grant && Date.parse(grant.endsAt)
  if (endsAt && endsAt > person.deps.now() + maxGrantMs)
    throw new AppError('invalid_input', 'A permission can last at most 366 days.', { field: 'grant.endsAt' })
  const passwordChecked = await checkPassword(person, password)
  return unwrap(
    await person.treasury.approvals().approve(id, {
      hash,
      by: await decider(person),
      passwordChecked,
      grant: grant && endsAt ? { amount: grant.amount, endsAt } : null,
    }),
  )
}

export async function deny(person: Person, id: string, input: z.output<typeof Deny>): Promise<Approval> {
  const { hash, pauseAgent = false } = input
  return unwrap(await person.treasury.approvals().deny(id, { hash, by: await decider(person), pauseAgent }))
}

export async function endGrant(person: Person, id: string): Promise<Grant> {
  return unwrap(await person.treasury.approvals().endGrant(id, await decider(person)))
}

export async function setApprovalSettings(
  person: Person,
  { passwordAbove, password }: z.output<typeof SetApprovalSettings>,
): Promise<ApprovalSettings> {
  const passwordChecked = await checkPassword(person, password)
  const by = await decider(person)
  return unwrap(await person.treasury.approvals().setSettings({ passwordAbove, by, passwordChecked }))
}
