import type { Kind } from './kind.ts'
import { send } from './send.ts'

/** USDC that the recipient of an email or SMS withdraws with a code, until it expires. */
export const payout: Kind = {
  ...send,
  paidTo: 'emailOrPhone',
  transfer: 'funded',
  spentWhen: 'withdrawn',
  gasSteps: ['send', 'announce', 'end'],
  category: () => 'escrow',
  canGrant: () => false,
}
