/**
 * Kinds of trouble inside a Durable Object. `wallet_halted`: Bursar stopped a wallet. `account_size`: a Treasury is near its
 * storage limit. `alarm_lost`: an object had work but no alarm; the cron has re-armed it. `schema_newer`: newer code has
 * migrated an object's database, so the running code must not use it.
 */
export const troubleKinds = ['wallet_halted', 'account_size', 'alarm_lost', 'schema_newer'] as const
export type TroubleKind = (typeof troubleKinds)[number]
