import { isInUse, primaryChain } from '../chain/networkSettings.ts'
import type { Env } from '../env.ts'
import { AppError } from '../errors.ts'
import type { Settings } from '../settings.ts'
import * as rule from './settingRules.ts'
import { emptyRings, firstVersion, keyrings } from './settingRules.ts'

/**
 * `fatal`: the Worker refuses all work, because it would sign with a wrong key, store data that it cannot read back or send
 * people to a wrong address. Other problems only disable what needs the setting.
 */
export type SettingProblem = { name: string; problem: string; fatal: boolean }

type Row = { rule: rule.Rule; required?: true; fatal?: true }
const core = { required: true, fatal: true } as const
const notEmpty = rule.pattern(/\S/, 'is blank')

/** The rules of all settings. A setting that is not required may be unset or empty. */
const rows: Record<keyof Settings, Row> = {
  ENVIRONMENT: { rule: rule.oneOf('local', 'test', 'production'), ...core },
  API_ORIGIN: { rule: rule.httpUrl('origin'), ...core },
  APP_ORIGIN: { rule: rule.httpUrl('origin'), ...core },
  BETA_ACCESS_URL: { rule: rule.httpUrl('url') },
  EXPLORER_URL_8453: { rule: rule.httpUrl('url'), ...core },
  EXPLORER_URL_84532: { rule: rule.httpUrl('url'), ...core },
  PUBLIC_RPC_URL_8453: { rule: rule.httpUrl('url'), ...core },
  PUBLIC_RPC_URL_84532: { rule: rule.httpUrl('url'), ...core },
  RPC_URLS_8453: { rule: rule.rpcUrlList, ...core },
  RPC_URLS_84532: { rule: rule.rpcUrlList, ...core },
  PRIMARY_CHAIN: { rule: rule.oneOf('8453', '84532'), fatal: true },
  CONTRACTS_8453: { rule: rule.contracts, ...core },
  CONTRACTS_84532: { rule: rule.contracts, ...core },
  SANCTIONS_ORACLE_8453: { rule: rule.address },
  SANCTIONS_ORACLE_84532: { rule: rule.address },
  CONFIRM_DEPTH: { rule: rule.integer(1, 1_000), ...core },
  MAX_CLOCK_SKEW_SECONDS: { rule: rule.integer(1, 86_400), fatal: true },
  RELAYER_SHARDS: { rule: rule.integer(1, 64), ...core },
  STOP_REGIONS: { rule: rule.stopRegions, fatal: true },
  LIMITS: { rule: rule.limits, fatal: true },
  FEE_CEILINGS: { rule: rule.feeCeilings, fatal: true },

  KEK_V1: { rule: firstVersion, fatal: true },
  PAYOUT_SECRET_V1: { rule: firstVersion, fatal: true },
  ID_SECRET_V1: { rule: firstVersion, fatal: true },
  RELAYER_SEED_V1: { rule: firstVersion, fatal: true },
  CODE_PEPPER: { rule: firstVersion, fatal: true },
  PASSWORD_PEPPER: { rule: firstVersion, fatal: true },
  KEYRINGS: { rule: keyrings, fatal: true },
  OPERATOR_KEY_V1: { rule: rule.privateKey, fatal: true },
  JWT_PRIVATE_JWK: { rule: rule.signingKey('private'), ...core },
  JWT_PREVIOUS_JWK: { rule: rule.signingKey('public'), fatal: true },

  PASSKEY_DOMAIN: { rule: rule.domain, fatal: true },
  SIGN_UP: { rule: rule.oneOf('open', 'passcode', 'closed'), fatal: true },
  ACCESS_TEAM_ORIGIN: { rule: rule.httpUrl('origin') },
  ACCESS_AUDIENCE: { rule: notEmpty },

  IDENTITY_DIRECTORY: { rule: rule.oneOf('d1', 'cognito'), fatal: true },
  COGNITO_REGION: { rule: notEmpty },
  COGNITO_USER_POOL_ID: { rule: notEmpty },
  COGNITO_CLIENT_ID: { rule: notEmpty },
  COGNITO_CLIENT_SECRET: { rule: notEmpty },
  COGNITO_ACCESS_KEY_ID: { rule: notEmpty },
  COGNITO_SECRET_ACCESS_KEY: { rule: notEmpty },
  COGNITO_ENDPOINT: { rule: notEmpty },

  ALERT_EMAIL: { rule: rule.emailAddress },
  ALERT_WEBHOOK: { rule: rule.httpUrl('url') },

  MAIL_FROM: { rule: rule.emailAddress },
  EMAIL_PROVIDER: { rule: rule.oneOf('cloudflare', 'resend') },
  EMAIL_ENDPOINT: { rule: rule.httpUrl('url') },
  RESEND_API_KEY: { rule: notEmpty },
  RESEND_WEBHOOK_SECRET: {
    rule: rule.pattern(/^whsec_[A-Za-z0-9+/]{16,}={0,2}$/, 'must be whsec_ and base64'),
  },
  TWILIO_ACCOUNT_SID: { rule: rule.pattern(/^AC[0-9a-f]{32}$/, 'must be AC and 32 hex digits') },
  TWILIO_AUTH_TOKEN: { rule: notEmpty },
  TWILIO_FROM: { rule: notEmpty },
  SMS_ENDPOINT: { rule: rule.httpUrl('url') },
  SMS_COUNTRIES: { rule: rule.countries, fatal: true },
  PUSH_PRIVATE_JWK: { rule: rule.signingKey('private') },
  PUSH_ENDPOINT: { rule: rule.httpUrl('origin') },

  WALLETCONNECT_PROJECT_ID: { rule: notEmpty },
  COINBASE_ONRAMP_KEY_ID: { rule: notEmpty },
  COINBASE_ONRAMP_KEY_SECRET: { rule: notEmpty },
  COINBASE_ONRAMP_ENDPOINT: { rule: notEmpty },
}

const bindings = [
  'DB',
  'BACKUP',
  'TREASURY',
  'HISTORY',
  'CLAIM_DESK',
  'RELAYER',
  'WEBHOOK_SENDER',
  'SERVICE_STOPS',
  'MESSAGE_COUNTER',
  'WATCH',
] as const

/** Missing and malformed settings. Problems name settings but never contain their values. */
export const settingProblems = (env: Env): SettingProblem[] => [
  ...(Object.keys(rows) as (keyof Settings)[]).flatMap((name) => problemOf(env, name)),
  ...bindings.filter((name) => !env[name]).map((name) => ({ name, problem: 'is not bound', fatal: true })),
  ...emptyRings(env),
  ...groupProblems(env),
]

function problemOf(env: Env, name: keyof Settings): SettingProblem[] {
  const { rule: check, required = false, fatal = false } = rows[name]
  const value: unknown = env[name]
  if (value === undefined || value === '') return required ? [{ name, problem: 'is missing', fatal }] : []
  const problem = typeof value === 'string' ? check(value) : 'must be text'
  return problem === null ? [] : [{ name, problem, fatal }]
}

/** Missing settings that others depend on. */
function groupProblems(env: Env): SettingProblem[] {
  const needed = (because: string, names: (keyof Settings)[]): SettingProblem[] =>
    names.filter((name) => !env[name]).map((name) => ({ name, problem: `is missing: ${because}`, fatal: false }))
  const together = (because: string, names: (keyof Settings)[]) =>
    names.some((name) => env[name]) ? needed(because, names) : []

  const cognito = [
    'COGNITO_REGION',
    'COGNITO_USER_POOL_ID',
    'COGNITO_CLIENT_ID',
    'COGNITO_ACCESS_KEY_ID',
    'COGNITO_SECRET_ACCESS_KEY',
  ] as const
  const twilio = ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'] as const
  return [
    ...primaryChainProblems(env),
    ...(env.IDENTITY_DIRECTORY === 'cognito' ? needed('Cognito signs people in', [...cognito]) : []),
    ...(env.ENVIRONMENT === 'production' ? emailProblems(env, needed) : []),
    ...(env.ENVIRONMENT === 'production' && env.SMS_COUNTRIES
      ? needed('SMS_COUNTRIES offers SMS', [...twilio])
      : together('Twilio needs it', [...twilio])),
    ...(env.ENVIRONMENT === 'production' && env.SMS_COUNTRIES === '*'
      ? [{ name: 'SMS_COUNTRIES', problem: 'must list countries: * is only for local stacks', fatal: false }]
      : []),
    ...together('operators sign in with it', ['ACCESS_TEAM_ORIGIN', 'ACCESS_AUDIENCE']),
    ...together('the on-ramp needs it', ['COINBASE_ONRAMP_KEY_ID', 'COINBASE_ONRAMP_KEY_SECRET']),
  ]
}

function primaryChainProblems(env: Env): SettingProblem[] {
  const name = `CONTRACTS_${primaryChain(env)}` as const
  return env[name]?.trim() && !rule.contracts(env[name]) && !isInUse(env, primaryChain(env))
    ? [{ name, problem: 'is empty, but wallets are deployed on this network', fatal: true }]
    : []
}

type Needed = (because: string, names: (keyof Settings)[]) => SettingProblem[]

function emailProblems(env: Env, needed: Needed): SettingProblem[] {
  const sender = needed('emails need a sender', ['MAIL_FROM'])
  switch (env.EMAIL_PROVIDER || 'cloudflare') {
    case 'cloudflare':
      return env.EMAIL ? sender : [...sender, { name: 'EMAIL', problem: 'is not bound', fatal: false }]
    case 'resend':
      return [...sender, ...needed('Resend sends email', ['RESEND_API_KEY'])]
    default:
      return sender
  }
}

/** 'KEK_V1 is missing' */
export const problemText = ({ name, problem }: SettingProblem) => `${name} ${problem}`

/** Cached by environment object; an isolate has one. */
const known = new WeakMap<Env, string[]>()

/** Descriptions of settings that keep this Worker from working. Empty in tests, which set only what they need. */
export function fatalProblems(env: Env): string[] {
  if (env.ENVIRONMENT === 'test') return []
  const found =
    known.get(env) ??
    settingProblems(env)
      .filter(({ fatal }) => fatal)
      .map(problemText)
  known.set(env, found)
  return found
}

/** 'settings: KEK_V1 is missing; CODE_PEPPER must be 32 bytes in hex' */
export const misconfigured = (problems: string[]) => `settings: ${problems.join('; ')}`

/** Throws `unavailable`, whose cause is one line that names the settings. */
export function refuseMisconfigured(env: Env): void {
  const problems = fatalProblems(env)
  if (problems.length > 0)
    throw new AppError('unavailable', 'This server is not set up correctly.', {
      cause: misconfigured(problems),
    })
}
