/** Cloudflare Access as the Worker sees it: a team's keys behind `fetch`, and tokens signed with them. */
import type { JWTPayload } from 'jose'
import { expect, vi } from 'vitest'
import { newKeys, signAccessToken } from '../../local/standIns/access.ts'
import { createApi } from '../worker/apiClient.ts'
import { serveUrl } from './serveUrl.ts'

export { newKeys }

export const accessSettings = { ACCESS_TEAM_ORIGIN: 'https://team.cloudflareaccess.com', ACCESS_AUDIENCE: 'aud-of-ops' }

/** The Worker keeps the keys of a team for ten minutes, so each test file uses its own `team`. */
export async function createAccess(team = 'team') {
  const settings = { ...accessSettings, ACCESS_TEAM_ORIGIN: `https://${team}.cloudflareaccess.com` }
  let keys = await newKeys('first')
  return {
    settings,
    /** Serves the keys, or the response of `answer`. Returns the requests for them. */
    serveKeys: (answer = () => Response.json({ keys: [keys.jwk] })) =>
      serveUrl(`${settings.ACCESS_TEAM_ORIGIN}/cdn-cgi/access/certs`, answer),
    async rotateKeys(kid: string) {
      keys = await newKeys(kid)
    },
    publicKey: () => keys.jwk,
    /** `now` in ms. Claims replace those of an ordinary operator; undefined removes one. */
    token: (now: number, claims: JWTPayload = {}, key = keys): Promise<string> => {
      const { ACCESS_TEAM_ORIGIN: issuer, ACCESS_AUDIENCE: audience } = settings
      return signAccessToken(key, { issuer, audience, now }, { email: 'olga@bursar.example', ...claims })
    },
  }
}
export type Access = Awaited<ReturnType<typeof createAccess>>

/** The app behind Access, with the current time. Each test file uses its own `team`. */
export async function createOpsApi(team: string) {
  const access = await createAccess(team)
  const api = createApi(access.settings)
  api.clock.now = Date.now()
  const headers = async (email = 'olga@bursar.example') => ({
    'cf-access-jwt-assertion': await access.token(api.clock.now, { email }),
  })
  /** Calls the operators' API. */
  const operate = async (method: string, path: string, body?: object, email?: string) =>
    api.call(method, `/ops/api${path}`, { headers: await headers(email), ...(body && { body }) })
  // The keys are read once and kept: objects also use fetch, and must not get the stand-in.
  access.serveKeys()
  expect((await operate('GET', '/stop')).status).toBe(200)
  vi.restoreAllMocks()
  return { access, api, headers, operate }
}
