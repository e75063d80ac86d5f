import type { Db } from '../db/d1.ts'
import { knownFingerprints } from '../db/keys.ts'
import type { Env } from '../env.ts'
import { keyCheck, keyring, keyringNames } from '../keyrings/keyring.ts'

/** Secrets that differ from the one this database has seen under the same version. */
export async function keyringProblems(env: Env, db: Db): Promise<string[]> {
  const known = await knownFingerprints(db).catch(() => null) // other checks report that the database is down
  if (!known) return []
  return keyringNames.flatMap((name) =>
    keyring(env, name).versions.flatMap((key) => {
      const seen = known.get(`${name} ${key.version}`)
      const isOther = seen !== undefined && seen !== keyCheck(name, key)
      return isOther ? [`${name} version ${key.version} is not the secret that was used before`] : []
    }),
  )
}
