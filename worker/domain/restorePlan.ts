import type { PaymentStatus } from './payment.ts'
import { sameAddress } from './sameAddress.ts'

/**
 * How a payment is treated when its Treasury is restored to an earlier time. D1 has its content and last known state; the
 * chain decides whether it was executed. A payment that may have been signed stays open until logs up to a final block
 * settle it.
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
 * What to do with a payment. "Here" is the restored Treasury.
 *
 *   none        nothing: it is up to date
 *   add         unknown here and may have been executed: hold it until the chain decides
 *   add_ended   unknown here and can never happen
 *   sign        unsigned here but signed since
 *   differs     two contents under one id: an operator must investigate
 *   ended       ended unsigned here but signed elsewhere: an operator must investigate
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
  // A restored object that was not frozen yet may have ended a payment that had been signed and executed long before.
  if (known.sequence === null) return kept.status === 'FAILED' ? 'none' : 'ended'
  // A nonce belongs to one payment permanently.
  return known.epoch === kept.epoch && known.sequence === kept.sequence ? 'none' : 'differs'
}

/** A transfer that was signed by the wallet's session key under a nonce that no known payment has. */
export type StrayTransfer = { nonce: string; to: string; amount: number; tx: string }
type Unsigned = { id: string; to: string; amount: number }

/**
 * Matches transfers to payments that were signed after their last report to D1, so that their nonces are unknown. Each
 * transfer is matched to the oldest payment with its recipient and amount. The rest is left to an operator.
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
