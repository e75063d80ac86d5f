import type { Result } from '../../worker/result.ts'
import { type Accepted, accept } from '../../worker/treasury/payments/accept.ts'
import type { Need } from '../../worker/treasury/payments/needs.ts'

/** `accept` for payments that need no approval. Throws if the owner is asked. */
export function acceptNow(...args: Parameters<typeof accept>): Result<Accepted> | Need {
  const result = accept(...args)
  if (!('need' in result) && result.ok && 'asked' in result.value) throw new Error('the owner was asked')
  return result as Result<Accepted> | Need
}
