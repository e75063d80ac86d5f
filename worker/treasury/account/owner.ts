import { person } from '#domain/actor.ts'
import type { Region } from '#domain/region.ts'
import type { Owner } from '../../db/keptAccounts.ts'
import type { UserRow } from '../../db/schema.ts'
import { actingAs } from '../core/acting.ts'
import type { Context } from '../core/context.ts'
import { audit } from '../ledger/audit.ts'

type OwnerRow = {
  email: string
  name: string | null
  status: UserRow['status']
  temporary_since: number | null
  public_address: string | null
  region: Region | null
  password_at: number
  created_at: number
  updated_at: number
}

/**
 * Ignores a state that is older than the stored one: D1 may have been restored to an earlier time. Records a new password and
 * another linked wallet in the audit log.
 */
export function keepOwner(ctx: Context, owner: Owner): void {
  const { store, now, userId } = ctx
  store.transaction(() => {
    const before = store.first<OwnerRow>('SELECT * FROM owner')
    writeOwner(ctx, owner)
    const after = store.first<OwnerRow>('SELECT * FROM owner')
    if (!before || !after) return
    actingAs(person(userId), () => {
      if (after.password_at > before.password_at) audit(store, now(), 'account.password_changed', 'account')
      if (after.public_address !== before.public_address)
        audit(store, now(), 'account.address_changed', 'account', { address: after.public_address })
    })
  })
}

function writeOwner({ store }: Context, owner: Owner): void {
  store.insert(
    'owner',
    {
      one: 1,
      email: owner.email,
      name: owner.name,
      status: owner.status,
      temporary_since: owner.temporarySince,
      public_address: owner.publicAddress,
      region: owner.region,
      password_at: owner.passwordAt,
      created_at: owner.createdAt,
      updated_at: owner.updatedAt,
    },
    `ON CONFLICT (one) DO UPDATE SET email = excluded.email, name = excluded.name, status = excluded.status,
       temporary_since = excluded.temporary_since, public_address = excluded.public_address, region = excluded.region,
       password_at = max(password_at, excluded.password_at), created_at = excluded.created_at, updated_at = excluded.updated_at
     WHERE excluded.updated_at >= updated_at`,
  )
}

/** Null if D1 has not sent it yet. */
export function keptOwner({ store }: Context): Owner | null {
  const row = store.first<OwnerRow>('SELECT * FROM owner')
  return (
    row && {
      email: row.email,
      name: row.name,
      status: row.status,
      temporarySince: row.temporary_since,
      publicAddress: row.public_address,
      region: row.region,
      passwordAt: row.password_at,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    }
  )
}
