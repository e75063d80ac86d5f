import { createCipheriv, randomBytes, scryptSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keccak256 } from 'viem'
import { afterAll, expect, test } from 'vitest'
import { productionSchema } from '../../launch/config.ts'
import { openKeystore } from '../../launch/production/keystore.ts'
import { decrypt, prepareSecrets } from '../../launch/production/secrets.ts'
import { openState } from '../../launch/state.ts'

const folder = mkdtempSync(join(tmpdir(), 'bursar-secrets-'))
afterAll(() => rmSync(folder, { recursive: true }))

const config = productionSchema.parse({
  accountId: '0'.repeat(32),
  origin: 'https://bursar.example',
  databaseLocation: 'weur',
  chain: { providerAdmin: `0x${'11'.repeat(20)}`, deployer: 'hardware' },
  email: { provider: 'resend', from: 'hello@bursar.example' },
  operators: { accessTeamOrigin: 'https://team.cloudflareaccess.com', accessAudience: 'a'.repeat(64) },
})

test('secrets are generated once and stored encrypted @launch-12', async () => {
  const state = openState(folder)
  const issued = { RPC_URLS_8453: 'https://node.example/key', RESEND_API_KEY: 'first' }
  const environment = { BURSAR_PASSPHRASE: 'correct horse battery', ...issued }
  const prepare = (changes: Record<string, string>) =>
    prepareSecrets(config, 8453, state, { ...environment, ...changes })
  await expect(prepare({ BURSAR_PASSPHRASE: 'short' })).rejects.toThrow('BURSAR_PASSPHRASE')
  await expect(prepare({ RESEND_API_KEY: '' })).rejects.toThrow('environment: RESEND_API_KEY')

  const { secrets } = await prepare({})
  const path = join(folder, 'secrets.backup.json')
  const file = readFileSync(path, 'utf8')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  for (const value of Object.values(secrets)) expect(file).not.toContain(value)

  const replaced = await prepare({ RESEND_API_KEY: 'second', RPC_URLS_8453: '' })
  expect(replaced.secrets).toEqual({ ...secrets, RESEND_API_KEY: 'second' })
  expect(decrypt(readFileSync(path, 'utf8'), environment.BURSAR_PASSPHRASE)).toEqual(replaced.secrets)
  expect(() => decrypt(file, 'another passphrase')).toThrow('can’t be decrypted')
  const damaged = JSON.parse(file) as { data: string }
  const data = `${damaged.data.startsWith('A') ? 'B' : 'A'}${damaged.data.slice(1)}`
  expect(() => decrypt(JSON.stringify({ ...damaged, data }), environment.BURSAR_PASSPHRASE)).toThrow()
})

test('the domain of passkeys is kept with the secrets, and cannot change or go @launch-31', async () => {
  const state = openState(mkdtempSync(join(folder, 'passkeys-')))
  const environment = {
    BURSAR_PASSPHRASE: 'correct horse battery',
    RPC_URLS_8453: 'https://node.example',
    RESEND_API_KEY: 'x',
  }
  const prepare = (passkeyDomain?: string) =>
    prepareSecrets({ ...config, ...(passkeyDomain && { passkeyDomain }) }, 8453, state, environment)
  expect((await prepare()).secrets).not.toHaveProperty('PASSKEY_DOMAIN')
  expect((await prepare('bursar.example')).secrets).toMatchObject({ PASSKEY_DOMAIN: 'bursar.example' })
  expect((await prepare('bursar.example')).changed).toBe(false)
  await expect(prepare('other.example')).rejects.toThrow('passkeyDomain must stay bursar.example')
  await expect(prepare()).rejects.toThrow('passkeyDomain must stay bursar.example')
})

const key = '7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
const cipher = 'aes-128-ctr'

/** The example from the Web3 Secret Storage definition. */
const fromDefinition = {
  kdf: 'pbkdf2',
  kdfparams: {
    c: 262144,
    dklen: 32,
    prf: 'hmac-sha256',
    salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
  },
  cipher,
  cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
  ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
  mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
}

/** A keystore in the format of `cast wallet import`. */
function withScrypt() {
  const [salt, iv] = [randomBytes(32), randomBytes(16)]
  const derived = scryptSync('testpassword', salt, 32, { N: 8192, r: 8, p: 1 })
  const ciphertext = createCipheriv(cipher, derived.subarray(0, 16), iv).update(Buffer.from(key, 'hex'))
  const mac = keccak256(Buffer.concat([derived.subarray(16), ciphertext])).slice(2)
  const kdfparams = { dklen: 32, n: 8192, r: 8, p: 1, salt: salt.toString('hex') }
  const cipherparams = { iv: iv.toString('hex') }
  return { kdf: 'scrypt', kdfparams, cipher, cipherparams, ciphertext: ciphertext.toString('hex'), mac }
}

test.each([fromDefinition, withScrypt()])('a $kdf keystore opens only with its password @launch-13', (crypto) => {
  const path = join(folder, `${crypto.kdf}.json`)
  writeFileSync(path, JSON.stringify({ version: 3, crypto }))
  expect(openKeystore(path, 'testpassword')).toBe(`0x${key}`)
  expect(() => openKeystore(path, 'wrong')).toThrow('KEYSTORE_PASSWORD does not open')
})
