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
