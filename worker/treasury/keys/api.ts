/**
 * What an account still has under other versions of the keyrings than the current ones. `unsealed`: values sealed under
 * another KEK. `…Until`: when the last of its open payouts under another version expires (ms); null: there is none.
 * `versions`: the current ones, as the object sees them.
 */
export type KeyUse = {
  unsealed: number
  payoutUntil: number | null
  codeUntil: number | null
  versions: { KEK: number; PAYOUT_SECRET: number; CODE_PEPPER: number }
}

export interface KeyCalls {
  /** Seals again what is sealed under an older KEK, at most a thousand values, and says what is left. */
  renewKeys(): Promise<KeyUse>
}
