/**
 * What an account still has under other versions of the keyrings than the current ones. `unsealed`: values sealed under
 * another KEK. `payouts`, `codes`: how many of its open payouts have their payout secret, or code pepper, of another version;
 * `…Until`: when the last of these expires (ms); null: there is none; `…Ids`: those that expire first, ten at most.
 * `versions`: the current ones, as the object sees them.
 */
export type KeyUse = {
  unsealed: number
  payouts: number
  payoutUntil: number | null
  payoutIds: string[]
  codes: number
  codeUntil: number | null
  codeIds: string[]
  versions: { KEK: number; PAYOUT_SECRET: number; CODE_PEPPER: number }
}

export interface KeyCalls {
  /** Seals again what is sealed under an older KEK, at most a thousand values, and says what is left. */
  renewKeys(): Promise<KeyUse>
}
