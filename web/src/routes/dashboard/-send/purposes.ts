import { payoutProblems, type SendValues, type SpendLimit, sendProblems } from '#domain/sendRules.ts'
import { failures } from '../../../lib/failures.ts'

/** What the dialogs that send money differ in; form, review and results are the same. */
export type Purpose = {
  title: string
  /** Ways to name the recipient. 'phone' is offered only where SMS is. */
  tabs: readonly SendValues['to'][]
  problems: (values: SendValues, limit: SpendLimit | null) => { [K in keyof SendValues]?: string | null }
  /** Said of a payout that was refused without a reason. */
  payoutFailed: string
  /** The same, when the fault is not the server's. */
  payoutBroken: string
}

/** Send, from one wallet. */
export const send: Purpose = {
  title: 'Send USDC',
  tabs: ['address', 'email', 'phone', 'contact'],
  problems: sendProblems,
  payoutFailed: 'Failed to create escrow',
  payoutBroken: failures.escrow,
}

/** Create Payout, from a wallet that is chosen in the form. */
export const createPayout: Purpose = {
  title: 'Create Payout',
  tabs: ['email', 'phone'],
  problems: payoutProblems,
  payoutFailed: 'Failed to create payout',
  payoutBroken: failures.payout,
}
