import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../launch/config.ts'
import { jsonSchema, schemaPath } from '../../launch/writeSchema.ts'

const example = join(import.meta.dirname, '../../launch/config.example.jsonc')
const folder = mkdtempSync(join(tmpdir(), 'bursar-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

const exampleText = readFileSync(example, 'utf8')
/** The example with one piece of its text replaced. */
function read(from = '', to = '') {
  expect(exampleText).toContain(from)
  const path = join(folder, 'config.jsonc')
  writeFileSync(path, exampleText.replace(from, to))
  return readConfig(path)
}

test('the example configuration is valid, and the JSON schema file matches the schema in the code @launch-10', () => {
  expect(read().production?.email.provider).toBe('resend')
  expect(JSON.parse(readFileSync(schemaPath, 'utf8'))).toEqual(JSON.parse(jsonSchema()))
  expect(readConfig(undefined)['local-production'].ports.pages).toBe(3101)
})

describe('an invalid value is refused with its field and the rule @launch-11', () => {
  test.each([
    [
      '"origin": "https://bursar.example"',
      '"origin": "https://bursar.example/"',
      'production.origin: must be an origin',
    ],
    ['"origin": "https://bursar.example",', '', 'production.origin: is missing'],
    ['"weur"', '"mars"', 'production.databaseLocation: must be one of weur, eeur'],
    ['"0x1111', '"1111', 'production.chain.providerAdmin: must be an address'],
    ['"deployer": "hardware"', '"deployer": "me"', 'production.chain.deployer: must be "hardware" or'],
    ['"publicRpcUrl": "https', '"publicRpcUrl": "http', 'production.chain.publicRpcUrl: must begin with https://'],
    ['"paymentsPerDay": 1000', '"paymentsPerDay": "many"', 'production.relayer.paymentsPerDay: must be a whole number'],
    ['"provider": "resend"', '"provider": "pigeon"', 'production.email.provider: must be an object whose provider is'],
    ['hello@', 'hello', 'production.email.from: must be a plain email address'],
    ['"signUp"', '"limits": { "gasPerDay": -1, "wishes": 3 }, "signUp"', 'production.limits.wishes: is not a limit'],
    ['"signUp"', '"signup"', 'production.signup: is not a field'],
    ['"amount": "0.01"', '"amount": "lots"', 'production.testPayment.amount: must be an amount such as 0.01'],
    ['"inbox": 3102', '"inbox": 3101', 'local-production.ports: must differ'],
    ['"blockSeconds": 2', '"blockSeconds": 2 2', 'is not JSON with comments'],
  ])('%s → %s', (from, to, problem) => {
    expect(() => read(from, to)).toThrow(problem)
  })
})
