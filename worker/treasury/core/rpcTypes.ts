/**
 * The caller: the signed-in user, a row of a payout run that was decided, or one of their agents with the credential it used (re-checked on every call) and, if it
 * was exchanged for an access token, the token's id. `passwordChecked`: the owner entered the password with this call. `via`:
 * where an agent's call arrived; `api` for a payment whose rules are applied again later.
 */
export type Principal =
  | { type: 'user'; passwordChecked?: boolean }
  | { type: 'run'; runId: string; row: number }
  | { type: 'agent'; agentId: string; credentialHash: string; tokenId?: string; via: 'api' | 'mcp' }
