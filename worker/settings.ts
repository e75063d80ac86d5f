/** Variables and secrets of the Worker, all strings. Variables are in wrangler.toml; secrets never are. */
export type Settings = {
  ENVIRONMENT: 'local' | 'test' | 'production'

  /** Email provider. Defaults to cloudflare, through the binding EMAIL; resend needs the credentials below. */
  EMAIL_PROVIDER?: 'cloudflare' | 'resend'
  /** Sender address of emails. Required in production; without it no email is sent. */
  MAIL_FROM?: string
  /** Overrides the provider's server. */
  EMAIL_ENDPOINT?: string
  /** Secrets for EMAIL_PROVIDER=resend. The second signs its webhook (`whsec_…`); if unset, its reports are refused. */
  RESEND_API_KEY?: string
  RESEND_WEBHOOK_SECRET?: string

  /** Where alerts are sent: an email address, and a URL (secret) that accepts JSON with `text`. */
  ALERT_EMAIL?: string
  ALERT_WEBHOOK?: string

  /**
   * SMS through Twilio. All three are required if SMS_COUNTRIES offers SMS. TWILIO_FROM is a number, a sender name or a
   * messaging service (`MG…`).
   */
  TWILIO_ACCOUNT_SID?: string
  TWILIO_FROM?: string
  /** Secret. Twilio also signs its delivery reports with it. */
  TWILIO_AUTH_TOKEN?: string
  /** Overrides Twilio's server. */
  SMS_ENDPOINT?: string

  /**
   * Secret: a private ES256 key as JWK JSON that identifies this deployment to push services (VAPID, RFC 8292). Changing it
   * ends all subscriptions. If unset, push is not offered.
   */
  PUSH_PRIVATE_JWK?: string
  /** Overrides the origin of every push service. */
  PUSH_ENDPOINT?: string

  /** Issuer of tokens and base URL of the agent API, without a trailing slash. */
  API_ORIGIN: string
  /** Base URL of claim links, without a trailing slash. */
  APP_ORIGIN: string
  /** URL of an external form. If unset, the sign-in page does not offer it. */
  BETA_ACCESS_URL?: string
  /** Base URL of the explorer, without a trailing slash. `/tx/{hash}` and `/address/{address}` are appended. */
  EXPLORER_URL_8453: string
  EXPLORER_URL_84532: string
  /** RPC URLs for browsers, without a key. Hosts other than Base's own must also be listed in web/public/_headers. */
  PUBLIC_RPC_URL_8453: string
  PUBLIC_RPC_URL_84532: string
  /** For WalletConnect, whose relay is a third-party service. If unset, it is not offered. */
  WALLETCONNECT_PROJECT_ID?: string

  /**
   * The domain (rpId) of the passkeys with which recipients keep payouts. Its accounts can be opened under this domain alone,
   * for ever. If unset, keeping is not offered.
   */
  PASSKEY_DOMAIN?: string

  /** Who may create an account (domain/signUpMode.ts). Defaults to passcode in production, open elsewhere. */
  SIGN_UP?: 'open' | 'passcode' | 'closed'
  /** Cloudflare Access in front of /ops: the team's origin and the application's audience. If unset, /ops refuses all. */
  ACCESS_TEAM_ORIGIN?: string
  ACCESS_AUDIENCE?: string

  /** The directory that verifies passwords and codes. Defaults to d1. `cognito` needs COGNITO_* (docs/environment.md). */
  IDENTITY_DIRECTORY?: 'd1' | 'cognito'
  COGNITO_REGION?: string
  COGNITO_USER_POOL_ID?: string
  COGNITO_CLIENT_ID?: string
  /** Secrets: the app client's secret, if it has one, and the keys that sign administrative calls. */
  COGNITO_CLIENT_SECRET?: string
  COGNITO_ACCESS_KEY_ID?: string
  COGNITO_SECRET_ACCESS_KEY?: string
  /** Overrides AWS's server for the region. */
  COGNITO_ENDPOINT?: string

  /** Secrets: a Coinbase Developer Platform key for buying USDC by card. If unset, not offered (locally: our own page). */
  COINBASE_ONRAMP_KEY_ID?: string
  COINBASE_ONRAMP_KEY_SECRET?: string
  /** Overrides Coinbase's server. */
  COINBASE_ONRAMP_ENDPOINT?: string

  /** One or two RPC URLs, separated by a comma. With two, a hold is released only if both agree. */
  RPC_URLS_8453: string
  RPC_URLS_84532: string
  /**
   * Chain id of the network that smart wallets are deployed on, the only one that totals, usage and exposure count. Defaults
   * to 8453. 84532 is for staging deployments, whose pages all say "Test network".
   */
  PRIMARY_CHAIN?: '8453' | '84532'
  /**
   * JSON of a single set of `Contracts` (chain/types.ts), which is version 1, or of several:
   * `{"newest":2,"sets":{"1":{…},"2":{…}}}`. A set must stay while wallets use it. `{}` for the other network means that
   * this deployment has no wallets there.
   */
  CONTRACTS_8453: string
  CONTRACTS_84532: string
  /** Confirmations required for a payment's logs: 1 locally, 2 on Base. */
  CONFIRM_DEPTH: string
  /**
   * Address of the contract that lists sanctioned addresses, with Chainalysis' `isSanctioned(address)`. If set, whoever receives
   * money is asked about, and not paid while it does not respond (treasury/payments/screening.ts). If unset, nobody is.
   */
  SANCTIONS_ORACLE_8453?: string
  SANCTIONS_ORACLE_84532?: string
  /**
   * How far ahead of our clock a block's time may be, in seconds. A node that is further ahead counts as unreachable. If
   * unset, this is not checked, for chains whose time is moved by tests.
   */
  MAX_CLOCK_SKEW_SECONDS?: string
  RELAYER_SHARDS: string
  /**
   * JSON of the regions whose objects hold the operators' stops, with the location hints that each serves, such as
   * `{"weur":["weur","eeur","afr","me"],…}`. The first serves objects whose location is not known. Defaults to
   * Europe, the Americas and Asia (stops/regions.ts).
   */
  STOP_REGIONS?: string
  /** JSON of the limits that override `defaultLimits` (domain/limits.ts). */
  LIMITS?: string
  /** JSON of the fee ceilings that override `defaultFeeCeilings` (relayer/fees.ts), in gwei. */
  FEE_CEILINGS?: string
  /**
   * Countries that SMS may be sent to: ISO 3166 codes separated by commas, such as `US,DE`, or `*` for all (only locally).
   * This alone decides whether SMS is offered. If unset, it is not.
   */
  SMS_COUNTRIES?: string

  /**
   * Version 1 of each keyring (keyrings/keyring.ts), 32 bytes in hex each, or `removed`. The KEK encrypts session keys,
   * codes and claim tokens.
   */
  KEK_V1: string
  PAYOUT_SECRET_V1: string
  ID_SECRET_V1: string
  RELAYER_SEED_V1: string
  /** Private key of an operator in the Provider contract, which signs rotations. If unset, owners sign every renewal. */
  OPERATOR_KEY_V1?: string
  CODE_PEPPER: string
  PASSWORD_PEPPER: string
  /** Secret: JSON of the keyrings' further versions (`AddedVersions`), written by `npm run ops -- rotate`. */
  KEYRINGS?: string
  /** Private ES256 key as JWK JSON with `kid`. */
  JWT_PRIVATE_JWK: string
  /** The previous key, needed for 15 minutes after a change, while its tokens are valid. The public part is enough. */
  JWT_PREVIOUS_JWK?: string
}
