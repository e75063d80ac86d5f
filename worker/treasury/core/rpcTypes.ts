/**
 * The caller: the signed-in user, or one of their agents with the credential it used (re-checked on every call) and, if it
 * was exchanged for an access token, the token's id.
 */
/** `passwordChecked`: the owner entered the password with this call. */
export type Principal =
  | { type: 'user'; passwordChecked?: boolean }
  | { type: 'agent'; agentId: string; credentialHash: string; tokenId?: string }

/** What the routes of a signed-in owner may call: the methods of these RPC objects, and these of the Treasury itself. */
export const ownerObjects = [
  'wallets',
  'policies',
  'approvals',
  'reports',
  'notices',
  'webhooks',
  'connections',
] as const
export const ownerMethods = [
  ...(['send', 'createPayout', 'checkPayment', 'transaction', 'recipientHistory'] as const),
  ...(['escrow', 'claimLink', 'reclaim', 'reclaimAll', 'resendCode'] as const),
] as const

/** A call of the owner. `object` is null for a method of the Treasury itself. */
export type OwnerCall = { object: (typeof ownerObjects)[number] | null; method: string; input: unknown[] }
