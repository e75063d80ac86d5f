import type { PersonId } from '#domain/accounts.ts'
import { memberRoles } from '#domain/roles.ts'
import { integer, maybeInteger, maybeText, oneOf, type RowOf, table, text } from '../../../durable/table.ts'

export const memberStatuses = ['invited', 'active', 'ended'] as const

/** People besides the owner who act for the account, and those who are invited. */
export const member = table(
  'member',
  {
    id: text('PRIMARY KEY'),
    status: oneOf(memberStatuses),
    role: oneOf(memberRoles),
    /** The address that was invited; since joining, the person's. */
    email: text(),
    /** Null until the person has joined. */
    person_id: maybeText<PersonId>(),
    name: maybeText(),
    /** SHA-256 of the invitation's token. Null once it was used or ended. */
    token_hash: maybeText(),
    invited_at: integer(),
    /** When the invitation ends. */
    expires_at: integer(),
    joined_at: maybeInteger(),
    ended_at: maybeInteger(),
    /** From when they decide above the limit of one person. */
    decides_from: integer('DEFAULT 0'),
    /** The newest notice that the person has seen. */
    notices_read: integer('DEFAULT 0'),
  },
  {
    indexes: `
      CREATE UNIQUE INDEX member_person ON member (person_id) WHERE status = 'active';`,
  },
)
export type MemberRow = RowOf<typeof member>
