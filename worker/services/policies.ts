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
import { rulesIn } from '#schemas/rules.ts'
import type { Person } from '../appEnv.ts'
import { findContacts } from '../db/contacts.ts'
import { AppError } from '../errors.ts'
import { mintApiKey, mintClient, mintCredentials, replacedCredentialMs } from '../identity/credentials.ts'
import { unwrap } from '../result.ts'
import type { ContactSnapshot, GroupInput } from '../treasury/policies/rpcTypes.ts'
import { decider } from './approvals.ts'
import { requireOpenSession } from './openSession.ts'

/** The current values of the contacts that exist. */
async function snapshots(person: Person, contactIds: string[] = []): Promise<ContactSnapshot[]> {
  if (contactIds.length === 0) return []
  const { deps, accountId } = person
  const [found] = await Promise.all([findContacts(deps.db, accountId, contactIds), requireOpenSession(person)])
  return found.map(({ id, name, address, email, phone }) => ({ id, name, address, email, phone }))
}

export async function createGroup(
  person: Person,
  key: string | null,
  input: z.output<typeof CreatePolicyGroup>,
): Promise<PolicyGroup> {
  return unwrap(await person.treasury.policies().createGroup({ key, ...(await groupInput(person, input)) }))
}

/** A new group with the current values of its contacts. */
export async function groupInput(
  person: Person,
  input: z.output<typeof CreatePolicyGroup>,
): Promise<Omit<GroupInput, 'key'>> {
  const { name, spendLimit, scopes, walletId, whitelistedContactIds = [] } = input
  const contacts = await snapshots(person, whitelistedContactIds)
  if (contacts.length !== new Set(whitelistedContactIds).size)
    throw new AppError('not_found', 'Whitelisted contact not found.', { field: 'whitelistedContactIds' })
  return { name, spendLimit: spendLimit ?? null, scopes, walletId, contacts, limits: rulesIn(input) }
}

export const confirmRules = async (person: Person, groupId: string, version: number): Promise<PolicyGroup> =>
  unwrap(await person.treasury.policies().confirmRules(groupId, version, await decider(person)))

export async function editGroup(
  person: Person,
  groupId: string,
  input: z.output<typeof UpdatePolicyGroup>,
  passwordChecked: boolean,
): Promise<UpdatedPolicyGroup> {
  const { version, name, scopes, walletId, spendLimit, whitelistedContactIds } = input
  return unwrap(
    await person.treasury.policies().editGroup(groupId, {
      version,
      name,
      scopes,
      walletId,
      spendLimit,
      contactIds: whitelistedContactIds,
      contacts: await snapshots(person, whitelistedContactIds),
      limits: rulesIn(input),
      passwordChecked,
    }),
  )
}

/** Also deletes the group's agents. */
export const deleteGroup = async (person: Person, groupId: string): Promise<Removed> =>
  unwrap(await person.treasury.policies().deleteGroup(groupId))

/** A repeat with the same key returns the agent without its secrets, which are shown only once. */
export async function createAgent(
  person: Person,
  input: { key: string | null; name: string; memo: string | null; policyGroupId: string; passwordChecked: boolean },
): Promise<CreatedAgent> {
  const { deps, accountId } = person
  const id = `agt_${crypto.randomUUID().replaceAll('-', '')}`
  const issuedAt = deps.now()
  const minted = mintCredentials(deps.env, { userId: accountId, agentId: id }, issuedAt)
  const { clientId, clientSecret, apiKey, secretHash, apiKeyHash } = minted
  const created = await person.treasury
    .policies()
    .createAgent({ ...input, id, clientId, secretHash, apiKeyHash, issuedAt })
  const { agent, repeated } = unwrap(created)
  if (repeated) return { agent, clientId: agent.clientId, clientSecret: null, apiKey: null, shownOnce: true }
  return { agent, clientId, clientSecret, apiKey }
}

export const deleteAgent = async (person: Person, agentId: string): Promise<Removed> =>
  unwrap(await person.treasury.policies().deleteAgent(agentId))

/** `revokeNow`: the previous credential ends at once. */
type Replacing = { revokeNow: boolean; passwordChecked: boolean }

export async function regenerateApiKey(person: Person, agentId: string, how: Replacing): Promise<RegeneratedApiKey> {
  const { deps, accountId } = person
  await requireAgent(person, agentId)
  const { apiKey, apiKeyHash: hash } = mintApiKey(deps.env, { userId: accountId, agentId }, deps.now())
  return { apiKey, previousUntil: await replaceCredential(person, agentId, { kind: 'api_key', hash, ...how }) }
}

/** Replaces the secret. The client id changes only if another version of its keyring has become current. */
export async function regenerateSecret(
  person: Person,
  agentId: string,
  how: Replacing,
): Promise<RegeneratedCredentials> {
  const { deps, accountId } = person
  await requireAgent(person, agentId)
  const { clientId, clientSecret, secretHash: hash } = mintClient(deps.env, { userId: accountId, agentId }, deps.now())
  const replacing = { kind: 'secret' as const, hash, clientId, ...how }
  return { clientId, clientSecret, previousUntil: await replaceCredential(person, agentId, replacing) }
}

/** Throws `not_found`: credentials can only name an agent that exists. */
async function requireAgent(person: Person, agentId: string): Promise<void> {
  unwrap(await person.treasury.policies().agent(agentId))
}

/** Returns until when the previous credential works; null if not at all. */
async function replaceCredential(
  person: Person,
  agentId: string,
  { revokeNow, ...input }: { kind: 'secret' | 'api_key'; hash: string; clientId?: string } & Replacing,
): Promise<string | null> {
  const issuedAt = person.deps.now()
  const endsAt = revokeNow ? issuedAt : issuedAt + replacedCredentialMs
  const replaced = await person.treasury.policies().replaceCredential(agentId, { ...input, endsAt, issuedAt })
  return isoOf(unwrap(replaced).previousUntil)
}
