/** The local stack's secrets: generated once, and stored in an ignored file that wrangler also reads (`--env-file`). */
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { exportJWK, generateKeyPair } from 'jose'

/** Secrets of worker/settings.ts that are 32 random bytes in hex. */
export const hexSecrets = [
  'KEK_V1',
  'PAYOUT_SECRET_V1',
  'ID_SECRET_V1',
  'RELAYER_SEED_V1',
  'CODE_PEPPER',
  'PASSWORD_PEPPER',
] as const

export type LocalSecrets = Record<
  (typeof hexSecrets)[number] | 'OPERATOR_KEY_V1' | 'JWT_PRIVATE_JWK' | 'PUSH_PRIVATE_JWK',
  string
>

/**
 * The operator is an argument of the Provider contract, so every address depends on it. With this well-known, worthless
 * key of anvil's, the local contracts have the same addresses in every state.
 */
const localOperatorKey = '5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'

export const secretsPathOf = (stateDir: string) => join(stateDir, 'secrets.env')

/**
 * Reads the secrets at `path`, adding those that are missing, `more` included; existing ones never change. Only the owner
 * can read the file.
 */
export async function ensureLocalSecrets<More extends Record<string, string> = Record<never, string>>(
  path: string,
  more?: More,
): Promise<LocalSecrets & More> {
  const known = readSecrets(path)
  const secrets: Record<string, string> = { ...more, ...known }
  for (const name of hexSecrets) secrets[name] ??= randomBytes(32).toString('hex')
  secrets.OPERATOR_KEY_V1 ??= localOperatorKey
  secrets.JWT_PRIVATE_JWK ??= await newSigningKey()
  secrets.PUSH_PRIVATE_JWK ??= await newSigningKey()
  if (Object.keys(secrets).length > Object.keys(known).length) {
    mkdirSync(dirname(path), { recursive: true })
    writeSecrets(path, secrets)
  }
  return secrets as LocalSecrets & More
}

/** Replaces the file atomically. Only the owner can read it. */
export function writeSecrets(path: string, secrets: Record<string, string>): void {
  const lines = Object.entries(secrets).map(([name, value]) => `${name}='${value}'\n`)
  writeFileSync(`${path}.new`, lines.join(''), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

export const readSecrets = (path: string): Record<string, string> =>
  existsSync(path) ? parse(readFileSync(path, 'utf8')) : {}

/** A private ES256 key as JWK JSON, ready for JWT_PRIVATE_JWK or PUSH_PRIVATE_JWK. */
export async function newSigningKey(): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  return JSON.stringify({ ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: randomUUID() })
}

function parse(text: string): Record<string, string> {
  const lines = text.matchAll(/^([A-Z0-9_]+)='([^'\n]*)'$/gm)
  return Object.fromEntries([...lines].map(([, name, value]) => [name!, value!]))
}
