import type { Kind } from './kind.ts'

/** USDC to an address, also of a contact. */
export const send: Kind = {
  submittedBy: 'relayer',
  paidTo: 'address',
  transfer: 'paid',
  spentWhen: 'confirmed',
  gasSteps: ['send'],
  category: (to) => (to === 'contact' ? 'contact' : 'address'),
  canGrant: () => true,
  noun: 'payment',
  failed: (amount, recipient) => `${amount} to ${recipient} was not sent`,
  released: {
    unsigned: 'Not sent: the wallet could not sign in time. The amount is available again.',
    dead: 'Not sent: the payment did not reach the chain in time. The amount is available again.',
  },
}
