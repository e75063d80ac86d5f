import { searchTextOf } from '#domain/readers/text.ts'
import type { PolicyGroup } from '#schemas/policy.ts'
import type { WhitelistRow } from '../core/storage/rows.ts'
import type { Store } from '../core/storage/store.ts'
import type { ContactSnapshot, ListedContact } from './rpcTypes.ts'

/**
 * Whitelisted contacts are paid at a snapshot, so that a later change of the contact can't redirect money. A snapshot is
 * taken when the contact is listed, and again only when the owner confirms the change.
 */

export const snapshotDiffers =
  '(whitelist.address IS NOT contact_now.address OR whitelist.email IS NOT contact_now.email OR whitelist.phone IS NOT contact_now.phone)'

/** Whether one of these contacts was deleted since the caller read it. */
export const anyGone = (store: Store, contacts: ContactSnapshot[]): boolean =>
  contacts.length > 0 &&
  store.first(
    `SELECT 1 FROM contact_now JOIN json_each(?) ON contact_id = value
     WHERE contact_now.address IS NULL AND contact_now.email IS NULL AND contact_now.phone IS NULL LIMIT 1`,
    JSON.stringify(contacts.map(({ id }) => id)),
  ) !== null

/** Adds contacts to a group's whitelist; one that changed since the caller read it is stale from the start. */
export function addContacts(store: Store, groupId: string, contacts: ContactSnapshot[]): void {
  if (contacts.length === 0) return
  const list = JSON.stringify(contacts)
  store.run(
    `INSERT INTO whitelist (group_id, contact_id, name, address, email, phone)
     SELECT ?, value ->> '$.id', value ->> '$.name', value ->> '$.address', value ->> '$.email', value ->> '$.phone' FROM json_each(?)`,
    groupId,
    list,
  )
  store.run(
    `UPDATE whitelist SET stale = 1 FROM contact_now
     WHERE whitelist.group_id = ? AND contact_now.contact_id = whitelist.contact_id AND whitelist.contact_id IN (SELECT value ->> '$.id' FROM json_each(?)) AND ${snapshotDiffers}`,
    groupId,
    list,
  )
}

export function removeContacts(store: Store, groupId: string, contactIds: string[]): void {
  if (contactIds.length === 0) return
  store.run(
    'DELETE FROM whitelist WHERE group_id = ? AND contact_id IN (SELECT value FROM json_each(?))',
    groupId,
    JSON.stringify(contactIds),
  )
}

export const whitelistedIds = (store: Store, groupId: string): string[] =>
  store
    .all<{ id: string }>('SELECT contact_id AS id FROM whitelist WHERE group_id = ? ORDER BY contact_id', groupId)
    .map(({ id }) => id)

export const whitelistRow = (store: Store, groupId: string, contactId: string): WhitelistRow | null =>
  store.first<WhitelistRow>('SELECT * FROM whitelist WHERE group_id = ? AND contact_id = ?', groupId, contactId)

/** Contacts of a group that its view has; there may be 10,000. Those that changed come first, because they are refused. */
const shownOfGroup = 100
/** In a list of groups. */
export const shownInList = 20

export function whitelistOf(
  store: Store,
  groupId: string,
  limit = shownOfGroup,
): Pick<PolicyGroup, 'whitelistedContacts' | 'whitelistedCount'> {
  const rows = store.all<
    WhitelistRow & { now_address: string | null; now_email: string | null; now_phone: string | null }
  >(
    `SELECT whitelist.*, contact_now.address AS now_address, contact_now.email AS now_email, contact_now.phone AS now_phone
     FROM whitelist LEFT JOIN contact_now USING (contact_id)
     WHERE group_id = ? ORDER BY stale DESC, name, contact_id LIMIT ?`,
    groupId,
    limit,
  )
  const whitelistedContacts = rows.map(
    ({ contact_id, name, address, email, phone, stale, now_address, now_email, now_phone }) => ({
      contact: { id: contact_id, name, address, email, phone },
      stale: stale === 1,
      current: stale === 1 ? { address: now_address, email: now_email, phone: now_phone } : null,
    }),
  )
  const whitelistedCount = rows.length < limit ? rows.length : store.count(`whitelist WHERE group_id = ?`, groupId)
  return { whitelistedContacts, whitelistedCount }
}

/**
 * The first contacts of the group, by name, whose texts contain `search`, and how many there are. Null finds all of them, which
 * are kept in memory until the next write.
 */
export function contactsOf(
  store: Store,
  groupId: string,
  search: string | null,
): { contacts: ListedContact[]; contactsTotal: number } {
  const wanted = searchTextOf(search)
  if (wanted === '')
    return store.cached('any', `contacts ${groupId}`, () => ({
      contacts: listedContacts(store, groupId, shownOfGroup),
      contactsTotal: store.count('whitelist WHERE group_id = ?', groupId),
    }))
  const found = listedContacts(store, groupId).filter(({ name, email, phone, address }) =>
    searchTextOf(name, email, phone, address).includes(wanted),
  )
  return { contacts: found.slice(0, shownOfGroup), contactsTotal: found.length }
}

/** A negative limit lists all. */
const listedContacts = (store: Store, groupId: string, limit = -1): ListedContact[] =>
  store
    .all<WhitelistRow>(
      'SELECT * FROM whitelist WHERE group_id = ? ORDER BY name, contact_id LIMIT ?',
      ...[groupId, limit],
    )
    .map(({ contact_id: id, name, address, email, phone, stale }) => ({
      id,
      name,
      address,
      email,
      phone,
      stale: stale === 1,
    }))

/** Ids and names of the groups whose agents may pay this contact. */
export const groupsWithContact = (store: Store, contactId: string): { id: string; name: string }[] =>
  store.all<{ id: string; name: string }>(
    `SELECT policy_group.id, policy_group.name FROM whitelist JOIN policy_group ON policy_group.id = group_id
     WHERE contact_id = ? ORDER BY policy_group.created_at DESC, policy_group.id DESC`,
    contactId,
  )
