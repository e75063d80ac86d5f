/** The page of an account of somebody else, for a member: `account` is its id, or null for the person's own. */
export const withinAccount = (account: string | null, path: string): string =>
  account === null ? path : `${path}${path.includes('?') ? '&' : '?'}account=${account}`
