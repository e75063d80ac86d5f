import { allScopes } from '#domain/scopes.ts'
import type { Deps } from '../appEnv.ts'
import { publicKeys } from '../identity/tokens.ts'
import type { resources } from './oauth.ts'

/** RFC 9728: the authorization server that issues tokens for a resource. Lists the one scope that every agent has. */
export const protectedResource = (origin: string, resource: (typeof resources)[number]) => ({
  resource: `${origin}${resource}`,
  authorization_servers: [origin],
  bearer_methods_supported: ['header'],
  scopes_supported: ['payment_context:read'],
  resource_name: 'Bursar',
  resource_documentation: `${origin}/docs`,
})

const clientAuthentication = ['client_secret_basic', 'client_secret_post']

/** RFC 8414. The authorization endpoint always refuses (routes/oauth.ts), but what it will require is already listed. */
export const authorizationServer = (origin: string) => ({
  issuer: origin,
  token_endpoint: `${origin}/oauth/token`,
  token_endpoint_auth_methods_supported: clientAuthentication,
  authorization_endpoint: `${origin}/oauth/authorize`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  grant_types_supported: ['client_credentials'],
  scopes_supported: allScopes,
  jwks_uri: `${origin}/.well-known/jwks.json`,
  revocation_endpoint: `${origin}/oauth/revoke`,
  revocation_endpoint_auth_methods_supported: clientAuthentication,
  introspection_endpoint: `${origin}/oauth/introspect`,
  introspection_endpoint_auth_methods_supported: clientAuthentication,
  service_documentation: `${origin}/docs`,
})

/** RFC 7517: the public keys that verify our tokens. */
export const jsonWebKeySet = ({ env }: Pick<Deps, 'env'>) => publicKeys(env)
