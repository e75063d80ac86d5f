/** Versions of keyrings for tests in workerd, and Treasuries and ClaimDesks that use them. */

import { runInDurableObject } from 'cloudflare:test'
import type { ClaimDesk } from '../../worker/claims/claimDesk.ts'
import {
  type AddedVersions,
  firstVersions,
  type KeyringName,
  keyCheck,
  keyring,
  removed,
} from '../../worker/keyrings/keyring.ts'
import { Sealer } from '../../worker/keyrings/sealer.ts'
import { openKeys } from '../../worker/treasury/wallets/sessionKeys.ts'
import { inTreasury } from './treasuries.ts'
import { env } from './workerChain.ts'

type Version = { version?: number; secret?: string; from: number }

/** Returns the value of KEYRINGS that adds one version to each of these keyrings. */
export function keyringsWith(rings: Partial<Record<KeyringName, Version>>): string {
  const added: AddedVersions = {}
  for (const [name, { version = 2, secret = 'ab'.repeat(32), from }] of Object.entries(rings) as [
    KeyringName,
    Version,
  ][])
    added[name] = [{ version, secret, from, check: keyCheck(name, { version, secret }) }]
  return JSON.stringify(added)
}

/** Returns the settings with these versions, and without the first versions of the keyrings in `without`. */
export const settingsWith = (rings: Partial<Record<KeyringName, Version>>, without: KeyringName[] = []) => ({
  ...env,
  KEYRINGS: keyringsWith(rings),
  ...Object.fromEntries(without.map((name) => [firstVersions[name], removed])),
})

/** Makes the Treasury use these settings, as after a deployment. */
export async function redeploy(userId: string, settings: typeof env): Promise<void> {
  await inTreasury(userId, ({ context }) => {
    context.env = settings
    context.sealer = new Sealer(keyring(settings, 'KEK'), () => context.now())
    openKeys(context).clear()
  })
}

export const redeployDesk = (payoutId: string, settings: typeof env): Promise<void> =>
  runInDurableObject(env.CLAIM_DESK.getByName(payoutId), (desk: ClaimDesk) => {
    ;(desk as unknown as { env: typeof env }).env = settings
  })
