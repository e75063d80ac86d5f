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
import { mintApiKey, mintClient, mintCredentials, replacedCredentialMs } from '../identity/credentials.ts'
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

/** Also deletes the group's agents. */
export const deleteGroup = async (deps: Deps, userId: string, groupId: string): Promise<Removed> =>
  unwrap(await policies(deps, userId).deleteGroup(groupId))

/** A repeat with the same key returns the agent without its secrets, which are shown only once. */
export async function createAgent(
  deps: Deps,
  userId: string,
  input: { key: string | null; name: string; memo: string | null; policyGroupId: string; passwordChecked: boolean },
): Promise<CreatedAgent> {
  const id = `agt_${crypto.randomUUID().replaceAll('-', '')}`
  const issuedAt = deps.now()
  const minted = mintCredentials(deps.env, { userId, agentId: id }, issuedAt)
  const { clientId, clientSecret, apiKey, secretHash, apiKeyHash } = minted
  const created = await policies(deps, userId).createAgent({ ...input, id, clientId, secretHash, apiKeyHash, issuedAt })
  const { agent, repeated } = unwrap(created)
  if (repeated) return { agent, clientId: agent.clientId, clientSecret: null, apiKey: null, shownOnce: true }
  return { agent, clientId, clientSecret, apiKey }
}

export const deleteAgent = async (deps: Deps, userId: string, agentId: string): Promise<Removed> =>
  unwrap(await policies(deps, userId).deleteAgent(agentId))

/** `revokeNow`: the previous credential ends at once. */
type Replacing = { revokeNow: boolean; passwordChecked: boolean }

export async function regenerateApiKey(
  deps: Deps,
  userId: string,
  agentId: string,
  how: Replacing,
): Promise<RegeneratedApiKey> {
  await requireAgent(deps, userId, agentId)
  const { apiKey, apiKeyHash: hash } = mintApiKey(deps.env, { userId, agentId }, deps.now())
  return { apiKey, previousUntil: await replaceCredential(deps, userId, agentId, { kind: 'api_key', hash, ...how }) }
}

/** Replaces the secret. The client id changes only if another version of its keyring has become current. */
export async function regenerateSecret(
  deps: Deps,
  userId: string,
  agentId: string,
  how: Replacing,
): Promise<RegeneratedCredentials> {
  await requireAgent(deps, userId, agentId)
  const { clientId, clientSecret, secretHash: hash } = mintClient(deps.env, { userId, agentId }, deps.now())
  const replacing = { kind: 'secret' as const, hash, clientId, ...how }
  return { clientId, clientSecret, previousUntil: await replaceCredential(deps, userId, agentId, replacing) }
}

/** Throws `not_found`: credentials can only name an agent that exists. */
async function requireAgent(deps: Deps, userId: string, agentId: string): Promise<void> {
  unwrap(await policies(deps, userId).agent(agentId))
}

/** Returns until when the previous credential works; null if not at all. */
async function replaceCredential(
  deps: Deps,
  userId: string,
  agentId: string,
  { revokeNow, ...input }: { kind: 'secret' | 'api_key'; hash: string; clientId?: string } & Replacing,
): Promise<string | null> {
  const issuedAt = deps.now()
  const endsAt = revokeNow ? issuedAt : issuedAt + replacedCredentialMs
  const replaced = await policies(deps, userId).replaceCredential(agentId, { ...input, endsAt, issuedAt })
  return isoOf(unwrap(replaced).previousUntil)
}
