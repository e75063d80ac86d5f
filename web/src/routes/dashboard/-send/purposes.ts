import type { ChainName } from '#domain/networks.ts'
import { payoutProblems, type SendValues, type SpendLimit, sendProblems } from '#domain/sendRules.ts'
import { failures } from '#web/lib/failures.ts'

/** The differences between the dialogs that send money; they share form, review and results. */
export type Purpose = {
  title: string
  /** Ways to name the recipient. 'phone' is offered only if SMS is available. */
  tabs: readonly SendValues['to'][]
  /** `chain` is that of the wallet that pays. */
  problems: (
    values: SendValues,
    limit: SpendLimit | null,
    chain: ChainName | undefined,
  ) => { [K in keyof SendValues]?: string | null }
  /** Shown for a payout that was refused without a reason, and if the fault is not the server's. */
  payoutFailures: readonly [failed: string, broken: string]
}

/** Send, from one wallet. */
export const send: Purpose = {
  title: 'Send USDC',
  tabs: ['address', 'email', 'phone', 'contact'],
  problems: sendProblems,
  payoutFailures: failures.sendPayout,
}

/** Create Payout, from a wallet chosen in the form. */
export const createPayout: Purpose = {
  title: 'Create Payout',
  tabs: ['email', 'phone'],
  problems: payoutProblems,
  payoutFailures: ['Failed to create payout', failures.payout],
}
