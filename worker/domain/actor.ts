/** Who acted, and through what: in every row of the audit log. */

/** Where an act came from. Null in a row: Bursar acted by itself. */
export const vias = ['dashboard', 'api', 'mcp', 'claim_page', 'operator'] as const
export type Via = (typeof vias)[number]

/** `by`: the id of a person or an agent, or one of those below. */
export type Actor = { by: string; via: Via | null }

/** Alarms, and whatever is read from the chain. */
export const bursar: Actor = { by: 'bursar', via: null }
export const operator: Actor = { by: 'operator', via: 'operator' }
/** Whoever has a payout's link and code. */
export const recipient: Actor = { by: 'recipient', via: 'claim_page' }
export const person = (userId: string): Actor => ({ by: userId, via: 'dashboard' })
