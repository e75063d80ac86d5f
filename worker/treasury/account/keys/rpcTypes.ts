/**
 * What an account still has under keyring versions other than the current ones. `unsealed` counts values sealed under
 * another KEK and copies of them that History does not have yet. `payouts` and `codes` count open payouts whose payout secret or
 * code pepper has another version; `…Until` is when the last of them expires (ms), null if there are none; `…Ids` are the
 * first ten to expire. `credentials` counts API keys and client secrets made under another ID_SECRET. `versions` has the current versions as the object sees them.
 */
export type KeyUse = {
  unsealed: number
  payouts: number
  payoutUntil: number | null
  payoutIds: string[]
  codes: number
  codeUntil: number | null
  codeIds: string[]
  credentials: number
  versions: { KEK: number; PAYOUT_SECRET: number; CODE_PEPPER: number; ID_SECRET: number }
}
