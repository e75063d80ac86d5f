/** The secrets of a deployment: which it needs, where they come from, and the encrypted file that is their only copy. */
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { hexSecrets, newSigningKey } from '../../local/stack/secrets.ts'
import type { ChainId } from '../../worker/domain/networks.ts'
import type { ProductionConfig } from '../config.ts'
import type { State } from '../state.ts'
import { LaunchError, type Outcome } from '../steps.ts'

export type Secrets = Record<string, string>

export const backupName = 'secrets.backup.json'

/** Secrets that third parties issue. They are read from the environment and stored with the others. */
const issuedSecrets = {
  always: {
    needed: [],
    optional: ['ALERT_WEBHOOK', 'COINBASE_ONRAMP_KEY_ID', 'COINBASE_ONRAMP_KEY_SECRET'],
  },
  cloudflare: { needed: [], optional: [] },
  resend: { needed: ['RESEND_API_KEY'], optional: ['RESEND_WEBHOOK_SECRET'] },
  sms: { needed: ['TWILIO_AUTH_TOKEN'], optional: [] },
} satisfies Record<string, { needed: string[]; optional: string[] }>

type Environment = Record<string, string | undefined>

/**
 * Generates what is missing, takes issued secrets from the environment, and writes the backup before anything uses them.
 * Keeps existing ones, except issued ones that the environment replaces. Throws LaunchError with the names of missing ones.
 */
export async function prepareSecrets(
  config: ProductionConfig,
  chainId: ChainId,
  state: State,
  environment: Environment,
): Promise<Outcome & { secrets: Secrets }> {
  const passphrase = environment.BURSAR_PASSPHRASE ?? ''
  if (passphrase.length < 12)
    throw new LaunchError('set BURSAR_PASSPHRASE, of 12 characters or more: it encrypts the backup of the secrets')
  const path = state.path(backupName)
  const known = existsSync(path) ? decrypt(readFileSync(path, 'utf8'), passphrase) : {}
  const secrets = { ...known }
  for (const name of [...hexSecrets, 'OPERATOR_KEY_V1']) secrets[name] ??= randomBytes(32).toString('hex')
  secrets.JWT_PRIVATE_JWK ??= await newSigningKey()
  secrets.PUSH_PRIVATE_JWK ??= await newSigningKey()
  keepPasskeyDomain(config, secrets)

  const { always, sms } = issuedSecrets
  const node = { needed: [`RPC_URLS_${chainId}`], optional: [] }
  const groups = [node, always, issuedSecrets[config.email.provider], ...(config.sms ? [sms] : [])]
  for (const name of groups.flatMap(({ needed, optional }): string[] => [...needed, ...optional]))
    if (environment[name]) secrets[name] = environment[name]
  const missing = groups.flatMap(({ needed }): string[] => needed).filter((name) => !secrets[name])
  if (missing.length > 0) throw new LaunchError(`set these in the environment: ${missing.join(', ')}`)

  const added = Object.keys(secrets).filter((name) => secrets[name] !== known[name])
  if (added.length > 0) state.write(backupName, encrypt(secrets, passphrase))
  const note = added.length > 0 ? `${added.length} new, encrypted in ${path}` : `kept in ${path}`
  return { changed: added.length > 0, note, secrets }
}

/** Not secret, but kept with the secrets, because without it recipients can't open their accounts. Throws LaunchError if it changes. */
function keepPasskeyDomain({ passkeyDomain }: ProductionConfig, secrets: Secrets): void {
  const known = secrets.PASSKEY_DOMAIN
  if (known && known !== passkeyDomain)
    throw new LaunchError(`passkeyDomain must stay ${known}: the accounts of recipients open under no other domain`)
  if (passkeyDomain) secrets.PASSKEY_DOMAIN = passkeyDomain
}

/** scrypt and AES-256-GCM. About 0.3 s and 128 MB, which is also what each guess costs someone who has stolen the file. */
const cost = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 2 ** 20 }

/** The last derived key, cached because a launch reads the file and writes it again. */
let derived: { passphrase: string; salt: Buffer; key: Buffer } | null = null

function keyFrom(passphrase: string, salt: Buffer): Buffer {
  if (derived?.passphrase !== passphrase || !derived.salt.equals(salt))
    derived = { passphrase, salt, key: scryptSync(passphrase, salt, 32, cost) }
  return derived.key
}

/** Reuses the salt of the file that was read, if its passphrase was the same. */
export function encrypt(secrets: Secrets, passphrase: string): string {
  const salt = derived?.passphrase === passphrase ? derived.salt : randomBytes(16)
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyFrom(passphrase, salt), iv)
  const data = Buffer.concat([cipher.update(JSON.stringify(secrets)), cipher.final()])
  const parts = { salt, iv, tag: cipher.getAuthTag(), data }
  const encoded = Object.entries(parts).map(([name, bytes]) => [name, bytes.toString('base64')])
  return `${JSON.stringify({ kdf: 'scrypt N=2^17 r=8 p=1', cipher: 'aes-256-gcm', ...Object.fromEntries(encoded) }, null, 2)}\n`
}

/** Throws LaunchError if the passphrase is wrong or the file was changed. */
export function decrypt(text: string, passphrase: string): Secrets {
  try {
    const parts = JSON.parse(text) as Record<'salt' | 'iv' | 'tag' | 'data', string>
    const bytes = (name: keyof typeof parts) => Buffer.from(parts[name], 'base64')
    const decipher = createDecipheriv('aes-256-gcm', keyFrom(passphrase, bytes('salt')), bytes('iv'))
    decipher.setAuthTag(bytes('tag'))
    return JSON.parse(Buffer.concat([decipher.update(bytes('data')), decipher.final()]).toString()) as Secrets
  } catch {
    throw new LaunchError(`${backupName} can’t be decrypted with this BURSAR_PASSPHRASE`)
  }
}
