/** Of the Treasury's RPC objects, those that a signed-in owner may use: each method of their classes. */
export const ownerObjects = [
  'wallets',
  'policies',
  'approvals',
  'reports',
  'notices',
  'webhooks',
  'connections',
  'review',
  'people',
  'runs',
] as const

/** Of the Treasury's own methods, those that a signed-in owner may call. */
export const ownerMethods = [
  ...(['send', 'createPayout', 'checkPayment', 'transaction', 'recipientHistory'] as const),
  ...(['escrow', 'claimLink', 'reclaim', 'reclaimAll', 'resendCode'] as const),
] as const

/** All methods of the Treasury that return an RPC object; Bursar alone uses the last three. */
export const rpcObjects = [...ownerObjects, 'operators', 'account', 'restore'] as const

type OwnerObject = (typeof ownerObjects)[number]
/** Keys of the Treasury that its owner reaches. */
export type OwnerKey = OwnerObject | (typeof ownerMethods)[number]

/** A call of the owner. `object` is null for a method of the Treasury itself. */
export type OwnerCall = { object: OwnerObject | null; method: string; input: unknown[] }
