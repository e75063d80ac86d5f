import { z } from 'zod'
import type { VisibleScope } from '#domain/scopes.ts'
import { ownerPassword } from './common.ts'
import { agentName, CreatePolicyGroup } from './policy.ts'

/**
 * Apps that people connect by URL: what the consent page (/dashboard/connect?request=<id>) shows and sends, the list of
 * connected apps, and the page where people type a device's code (/device). Times are ISO 8601, UTC.
 *
 * Problems of these calls: 404 `not_found` for a request that does not exist, was deleted some time after it expired, or was
 * opened by another account; 410 `gone` if it has expired or was answered; 422 `unprocessable` if what the app says about
 * itself cannot be read or does not allow this redirect; 422 `password_required` with `field: 'password'`.
 */

/** Who asks. `name` is what the app calls itself, without hidden or confusable characters, at most 40 characters. */
export type ConnectingApp = {
  name: string
  /**
   * `website`: the app's client id is a page at `host`, which says its name and its addresses. `registered`: the app
   * registered itself and nobody verified its name (show "unverified app"). `command_line`: Bursar's own command line.
   */
  kind: 'website' | 'registered' | 'command_line'
  /** Set for `website`. Lower case, in ASCII (punycode) form, with the port if it is not 443. */
  host: string | null
}

/**
 * Where the code goes once the person allows it. `website`: to this host. `loopback`: to a program on this computer.
 * `private_scheme`: to the program that this computer opens for `scheme://…`, such as `cursor`. `device`: nowhere; the
 * device that showed the code polls. It asked at `askedAt` from `place`, a region and country as far as known, or null.
 */
export type CodeDestination =
  | { type: 'website'; host: string }
  | { type: 'loopback' }
  | { type: 'private_scheme'; scheme: string }
  | { type: 'device'; askedAt: string; place: string | null }

/**
 * GET /connections/requests/{id}. The first call by a signed-in person binds the request to the account; for 30 minutes from
 * then it can be answered.
 */
export type ConnectionRequest = {
  id: string
  app: ConnectingApp
  destination: CodeDestination
  expiresAt: string
  /** What the app asks to be allowed to pay; all scopes if it asked for none in particular. May be empty: then it only reads. */
  scopes: VisibleScope[]
  /** `allow` will need the password (422 `password_required` without it). */
  passwordRequired: boolean
  /** The agent of this app from an earlier connection; propose it. Its former tokens end when the app is connected again. */
  existing: { agentId: string; agentName: string; policyGroupId: string } | null
  /** What to fill in for a new agent in a new group. Everything may be edited; there is no total limit unless one is set. */
  proposed: {
    agentName: string
    group: {
      name: string
      scopes: VisibleScope[]
      /** Decimal USDC. */
      periodBudget: { period: 'day'; limit: string }
      approveAbove: string
    }
  }
}

const id = z.string().min(1).max(64)

/**
 * POST /connections/requests/{id}/allow. `agent` is one that exists, or a new one in a group that exists or is new; a new
 * group has the fields of POST /policy-groups. Nothing is created yet: agent and group exist once the app exchanges its code
 * (at most a minute later), or a device collects its tokens.
 */
export const AllowConnection = z.strictObject({
  agent: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('existing'), agentId: id }),
    z.strictObject({
      type: z.literal('new'),
      name: agentName,
      policyGroup: z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('existing'), policyGroupId: id }),
        z.strictObject({ type: z.literal('new'), ...CreatePolicyGroup.shape }),
      ]),
    }),
  ]),
  password: ownerPassword,
})

/**
 * The reply of allow and deny (which has no body). Send the browser to `redirect` with `location.assign`: it is the app's
 * redirect URI with a code or an error. Null for a device: say that the person can go back to it.
 */
export type ConnectionAnswer = { redirect: string | null }

/** POST /connections/device: a code as typed; case, spaces and dashes do not matter. 404 if no device shows it, 429 after 5 tries. */
export const EnterDeviceCode = z.strictObject({ userCode: z.string().min(1).max(40) })
/** The request to show with GET /connections/requests/{id}. */
export type EnteredDevice = { requestId: string }

/** GET /connections: newest first, without those that ended. DELETE /connections/{id} ends one at once; its agent stays. */
export type Connection = {
  id: string
  app: ConnectingApp
  destination: CodeDestination
  agent: { id: string; name: string; status: 'active' | 'paused'; policyGroup: { id: string; name: string } }
  createdAt: string
  /** Accurate to a minute. Null if it was never used. */
  lastUsedAt: string | null
}
