import type { Deps } from '../appEnv.ts'
import { AppError, unwrap } from '../errors.ts'
import { mintCredentials, storeCredentials } from '../identity/credentials.ts'
import type { CreatedAgent } from '../schemas/policy.ts'
import { listContacts } from './contacts.ts'

/** Snapshots of the user's own contacts; a stranger's id is not found. */
export async function whitelistOf(deps: Deps, userId: string, contactIds: string[]) {
  if (contactIds.length === 0) return []
  const wanted = new Set(contactIds)
  const own = (await listContacts(deps, userId)).filter((contact) => wanted.has(contact.id))
  if (own.length !== wanted.size)
    throw new AppError('not_found', 'A whitelisted contact was not found.', { field: 'whitelistedContactIds' })
  return own.map(({ id, name, address, email, phone }) => ({
    id,
    name,
    address: address ?? null,
    email: email ?? null,
    phone: phone ?? null,
  }))
}

/**
 * The credentials' index is written before anything answers; rows of an agent that then is not made lead nowhere.
 * A repeat with the same key finds the agent, without its secrets: they were shown once.
 */
export async function createAgent(
  deps: Deps,
  userId: string,
  input: { key: string | null; name: string; memo: string | null; policyGroupId: string },
): Promise<CreatedAgent> {
  const id = `agt_${crypto.randomUUID().replaceAll('-', '')}`
  const { clientId, clientSecret, apiKey, secretHash, apiKeyHash } = mintCredentials()
  await storeCredentials(deps.db, { userId, agentId: id, clientId, secretHash, apiKeyHash, now: deps.now() })
  const { agent, repeated } = unwrap(
    await deps.env.TREASURY.getByName(userId).createAgent({ ...input, id, clientId, secretHash, apiKeyHash }),
  )
  if (repeated) return { agent, clientId: agent.clientId, clientSecret: null, apiKey: null, shownOnce: true }
  return { agent, clientId, clientSecret, apiKey }
}
