/** For how many days a payout can be claimed: the choices and the default. */
export const expiryDays = [1, 7, 30, 90] as const
export type ExpiryDays = (typeof expiryDays)[number]
export const defaultExpiryDays: ExpiryDays = 30
