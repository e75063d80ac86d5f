import type { Deps } from '../appEnv.ts'
import { knownPasskeyDomain, recordPasskeyDomain } from '../db/keys.ts'
import { AppError } from '../errors.ts'

/**
 * The deployment's domain of passkeys, if `domain` is it. The first payout that is kept fixes it (readiness.ts). Throws
 * `invalid_input` for another domain, because money under it could not be opened here.
 */
export async function passkeyDomainOf({ env, db, now }: Deps, domain: string): Promise<string> {
  const ours = env.PASSKEY_DOMAIN
  const wrong = (message: string) => new AppError('invalid_input', message, { field: 'passkeyDomain' })
  if (!ours) throw wrong('Keeping money with a passkey is not offered here.')
  if (domain !== ours) throw wrong(`Passkeys for ${domain} are not accepted here, only those for ${ours}.`)
  await recordPasskeyDomain(db, ours, now())
  const known = await knownPasskeyDomain(db)
  if (known !== ours) throw wrong(`Passkeys for ${ours} are not accepted: money is kept under ${known}.`)
  return ours
}
