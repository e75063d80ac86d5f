import type { z } from 'zod'
import { isoOf } from '#domain/time.ts'
import type {
  CreatedAgent,
  CreatePolicyGroup,
  PolicyGroup,
  RegeneratedApiKey,
  RegeneratedCredentials,
  Removed,
  UpdatedPolicyGroup,
  UpdatePolicyGroup,
} from '#schemas/policy.ts'
import type { Deps } from '../appEnv.ts'
import { findContacts } from '../db/contacts.ts'
import { AppError } from '../errors.ts'
import {
  discardCredentials,
  mintApiKey,
  mintCredentials,
  mintSecret,
  replaceCredentials,
  replacedCredentialMs,
  revokeCredentials,
  storeCredentials,
} from '../identity/credentials.ts'
import { unwrap } from '../result.ts'
import type { ContactSnapshot, GroupLimits } from '../treasury/policies/rpcTypes.ts'
import { treasuryOf } from '../treasuryOf.ts'

const policies = (deps: Deps, userId: string) => treasuryOf(deps.env, userId).policies()

/** The current values of the contacts that exist. */
async function snapshots({ db }: Deps, userId: string, contactIds: string[] = []): Promise<ContactSnapshot[]> {
  const found = await findContacts(db, userId, contactIds)
  return found.map(({ id, name, address, email, phone }) => ({ id, name, address, email, phone }))
}

/** Makes the compiler require every limit here, so that none is accepted and then dropped. */
type EveryLimit = { [Name in keyof GroupLimits]-?: GroupLimits[Name] }

const limitsOf = (input: GroupLimits): EveryLimit => ({
  maxPayment: input.maxPayment,
  periodBudget: input.periodBudget,
  maxUnclaimed: input.maxUnclaimed,
  emailDomains: input.emailDomains,
  phoneCodes: input.phoneCodes,
  approveAbove: input.approveAbove,
  approveNewRecipient: input.approveNewRecipient,
  approvalTtlHours: input.approvalTtlHours,
  duplicateMinutes: input.duplicateMinutes,
})

export async function createGroup(
  deps: Deps,
  userId: string,
  key: string | null,
  input: z.output<typeof CreatePolicyGroup>,
): Promise<PolicyGroup> {
  const { name, spendLimit, scopes, walletId, whitelistedContactIds = [] } = input
  const contacts = await snapshots(deps, userId, whitelistedContactIds)
  if (contacts.length !== new Set(whitelistedContactIds).size)
    throw new AppError('not_found', 'Whitelisted contact not found.', { field: 'whitelistedContactIds' })
  return unwrap(
    await policies(deps, userId).createGroup({
      key,
      name,
      spendLimit: spendLimit ?? null,
      scopes,
      walletId,
      contacts,
      limits: limitsOf(input),
    }),
  )
}

export async function editGroup(
  deps: Deps,
  userId: string,
  groupId: string,
  input: z.output<typeof UpdatePolicyGroup>,
  passwordChecked: boolean,
): Promise<UpdatedPolicyGroup> {
  const { version, name, scopes, walletId, spendLimit, whitelistedContactIds } = input
  return unwrap(
    await policies(deps, userId).editGroup(groupId, {
      version,
      name,
      scopes,
      walletId,
      spendLimit,
      contactIds: whitelistedContactIds,
      contacts: await snapshots(deps, userId, whitelistedContactIds),
      limits: limitsOf(input),
      passwordChecked,
    }),
  )
}

/** Also deletes the group's agents. The Treasury refuses them immediately; D1 revokes their credentials afterwards. */
export async function deleteGroup(deps: Deps, userId: string, groupId: string): Promise<Removed> {
  const { agentIds, ...removed } = unwrap(await policies(deps, userId).deleteGroup(groupId))
  for (const agentId of agentIds) deps.runInBackground(revokeCredentials(deps.db, userId, agentId, deps.now()))
  return removed
}

/**
 * Stores credentials in D1 first, so that they work as soon as they are returned, and removes them if the agent is not
 * created. A repeat with the same key returns the agent without its secrets, which are shown only once.
 */
export async function createAgent(
  deps: Deps,
  userId: string,
  input: { key: string | null; name: string; memo: string | null; policyGroupId: string; passwordChecked: boolean },
): Promise<CreatedAgent> {
  const id = `agt_${crypto.randomUUID().replaceAll('-', '')}`
  const { clientId, clientSecret, apiKey, secretHash, apiKeyHash } = mintCredentials()
  const issuedAt = deps.now()
  await storeCredentials(deps.db, { userId, agentId: id, clientId, secretHash, apiKeyHash, now: issuedAt })
  const created = await policies(deps, userId).createAgent({ ...input, id, clientId, secretHash, apiKeyHash, issuedAt })
  if (!created.ok || created.value.repeated) deps.runInBackground(discardCredentials(deps.db, [secretHash, apiKeyHash]))
  const { agent, repeated } = unwrap(created)
  if (repeated) return { agent, clientId: agent.clientId, clientSecret: null, apiKey: null, shownOnce: true }
  return { agent, clientId, clientSecret, apiKey }
}

export async function deleteAgent(deps: Deps, userId: string, agentId: string): Promise<Removed> {
  const removed = unwrap(await policies(deps, userId).deleteAgent(agentId))
  deps.runInBackground(revokeCredentials(deps.db, userId, agentId, deps.now()))
  return removed
}

/** `revokeNow`: the previous credential ends at once. */
type Replacing = { revokeNow: boolean; passwordChecked: boolean }

export async function regenerateApiKey(
  deps: Deps,
  userId: string,
  agentId: string,
  how: Replacing,
): Promise<RegeneratedApiKey> {
  const { apiKey, apiKeyHash } = mintApiKey()
  const { previousUntil } = await replaceCredential(deps, userId, agentId, {
    kind: 'api_key',
    hash: apiKeyHash,
    ...how,
  })
  return { apiKey, previousUntil }
}

/** Replaces the secret; the client id stays. */
export async function regenerateSecret(
  deps: Deps,
  userId: string,
  agentId: string,
  how: Replacing,
): Promise<RegeneratedCredentials> {
  const { clientSecret, secretHash } = mintSecret()
  const { clientId, previousUntil } = await replaceCredential(deps, userId, agentId, {
    kind: 'secret',
    hash: secretHash,
    ...how,
  })
  return { clientId, clientSecret, previousUntil }
}

/**
 * Stores the new credential in D1 first; it is refused until the Treasury has it. The previous one can be updated in D1
 * later, because the Treasury decides which credentials work.
 */
async function replaceCredential(
  deps: Deps,
  userId: string,
  agentId: string,
  input: { kind: 'secret' | 'api_key'; hash: string } & Replacing,
): Promise<{ clientId: string; previousUntil: string | null }> {
  const { kind, hash, revokeNow, passwordChecked } = input
  const { clientId } = unwrap(await policies(deps, userId).agent(agentId))
  const now = deps.now()
  const endsAt = revokeNow ? now : now + replacedCredentialMs
  const hashes = kind === 'secret' ? { secretHash: hash } : { apiKeyHash: hash }
  await storeCredentials(deps.db, { userId, agentId, clientId, ...hashes, now })
  const replaced = await policies(deps, userId).replaceCredential(agentId, {
    kind,
    hash,
    endsAt,
    issuedAt: now,
    passwordChecked,
  })
  if (!replaced.ok) deps.runInBackground(discardCredentials(deps.db, [hash]))
  const { previousUntil } = unwrap(replaced)
  deps.runInBackground(replaceCredentials(deps.db, { userId, agentId, kind, keepHash: hash, endsAt }))
  return { clientId, previousUntil: isoOf(previousUntil) }
}
