import type { Address } from '#chain/types.ts'
import { browserStorage } from '../lib/storage.ts'

/** The passkey that this browser opened last, and its account. Neither opens anything. */
export type KnownPasskey = { id: string; address: Address }

const storageKey = 'kept_money'

export function knownPasskey(): KnownPasskey | null {
  try {
    return JSON.parse(browserStorage.get(storageKey) ?? 'null') as KnownPasskey | null
  } catch {
    return null
  }
}

export const rememberPasskey = (id: Uint8Array, address: Address): void =>
  browserStorage.set(storageKey, JSON.stringify({ id: toText(id), address } satisfies KnownPasskey))

const toText = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))
export const idOf = ({ id }: KnownPasskey) => Uint8Array.from(atob(id), (character) => character.charCodeAt(0))
