/**
 * What is wrong inside a Durable Object. `wallet_halted`: Bursar stopped a wallet. `account_size`: a Treasury is near the
 * limit of its storage. `alarm_lost`: an object had work and no alarm; the cron has set it again. `schema_newer`: newer code
 * has changed an object's database, and the code that runs now must not use it.
 */
export const troubleKinds = ['wallet_halted', 'account_size', 'alarm_lost', 'schema_newer'] as const
export type TroubleKind = (typeof troubleKinds)[number]
