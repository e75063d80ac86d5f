import type * as schema from './schema.ts'

/**
 * How a table is recovered if D1 is lost. `treasuries`: rewritten by `ops reproject`. `export`: restored from the daily
 * export (exports.ts). `objects`: rewritten by the objects and the cron as they work. `lost`: not recovered.
 */
export type Recovery = 'treasuries' | 'export' | 'objects' | 'lost'

type Table = {
  [Name in keyof typeof schema]: (typeof schema)[Name] extends { $inferSelect: object } ? Name : never
}[keyof typeof schema]

/** Covers every table of schema.ts, enforced by the compiler. `except`: columns recovered in another way, or not at all. */
export const recoveryOf: Record<Table, { by: Recovery; except?: string[] }> = {
  user: { by: 'treasuries', except: ['password_hash'] },
  webhookEndpoint: { by: 'treasuries', except: ['edition', 'failing_since'] },
  userSuspension: { by: 'treasuries' },
  membership: { by: 'treasuries' },

  accountToKeep: { by: 'objects' },
  busyTreasury: { by: 'objects' },
  webhookWork: { by: 'objects' },
  objectTrouble: { by: 'objects' },
  alert: { by: 'objects' },
  messageFailure: { by: 'objects' },
  keyUse: { by: 'objects' },
  exportRun: { by: 'objects' },
  exportPart: { by: 'objects' },

  contact: { by: 'export' },
  preferences: { by: 'export' },
  signupPasscode: { by: 'export' },
  operatorAction: { by: 'export' },
  serviceStop: { by: 'export' },
  webhookStop: { by: 'export' },
  keyVersion: { by: 'export' },
  oauthClient: { by: 'export' },

  // A Treasury that is being restored also records this, and stays frozen.
  userRestore: { by: 'lost' },
  loginSession: { by: 'lost' },
  refreshToken: { by: 'lost' },
  loginChallenge: { by: 'lost' },
  accountCode: { by: 'lost' },
  accountLink: { by: 'lost' },
  signup: { by: 'lost' },
  addressNonce: { by: 'lost' },
  attempt: { by: 'lost' },
  pushSubscription: { by: 'lost' },
  connectionRequest: { by: 'lost' },
  deliveredMessage: { by: 'lost' },
  devInbox: { by: 'lost' },
}
