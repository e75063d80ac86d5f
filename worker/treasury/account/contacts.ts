import { findContacts } from '../../db/contacts.ts'
import type { Context } from '../core/context.ts'
import { contactChanged } from '../reports/changes/contacts.ts'
import type { ComparedContacts, Contact } from './rpcTypes.ts'

type Methods = Pick<Contact, 'address' | 'email' | 'phone'>

const same = (a: Methods, b: Methods) => a.address === b.address && a.email === b.email && a.phone === b.phone

/**
 * After D1 was restored to an earlier time, compares its contacts with what the account last knew of those on whitelists.
 * A contact that differs is refused until the owner confirms it; one that D1 lacks is returned, to be written there.
 */
export async function compareContacts(ctx: Context, isDry: boolean): Promise<ComparedContacts> {
  const { store, db, userId } = ctx
  const known = store.all<Contact>(
    `SELECT whitelist.contact_id AS id, whitelist.name AS name,
       CASE WHEN contact_now.contact_id IS NULL THEN whitelist.address ELSE contact_now.address END AS address,
       CASE WHEN contact_now.contact_id IS NULL THEN whitelist.email ELSE contact_now.email END AS email,
       CASE WHEN contact_now.contact_id IS NULL THEN whitelist.phone ELSE contact_now.phone END AS phone
     FROM whitelist JOIN policy_group ON policy_group.id = whitelist.group_id AND policy_group.deleted_at IS NULL
       LEFT JOIN contact_now ON contact_now.contact_id = whitelist.contact_id GROUP BY whitelist.contact_id`,
  )
  const ids = known.map(({ id }) => id)
  const inD1 = new Map((await findContacts(db, userId, ids)).map((contact) => [contact.id, contact]))
  const missing: Contact[] = []
  let toConfirm = 0
  for (const { id, name, address, email, phone } of known) {
    const contact = inD1.get(id)
    if (!contact) missing.push({ id, name, address, email, phone })
    else if (!same(contact, { address, email, phone })) {
      toConfirm += 1
      if (!isDry) contactChanged(ctx, id, { address: contact.address, email: contact.email, phone: contact.phone })
    }
  }
  return { toConfirm, missing }
}
