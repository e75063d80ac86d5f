import { hourMs } from '#domain/time.ts'
import { isSigned, signed } from '../identity/signed.ts'
import type { KeyringSettings } from '../keyrings/keyring.ts'

/** How long a page with forms stays usable. */
const validMs = 12 * hourMs

const textOf = (actor: string, until: number) => `ops-form:${actor}:${until}`

/**
 * The token in every form of /ops. It is bound to the operator, so that only pages that we sent to them can post. `now` in
 * ms.
 */
export function formToken(env: KeyringSettings, actor: string, now: number): string {
  const until = now + validMs
  return `${until}.${signed(env, textOf(actor, until), now)}`
}

export function isFormToken(env: KeyringSettings, actor: string, token: string, now: number): boolean {
  const [until = '', signature = ''] = token.split('.')
  return Number(until) > now && isSigned(env, textOf(actor, Number(until)), signature)
}
