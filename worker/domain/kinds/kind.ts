import type { TransactionCategory } from '../lists.ts'
import type { RecipientType } from '../scopes.ts'

/** How one kind of payment differs from the others. All that is not asked here is the same for each. */
export type Kind = {
  /** Who sends it to the chain: our Relayer, or the seller to whom the agent hands it. */
  submittedBy: 'relayer' | 'seller'
  /** What identifies its recipient. A payout's address is made for it and identifies nobody. */
  paidTo: 'address' | 'seller' | 'emailOrPhone'
  /** What its transfer does: pay the recipient, or fund a payout that the recipient withdraws later. */
  transfer: 'paid' | 'funded'
  /** When its amount counts as spent. */
  spentWhen: 'confirmed' | 'withdrawn'
  /** The transactions whose gas we pay. */
  gasSteps: readonly GasStep[]
  /** Its category in lists and exports. */
  category: (to: RecipientType) => TransactionCategory
  /** Whether an owner who approves one may allow more like it. `isConfirmed`: whether its seller is confirmed. */
  canGrant: (isConfirmed: boolean) => boolean
  /** Its name in messages about approvals. */
  noun: 'payment' | 'purchase'
  /** The title of the notice that it failed. */
  failed: (amount: string, recipient: string) => string
  /** Why its amount is available again. */
  released: { unsigned: string; dead: string }
}

export type GasStep = 'send' | 'announce' | 'end'
