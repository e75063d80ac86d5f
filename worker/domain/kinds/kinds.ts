import type { RecipientType } from '../scopes.ts'
import type { Kind } from './kind.ts'
import { payout } from './payout.ts'
import { purchase } from './purchase.ts'
import { send } from './send.ts'

/** Every kind of payment, by its name in tables. */
export const kinds = { send, payout, x402: purchase } as const satisfies Record<string, Kind>
export type KindName = keyof typeof kinds
export const kindNames = Object.keys(kinds) as [KindName, ...KindName[]]

/** Whether this recipient is an x402 seller, who is paid by a purchase. */
export const isSeller = <To extends { type: RecipientType }>(to: To): to is To & { type: 'x402' } => to.type === 'x402'

/** The kind of a payment to this recipient. `isPayout`: paid by email or phone. */
export const kindTo = (to: { type: RecipientType }, isPayout: boolean): KindName =>
  isSeller(to) ? 'x402' : isPayout ? 'payout' : 'send'

export const kindOf = ({ kind }: { kind: KindName }): Kind => kinds[kind]
