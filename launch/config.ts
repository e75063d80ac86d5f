/**
 * The config file of `npm run launch`. `node launch/writeSchema.ts` generates launch/config.schema.json from this.
 * The rules are those that the Worker applies to its settings at start.
 */

import { readFileSync } from 'node:fs'
import JSON5 from 'json5'
import { z } from 'zod'
import { defaultLimits } from '../worker/domain/limits.ts'
import { signUpModes } from '../worker/domain/signUpMode.ts'
import * as rules from '../worker/readiness/settingRules.ts'
import { checkedBy } from '../worker/schemas/common.ts'
import { LaunchError } from './steps.ts'

const checked = (rule: rules.Rule) => z.string().superRefine(checkedBy(rule))
const matching = (expected: RegExp, words: string) => z.string().regex(expected, words)
const address = matching(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 hex digits')
const httpsUrl = checked(rules.httpUrl('url'))
const whole = (most: number) =>
  z.int('must be a whole number').min(1, 'must be 1 or more').max(most, `must be ${most} or less`)
const port = whole(65_535)

const sender = {
  from: checked(rules.emailAddress).describe('Sender of every email; its domain must be verified with the provider'),
}
const email = z.discriminatedUnion(
  'provider',
  [
    z.strictObject({ provider: z.literal('cloudflare'), ...sender }),
    z.strictObject({ provider: z.literal('resend'), ...sender }),
  ],
  { error: 'must be an object whose provider is cloudflare or resend' },
)

const deployment = (defaults: { name: string; publicRpcUrl: string; explorerUrl: string }) =>
  z.strictObject({
    name: matching(/^[a-z][a-z0-9-]{1,49}$/, 'must be 2 to 50 lower-case letters, digits and dashes, a letter first')
      .default(defaults.name)
      .describe('Name of the Worker and of its database; the Pages project is called <name>-web'),
    accountId: matching(/^[0-9a-f]{32}$/, 'must be the 32 hex digits of a Cloudflare account').describe(
      'The Cloudflare account, on the Workers Paid plan',
    ),
    origin: checked(rules.httpUrl('origin')).describe(
      'Where everything is served, such as https://bursar.example. Its zone must be in the account',
    ),
    betaAccessUrl: httpsUrl.optional().describe('Target of "Request beta access"; not offered if missing'),
    databaseLocation: z
      .enum(['weur', 'eeur', 'apac', 'oc', 'wnam', 'enam'], 'must be one of weur, eeur, apac, oc, wnam, enam')
      .describe('Where the database is kept; it cannot be changed later'),
    chain: z.strictObject({
      providerAdmin: address.describe('Names operators and can pause rotations: a cold account, never on this machine'),
      deployer: z
        .union(
          [z.literal('hardware'), z.strictObject({ keystore: z.string().min(1, 'is blank') })],
          'must be "hardware" or { "keystore": "path of an encrypted keystore" }',
        )
        .describe('Who deploys the contracts: a keystore (Web3 Secret Storage), or transactions for a hardware wallet'),
      contractSet: whole(9_999)
        .optional()
        .describe('The contract set that new wallets use. The next number deploys another set'),
      publicRpcUrl: httpsUrl.default(defaults.publicRpcUrl).describe('RPC URL for browsers, so without an API key'),
      explorerUrl: httpsUrl.default(defaults.explorerUrl),
      confirmDepth: whole(1_000).default(2),
      sanctionsOracle: address
        .optional()
        .describe('Contract with isSanctioned(address), which recipients are screened with; not screened if missing'),
    }),
    relayer: z
      .strictObject({
        shards: whole(64).default(1),
        paymentsPerDay: z
          .int('must be a whole number')
          .min(1, 'must be 1 or more')
          .default(1_000)
          .describe('Expected payments per day, from which the ETH per day is computed'),
      })
      .prefault({}),
    email,
    sms: z
      .strictObject({
        accountSid: matching(/^AC[0-9a-f]{32}$/, 'must be AC and 32 hex digits'),
        from: z.string().min(1, 'is blank').describe('A number, a sender name, or a messaging service (MG…)'),
        countries: z
          .array(matching(/^[A-Z]{2}$/, 'must be an ISO 3166 code such as US'))
          .min(1, 'must name at least one country'),
      })
      .optional()
      .describe('Twilio. If missing, SMS is not offered'),
    operators: z
      .strictObject({
        accessTeamOrigin: checked(rules.httpUrl('origin')).describe('https://<team>.cloudflareaccess.com'),
        accessAudience: matching(/^[0-9a-f]{64}$/, 'must be the 64 hex digits of the AUD tag'),
      })
      .describe('The Cloudflare Access application in front of /ops'),
    passkeyDomain: checked(rules.domain)
      .optional()
      .describe('Domain of the passkeys with which recipients keep payouts; fixed for ever. If missing, not offered'),
    signUp: z.enum(signUpModes, `must be one of ${signUpModes.join(', ')}`).default('passcode'),
    alertEmail: checked(rules.emailAddress).optional(),
    metrics: z
      .boolean('must be true or false')
      .default(false)
      .describe('Writes metrics to Analytics Engine, which must be enabled for the account'),
    logDestinations: z
      .array(z.string().min(1, 'is blank'))
      .optional()
      .describe('Names of destinations in the dashboard to which Workers exports logs'),
    walletConnectProjectId: z.string().min(1, 'is blank').optional(),
    limits: z
      .record(z.string(), z.number('must be a number').min(0, 'must not be negative'))
      .superRefine((limits, context) => {
        for (const name of Object.keys(limits))
          if (!Object.hasOwn(defaultLimits, name))
            context.addIssue({ code: 'custom', message: 'is not a limit', path: [name] })
      })
      .optional()
      .describe('Limits that differ from worker/domain/limits.ts'),
    testPayment: z
      .strictObject({ to: address, amount: matching(/^\d{1,6}(\.\d{1,6})?$/, 'must be an amount such as 0.01') })
      .optional()
      .describe('Paid once at the end, by an agent that you create in the dashboard'),
  })

/** On Base. */
export const productionSchema = deployment({
  name: 'bursar',
  publicRpcUrl: 'https://mainnet.base.org',
  explorerUrl: 'https://basescan.org',
})
/** The same on Base Sepolia, with test money; every page says so. */
export const stagingSchema = deployment({
  name: 'bursar-staging',
  publicRpcUrl: 'https://sepolia.base.org',
  explorerUrl: 'https://sepolia.basescan.org',
})

export const localSchema = z.strictObject({
  ports: z
    .strictObject({
      pages: port.default(3101).describe('Where Bursar is'),
      worker: port.default(3104).describe('The Worker itself, which refuses requests for its own address'),
      chain: port.default(8645),
      inbox: port.default(3102),
      access: port.default(3103),
    })
    .prefault({})
    .superRefine((ports, context) => {
      if (new Set(Object.values(ports)).size < Object.keys(ports).length)
        context.addIssue({ code: 'custom', message: 'must differ' })
    }),
  blockSeconds: whole(60).default(2),
})

export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  production: productionSchema.optional(),
  staging: stagingSchema.optional(),
  'local-production': localSchema.prefault({}),
})

export type ProductionConfig = z.output<typeof productionSchema>
export type LocalConfig = z.output<typeof localSchema>
export type Config = z.output<typeof configSchema>

/** Returns the config; the defaults without a path. Throws LaunchError with the field and rule of each invalid value. */
export function readConfig(path: string | undefined): Config {
  const given = path === undefined ? {} : parse(path)
  const result = configSchema.safeParse(given, { reportInput: true })
  if (result.success) return result.data
  throw new LaunchError(`${path ?? 'the config'} has invalid values:\n${problems(result.error).join('\n')}`)
}

function parse(path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    throw new LaunchError(`${path} can’t be read. launch/config.example.jsonc shows what belongs there.`)
  }
  try {
    return JSON5.parse(text)
  } catch (error) {
    throw new LaunchError(`${path} is not JSON with comments: ${(error as Error).message.replace('JSON5: ', '')}`)
  }
}

/** '  production.chain.providerAdmin: must be an address …' */
const problems = (error: z.ZodError): string[] =>
  error.issues.flatMap((issue) => {
    const field = issue.path.reduce<string>(
      (path, key) => (typeof key === 'number' ? `${path}[${key}]` : path ? `${path}.${String(key)}` : String(key)),
      '',
    )
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => `  ${field ? `${field}.` : ''}${key}: is not a field`)
    const isMissing = issue.code === 'invalid_type' && issue.input === undefined
    return [`  ${field || 'the file'}: ${isMissing ? 'is missing' : words(issue.message)}`]
  })

/** zod's own words for a wrong type. */
const words = (message: string) =>
  message.replace(/^Invalid input: expected (\w+), received (\w+)$/, 'must be of type $1, not $2')
