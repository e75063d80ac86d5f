import {
  type AddedVersions,
  firstVersions,
  type KeyringName,
  keyCheck,
  keyringNames,
  parseKeyrings,
  removed,
} from '../keyrings/keyring.ts'
import type { Settings } from '../settings.ts'
import { hex32, type Rule } from './settingRules.ts'

/** Version 1 of a secret, or the marker that it was removed. */
export const firstVersion: Rule = (value) => (value === removed ? null : hex32(value))

/** Checks that every added version is well formed and has the secret that was generated. */
export const keyrings: Rule = (value) => {
  let rings: AddedVersions
  try {
    rings = parseKeyrings(value)
  } catch {
    return 'is not JSON'
  }
  for (const [name, versions] of Object.entries(rings)) {
    if (!keyringNames.includes(name as KeyringName)) return `has an unknown ring ${name}`
    if (!Array.isArray(versions)) return `${name} must be a list`
    const seen = new Set<number>()
    for (const { version, secret, from, check } of versions) {
      if (!Number.isSafeInteger(version) || version < 2 || version > 9_999) return `${name} has a malformed version`
      if (seen.has(version)) return `${name} has version ${version} twice`
      seen.add(version)
      if (!Number.isSafeInteger(from) || typeof secret !== 'string' || hex32(secret))
        return `${name} version ${version} is malformed`
      if (check !== keyCheck(name as KeyringName, { version, secret }))
        return `${name} version ${version} is not the secret that was made`
    }
  }
  return null
}

/** Reports keyrings that have neither version 1 nor another version that is current. */
export function emptyRings(env: Partial<Settings>): { name: string; problem: string; fatal: boolean }[] {
  if (env.KEYRINGS && keyrings(env.KEYRINGS)) return []
  const rings = parseKeyrings(env.KEYRINGS || undefined)
  return keyringNames.flatMap((name) => {
    const first = env[firstVersions[name]]
    if (first && first !== removed) return []
    const hasOther = rings[name]?.some(({ from }) => from <= Date.now())
    return hasOther ? [] : [{ name: firstVersions[name], problem: 'is missing', fatal: true }]
  })
}
