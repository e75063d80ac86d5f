import { BursarOutcomeUnknown } from './errors.ts'
import { pause } from './pause.ts'
import { paidOrThrow } from './reply.ts'
import type { Payment } from './types.ts'

/** A chain needs seconds, a person minutes. */
const pollMs = { chain: 500, maxChain: 5_000, person: 15_000 }

/** Throws TypeError for a word that means nothing: it would wait for the end. */
export function checkUntil(until: string, name: string): void {
  if (until !== 'sent' && until !== 'final') throw new TypeError(`${name}: must be 'sent' or 'final', not '${until}'`)
}

type Wait<P> = {
  isOver: (payment: P) => boolean
  /** Its current state. */
  look: (payment: P) => Promise<P>
  signal: AbortSignal | undefined
  idempotencyKey?: string | undefined
}

/**
 * Looks at a payment until it is over. Throws as `paidOrThrow` does, and BursarOutcomeUnknown with the payment as last seen if the
 * wait is aborted or gets no reply.
 */
export async function waitFor<P extends Payment>(payment: P, { isOver, look, ...wait }: Wait<P>): Promise<P> {
  const { signal, idempotencyKey } = wait
  let last = payment
  for (let delay = pollMs.chain; ; delay = Math.min(delay * 1.5, pollMs.maxChain)) {
    if (isOver(last)) return paidOrThrow(last)
    try {
      await pause(last.status === 'PENDING_APPROVAL' ? pollMs.person : delay, signal)
      last = await look(last)
    } catch (cause) {
      // The payment goes on without us, so the caller needs to know which one it is.
      if (!signal?.aborted && !(cause instanceof BursarOutcomeUnknown)) throw cause
      const why = cause instanceof Error ? cause.message : String(cause)
      const message = `${last.id} was ${last.status} when the wait ended: ${why}`
      throw new BursarOutcomeUnknown(message, { idempotencyKey, payment: last, cause })
    }
  }
}
