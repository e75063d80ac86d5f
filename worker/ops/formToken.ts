import { peppered, sameHash } from '../identity/secrets.ts'
import type { Settings } from '../settings.ts'

/** A page of forms may stay open this long. */
const validMs = 12 * 60 * 60_000 // 12 hours

const hashOf = ({ CODE_PEPPER }: Pick<Settings, 'CODE_PEPPER'>, actor: string, until: number) =>
  peppered(CODE_PEPPER, `ops-form:${actor}:${until}`)

/**
 * What each form of /ops carries: bound to the operator, so that only a page that we have sent to them can post. `now` in
 * ms.
 */
export function formToken(env: Pick<Settings, 'CODE_PEPPER'>, actor: string, now: number): string {
  const until = now + validMs
  return `${until}.${hashOf(env, actor, until)}`
}

export function isFormToken(env: Pick<Settings, 'CODE_PEPPER'>, actor: string, token: string, now: number): boolean {
  const [until = '', hash = ''] = token.split('.')
  return Number(until) > now && sameHash(hash, hashOf(env, actor, Number(until)))
}
