/**
 * Who asks: the signed-in user, or one of their agents with the credential it used (re-checked on every call) and, if
 * that led to an access token, the token's id.
 */
export type Principal = { type: 'user' } | { type: 'agent'; agentId: string; credentialHash: string; tokenId?: string }
