import type { Kind } from './kind.ts'

/** A payment to an x402 seller, who submits it and pays its gas. */
export const purchase: Kind = {
  submittedBy: 'seller',
  paidTo: 'seller',
  transfer: 'paid',
  spentWhen: 'confirmed',
  gasSteps: [],
  category: () => 'x402',
  canGrant: (isConfirmed) => isConfirmed,
  noun: 'purchase',
  failed: (amount, recipient) => `A purchase of ${amount} from ${recipient} was not settled`,
  released: {
    unsigned: 'The purchase was not signed in time. The amount is available again.',
    dead: 'The seller did not take the payment in time. The amount is available again.',
  },
}
