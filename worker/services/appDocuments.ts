import { z } from 'zod'
import { appName } from '#domain/appName.ts'
import { redirectTarget } from '#domain/redirectUri.ts'
import type { Deps } from '../appEnv.ts'
import type { Env } from '../env.ts'
import { sha256 } from '../identity/secrets.ts'
import { AppUnusable, addressProblem, appFile } from './appFiles.ts'

/**
 * Client ID Metadata Documents (draft-ietf-oauth-client-id-metadata-document): the client id is the address of a page where the
 * app says its name and its redirects, and where its public keys are if it has some.
 */

/**
 * `name` is null if it cannot be shown. `keys`: with which the app signs assertions, null if it has none; `mustSign` says whether
 * it always does. `hash`: of everything that a person consented to, to notice a change.
 */
export type AppDocument = {
  name: string | null
  redirectUris: string[]
  keys: AppKeys | null
  mustSign: boolean
  hash: string
}

/** Public keys: the address of a JSON Web Key Set, or the set itself. */
export type AppKeys = { uri: string } | { set: unknown }

const maxBytes = 5_120

/** As documents are: apps leave out or set to null what they do not need. */
const Metadata = z.object({
  client_id: z.string(),
  client_name: z.unknown().optional(),
  redirect_uris: z.array(z.string()).min(1).max(50),
  token_endpoint_auth_method: z.string().nullish(),
  /** No standard of clients has it, but some name further methods here. */
  token_endpoint_auth_methods_supported: z.array(z.string()).nullish(),
  jwks_uri: z.string().nullish(),
  jwks: z.unknown().optional(),
  grant_types: z.array(z.string()).nullish(),
  response_types: z.array(z.string()).nullish(),
})

type DocumentEnv = Pick<Env, 'ENVIRONMENT' | 'API_ORIGIN' | 'APP_ORIGIN'>

/** Why nothing may be fetched from this client id, as half a sentence, or null. */
export function documentProblem(env: DocumentEnv, id: string): string | null {
  const problem = addressProblem(env, id)
  if (problem !== null) return problem
  const url = new URL(id)
  return url.href === id && url.pathname !== '/' && url.hash === ''
    ? null
    : 'it must be the full address of a document, in its normal form, without a fragment'
}

/**
 * What an app says about itself. `userId`: whose request needs it. Throws as `appFile` does, and AppUnusable if it is not what it
 * has to be.
 */
export async function appDocument(deps: Pick<Deps, 'env' | 'now'>, id: string, userId: string): Promise<AppDocument> {
  const problem = documentProblem(deps.env, id)
  if (problem !== null) throw new AppUnusable(problem)
  const parsed = Metadata.safeParse(await appFile(deps, { url: id, maxBytes, userId }))
  if (!parsed.success) throw new AppUnusable('it is not the metadata of an app')
  const { client_id, client_name, redirect_uris, grant_types, response_types } = parsed.data
  if (client_id !== id) throw new AppUnusable('it describes another app')
  if (
    (grant_types && !grant_types.includes('authorization_code')) ||
    (response_types && !response_types.includes('code'))
  )
    throw new AppUnusable('it does not use authorization codes')
  const own = [deps.env.API_ORIGIN, deps.env.APP_ORIGIN]
  const redirectUris = redirect_uris.filter((uri) => redirectTarget(uri, own) !== null)
  const name = appName(client_name)
  const authentication = authenticationOf(deps.env, parsed.data)
  const hash = sha256(JSON.stringify([id, name, redirectUris, authentication]))
  return { name, redirectUris, ...authentication, hash }
}

/** How the app authenticates. One that names no method has no secret. */
function authenticationOf(
  env: DocumentEnv,
  { token_endpoint_auth_method, token_endpoint_auth_methods_supported, jwks_uri, jwks }: z.infer<typeof Metadata>,
): Pick<AppDocument, 'keys' | 'mustSign'> {
  const methods = [token_endpoint_auth_method ?? [], token_endpoint_auth_methods_supported ?? []].flat()
  const mayBePublic = methods.length === 0 || methods.includes('none')
  if (!methods.includes('private_key_jwt')) {
    if (mayBePublic) return { keys: null, mustSign: false }
    throw new AppUnusable('it has to authenticate by "private_key_jwt", or not at all ("none")')
  }
  const keys = jwks_uri ? { uri: jwks_uri } : jwks ? { set: jwks } : null
  const problem =
    keys === null ? 'it does not say where its public keys are' : 'uri' in keys && addressProblem(env, keys.uri)
  if (!problem) return { keys, mustSign: !mayBePublic }
  if (mayBePublic) return { keys: null, mustSign: false }
  throw new AppUnusable(keys === null ? problem : `the address of its keys is not usable: ${problem}`)
}
