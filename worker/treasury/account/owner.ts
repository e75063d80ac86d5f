import type { Region } from '#domain/region.ts'
import type { Owner } from '../../db/keptAccounts.ts'
import type { UserRow } from '../../db/schema.ts'
import type { Context } from '../core/context.ts'

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

/** Ignores a state that is older than the stored one: D1 may have been restored to an earlier time. */
export function keepOwner({ store }: Context, owner: Owner): void {
  store.run(
    `INSERT INTO owner (one, email, name, status, temporary_since, public_address, region, password_at, created_at, updated_at)
     VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (one) DO UPDATE SET email = excluded.email, name = excluded.name, status = excluded.status,
       temporary_since = excluded.temporary_since, public_address = excluded.public_address, region = excluded.region,
       password_at = max(password_at, excluded.password_at), created_at = excluded.created_at, updated_at = excluded.updated_at
     WHERE excluded.updated_at >= updated_at`,
    owner.email,
    owner.name,
    owner.status,
    owner.temporarySince,
    owner.publicAddress,
    owner.region,
    owner.passwordAt,
    owner.createdAt,
    owner.updatedAt,
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
