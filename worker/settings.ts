/** Variables and secrets of the Worker, all strings. Variables are in wrangler.toml, secrets never are. */
export type Settings = {
  ENVIRONMENT: 'local' | 'test' | 'production'

  /** Who sends email. Unset: cloudflare, through the binding EMAIL; the others need their credentials below. */
  EMAIL_PROVIDER?: 'cloudflare' | 'resend' | 'postmark' | 'ses'
  /** Sender address of email. Needed in production: without it no email is sent. */
  MAIL_FROM?: string
  /** Overrides the provider's server. */
  EMAIL_ENDPOINT?: string
  /** Secrets, for EMAIL_PROVIDER=resend. The second signs its webhook (`whsec_…`); unset: its reports are refused. */
  RESEND_API_KEY?: string
  RESEND_WEBHOOK_SECRET?: string
  /** Secrets, for postmark. The second is `user:password` of its webhook's address; unset: its reports are refused. */
  POSTMARK_SERVER_TOKEN?: string
  POSTMARK_WEBHOOK_AUTH?: string
  /** Postmark's message stream. Unset: outbound. */
  POSTMARK_STREAM?: string
  /** For ses, such as `eu-west-1`. */
  SES_REGION?: string
  /** Secrets: keys that may call `ses:SendEmail`. */
  SES_ACCESS_KEY_ID?: string
  SES_SECRET_ACCESS_KEY?: string

  /** Where alerts are sent: an email address, and a URL (secret) that takes JSON with `text`. */
  ALERT_EMAIL?: string
  ALERT_WEBHOOK?: string

  /**
   * SMS through Twilio; all three are needed when SMS_COUNTRIES offers SMS. TWILIO_FROM is a number, a sender name or a
   * messaging service (`MG…`).
   */
  TWILIO_ACCOUNT_SID?: string
  TWILIO_FROM?: string
  /** Secret. It also signs Twilio's delivery reports. */
  TWILIO_AUTH_TOKEN?: string
  /** Overrides Twilio's server. */
  SMS_ENDPOINT?: string

  /**
   * Secret: a private ES256 key as JWK JSON, by which push services know this deployment (VAPID, RFC 8292). A new one ends
   * every subscription. Unset: push is not offered.
   */
  PUSH_PRIVATE_JWK?: string
  /** Overrides the origin of every push service. */
  PUSH_ENDPOINT?: string

  /** Issuer of tokens and base of the agent API, no trailing slash. */
  API_ORIGIN: string
  /** Base of claim links, no trailing slash. */
  APP_ORIGIN: string
  /** An external form. Unset: the sign-in page does not offer it. */
  BETA_ACCESS_URL?: string
  /** Base URL of the explorer, no trailing slash; `/tx/{hash}` and `/address/{address}` are appended. */
  EXPLORER_URL_8453: string
  EXPLORER_URL_84532: string
  /** RPC URLs for browsers, so without a key. Hosts other than Base's own must also be listed in web/public/_headers. */
  PUBLIC_RPC_URL_8453: string
  PUBLIC_RPC_URL_84532: string
  /** For WalletConnect, whose relay is a third-party service. Unset: not offered. */
  WALLETCONNECT_PROJECT_ID?: string

  /** Who may create an account (domain/signUpMode.ts). Unset: passcode in production, open elsewhere. */
  SIGN_UP?: 'open' | 'passcode' | 'closed'
  /** Cloudflare Access in front of /ops: the team's origin and the application's audience. Unset: /ops refuses all. */
  ACCESS_TEAM_ORIGIN?: string
  ACCESS_AUDIENCE?: string

  /** What verifies passwords and codes. Unset: d1. `cognito` needs COGNITO_* (docs/operations.md). */
  IDENTITY_DIRECTORY?: 'd1' | 'cognito'
  COGNITO_REGION?: string
  COGNITO_USER_POOL_ID?: string
  COGNITO_CLIENT_ID?: string
  /** Secrets: the app client's, if it has one; and the keys that sign administrative calls. */
  COGNITO_CLIENT_SECRET?: string
  COGNITO_ACCESS_KEY_ID?: string
  COGNITO_SECRET_ACCESS_KEY?: string
  /** Overrides AWS's server of the region. */
  COGNITO_ENDPOINT?: string

  /** Secrets: a key of the Coinbase Developer Platform, for buying USDC by card. Unset: not offered (locally our own page). */
  COINBASE_ONRAMP_KEY_ID?: string
  COINBASE_ONRAMP_KEY_SECRET?: string
  /** Overrides Coinbase's server. */
  COINBASE_ONRAMP_ENDPOINT?: string

  /** One or two RPC URLs, separated by a comma. With two, a hold is released only if both agree. */
  RPC_URLS_8453: string
  RPC_URLS_84532: string
  /**
   * The chain id of the network that smart wallets are deployed on and that totals, usage and exposure count. Unset: 8453.
   * 84532 is for a staging deployment, whose pages all say "Test network".
   */
  PRIMARY_CHAIN?: '8453' | '84532'
  /**
   * JSON of one set of `Contracts` (chain/types.ts), which is version 1, or of all: `{"newest":2,"sets":{"1":{…},"2":{…}}}`.
   * A set stays for as long as there are wallets of it. `{}` for the other network: this deployment has no wallets there.
   */
  CONTRACTS_8453: string
  CONTRACTS_84532: string
  /** Confirmations that a payment's logs need: 1 locally, 2 on Base. */
  CONFIRM_DEPTH: string
  /**
   * How far ahead of our clock a block's time may be, in seconds; a node that is further ahead counts as unreachable.
   * Unset: not checked, for chains whose time tests move.
   */
  MAX_CLOCK_SKEW_SECONDS?: string
  RELAYER_SHARDS: string
  /** JSON of the limits that differ from `defaultLimits` (domain/limits.ts). */
  LIMITS?: string
  /** JSON of the fee ceilings that differ from `defaultFeeCeilings` (relayer/fees.ts), in gwei. */
  FEE_CEILINGS?: string
  /**
   * Countries that SMS may be sent to: ISO 3166 codes separated by commas, such as `US,DE`; `*` for all, locally. This
   * alone decides whether SMS is offered. Unset: it is not.
   */
  SMS_COUNTRIES?: string

  /**
   * Version 1 of each keyring (keyrings/keyring.ts), 32 bytes in hex each, or `removed`. The KEK encrypts session keys,
   * codes and claim tokens.
   */
  KEK_V1: string
  PAYOUT_SECRET_V1: string
  RELAYER_SEED_V1: string
  /** Private key of an operator in the Provider contract, which signs rotations. Unset: owners sign every renewal. */
  OPERATOR_KEY_V1?: string
  CODE_PEPPER: string
  PASSWORD_PEPPER: string
  /** Secret: JSON of the keyrings' further versions (`AddedVersions`), which `npm run ops -- rotate` writes. */
  KEYRINGS?: string
  /** Private ES256 key as JWK JSON with `kid`. */
  JWT_PRIVATE_JWK: string
  /** The previous key, needed for 15 minutes after a change, while its tokens are valid. Its public part suffices. */
  JWT_PREVIOUS_JWK?: string
}
