import type { PaymentStatus } from './payment.ts'
import { sameAddress } from './sameAddress.ts'

/**
 * What becomes of a payment when its Treasury is put back to an earlier time. D1 has its content and its last known state, and the
 * chain decides whether it was executed: what may have been signed is open until logs up to a final block say otherwise.
 */

export type PlannedPayment = {
  status: PaymentStatus
  walletId: string
  to: string | null
  /** Micro-USDC. */
  amount: number
  epoch: number | null
  sequence: number | null
}

/**
 * What to do with a payment.
 *
 *   none        it is as it should be
 *   add         unknown here, and may have been executed: held until the chain tells
 *   add_ended   unknown here, and known never to happen
 *   sign        unsigned here, and signed since
 *   differs     two contents under one id: an operator has to look
 *   ended       ended here unsigned, and signed elsewhere: an operator has to look
 */
export type RestoreAct = 'none' | 'add' | 'add_ended' | 'sign' | 'differs' | 'ended'

export function planPayment(known: PlannedPayment | null, kept: PlannedPayment): RestoreAct {
  const isSigned = kept.sequence !== null
  if (known === null) {
    if (kept.status === 'FAILED') return 'add_ended'
    return kept.status === 'CANCELLED' && !isSigned ? 'add_ended' : 'add'
  }
  if (known.walletId !== kept.walletId || known.amount !== kept.amount || !sameAddress(known.to, kept.to ?? ''))
    return 'differs'
  if (!isSigned) return 'none'
  if (known.status === 'QUEUED') return 'sign'
  // An object that did not know yet that it went back may have ended what had been signed, and executed, long before.
  if (known.sequence === null) return kept.status === 'FAILED' ? 'none' : 'ended'
  // A nonce belongs to one payment for good.
  return known.epoch === kept.epoch && known.sequence === kept.sequence ? 'none' : 'differs'
}

/** A transfer that a signature of the wallet's session caused, under a nonce that no payment has. */
export type StrayTransfer = { nonce: string; to: string; amount: number; tx: string }
type Unsigned = { id: string; to: string; amount: number }

/**
 * Matches transfers to payments that were signed after D1 last heard of them, so that their nonces are unknown: each
 * transfer goes to the oldest payment with its recipient and amount. The rest is left to an operator.
 */
export function explainTransfers<Stray extends StrayTransfer>(
  strays: Stray[],
  unsigned: Unsigned[],
): { explained: { id: string; stray: Stray }[]; unexplained: Stray[] } {
  const left = [...unsigned]
  const explained: { id: string; stray: Stray }[] = []
  const unexplained: Stray[] = []
  for (const stray of strays) {
    const i = left.findIndex(({ to, amount }) => amount === stray.amount && sameAddress(to, stray.to))
    if (i < 0) unexplained.push(stray)
    else explained.push({ id: left.splice(i, 1)[0]!.id, stray })
  }
  return { explained, unexplained }
}
