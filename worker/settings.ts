/** Variables and secrets of the Worker: texts. Variables are in wrangler.toml, secrets never are. */
export type Settings = {
  ENVIRONMENT: 'local' | 'test' | 'production'
  /** Sender address of email, which leaves by the binding EMAIL; SMS through an HTTPS gateway. Unset = not offered. */
  MAIL_FROM?: string
  SMS_URL?: string
  SMS_KEY?: string

  /** Issuer of tokens and base of the agent API, no trailing slash. */
  API_ORIGIN: string
  /** Where claim links lead, no trailing slash. */
  APP_ORIGIN: string
  BETA_ACCESS_URL: string
  /** Explorer base without trailing slash; `/tx/{hash}` and `/address/{address}` are appended. */
  EXPLORER_URL_8453: string
  EXPLORER_URL_84532: string
  /** Nodes for browsers, so without a key in the URL. Other hosts than Base's own also need a place in web/public/_headers. */
  PUBLIC_RPC_URL_8453: string
  PUBLIC_RPC_URL_84532: string
  /** Offers WalletConnect, whose relay is a third party's service. Unset = not offered. */
  WALLETCONNECT_PROJECT_ID?: string

  /** Who verifies passwords and codes; unset = d1. `cognito` needs COGNITO_* (docs/operations.md). */
  IDENTITY_DIRECTORY?: 'd1' | 'cognito'
  COGNITO_REGION?: string
  COGNITO_USER_POOL_ID?: string
  COGNITO_CLIENT_ID?: string
  /** Secrets: only where the app client has one; the keys that sign the admin calls. */
  COGNITO_CLIENT_SECRET?: string
  COGNITO_ACCESS_KEY_ID?: string
  COGNITO_SECRET_ACCESS_KEY?: string
  /** Another server than AWS's of the region. */
  COGNITO_ENDPOINT?: string

  /** Secrets: a key of Coinbase's developer platform, which sells USDC for cards. Unset = not offered (locally our own page). */
  COINBASE_ONRAMP_KEY_ID?: string
  COINBASE_ONRAMP_KEY_SECRET?: string
  /** Another server than Coinbase's. */
  COINBASE_ONRAMP_ENDPOINT?: string

  /** One or two RPC URLs, comma separated. With two, both must agree before a hold is released. */
  RPC_URLS_8453: string
  RPC_URLS_84532: string
  /** JSON of `Contracts` (chain/types.ts). */
  CONTRACTS_8453: string
  CONTRACTS_84532: string
  /** Blocks a payment's logs must be deep before it counts: 1 locally, 2 on Base. */
  CONFIRM_DEPTH: string
  RELAYER_SHARDS: string

  /** 32 bytes hex each. Versioned: KEK_V1 seals session keys, codes and claim tokens. */
  KEK_V1: string
  PAYOUT_SECRET_V1: string
  RELAYER_SEED_V1: string
  /** Private key of an operator that the Provider contract names: signs rotations. Unset = owners sign every renewal. */
  OPERATOR_KEY_V1?: string
  CODE_PEPPER: string
  PASSWORD_PEPPER: string
  /** Private ES256 key as JWK JSON with `kid`. */
  JWT_PRIVATE_JWK: string
  /** The key before it, for the 15 minutes that its tokens live after a change; its public part is enough. */
  JWT_PREVIOUS_JWK?: string
}
