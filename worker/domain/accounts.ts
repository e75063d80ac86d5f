declare const person: unique symbol
declare const account: unique symbol

/** Id of a person who signs in. */
export type PersonId = string & { readonly [person]: true }

/**
 * Id of an account, which names its Treasury, its History and its contacts. It is the id of the person who owns the account,
 * but not of the others who act for it: what belongs to a person, such as their password, is never looked up by it.
 */
export type AccountId = string & { readonly [account]: true }

/** The account that this person owns. */
export const ownAccount = (id: PersonId): AccountId => id as string as AccountId

/**
 * Who calls an account, as its objects are told: the id of the owner's login session, or the person who acts for an account of
 * somebody else. What each may do, and whether they still may, the Treasury knows.
 */
export type CallerId = string

const memberPrefix = 'm:'

export const memberCaller = (id: PersonId): CallerId => `${memberPrefix}${id}`

/** The person behind a caller's id; null for a login session of the owner. */
export const memberOf = (caller: CallerId): PersonId | null =>
  caller.startsWith(memberPrefix) ? (caller.slice(memberPrefix.length) as PersonId) : null
