/** `npm run ops -- rotate` against a simulated deployment. tests/worker/keyrings.test.ts tests the Worker's part. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import { decrypt, encrypt, type Secrets } from '../../launch/production/secrets.ts'
import { finishOperatorKey, startOperatorKey } from '../../launch/rotation/operatorKey.ts'
import { finish, keyringNamed, type Rotation, ringOf, start, status } from '../../launch/rotation/rotate.ts'
import { openVault } from '../../launch/rotation/vault.ts'
import { openState } from '../../launch/state.ts'
import { ensureLocalSecrets, readSecrets } from '../../local/stack/secrets.ts'
import { keyringNames } from '../../worker/keyrings/keyring.ts'
import { emptyRings, keyrings } from '../../worker/readiness/settingRules.ts'
import type { KeyringState } from '../../worker/schemas/ops.ts'
import { within } from '../support/patience.ts'

const folder = mkdtempSync(join(tmpdir(), 'bursar-rotation-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** `crash.in`: the write or upload, counted from 0, after which the run ends, or before which if `crash.before`. */
async function createDeployment(name: string) {
  const path = join(folder, name, 'secrets.env')
  await ensureLocalSecrets(path)
  const clock = { now: Date.UTC(2026, 10, 20) }
  const files = openVault(openState(join(folder, name)), {}, () => clock.now)
  let deployed: Secrets = readSecrets(path)
  const needed = new Map<string, { what: string; until: string | null }>()
  const crash = { in: Number.POSITIVE_INFINITY, before: false }
  const step = <T>(work: () => T): T => {
    if (crash.in-- > 0) return work()
    if (crash.before) throw new Error('killed')
    work()
    throw new Error('killed')
  }
  const said: string[] = []
  const rotation: Rotation = {
    vault: {
      read: () => files.read(),
      write: (secrets) => step(() => files.write(secrets)),
      distribute: async (secrets, names) =>
        step(() => {
          deployed = { ...deployed, ...Object.fromEntries(names.map((one) => [one, secrets[one]!])) }
          return 'uploaded'
        }),
    },
    deployment: {
      renew: async () => ({ accounts: 0 }),
      keyrings: async () =>
        keyringNames.map((ring): KeyringState => {
          const { versions } = ringOf(deployed, ring)
          const current = ringOf(deployed, ring).current(clock.now).version
          const need = needed.get(ring)
          return {
            name: ring,
            versions: versions.map(({ version, from }) => ({
              version,
              from: new Date(from).toISOString(),
              state: version === current ? 'current' : version > current ? 'distributed' : 'older',
            })),
            remaining: need ? [need.what] : [],
            removableFrom: need ? need.until : new Date(clock.now).toISOString(),
          }
        }),
    },
    now: () => clock.now,
    isDry: false,
    say: (line) => {
      said.push(line)
    },
  }
  return { rotation, clock, needed, crash, said, path, deployed: () => deployed }
}

test('a rotation distributes a new version, makes it current twelve minutes later and removes the old one @keys-10', async () => {
  for (const name of keyringNames) {
    const { rotation, clock, needed, said, path, deployed } = await createDeployment(name)
    const first = ringOf(deployed(), name).current(clock.now)
    await start({ ...rotation, isDry: true }, name)
    expect(said.join()).toContain('Would create, back up and distribute version 2')
    expect(readSecrets(path)).toEqual(deployed())
    await start(rotation, name)
    expect(keyrings(deployed().KEYRINGS!)).toBeNull()
    clock.now += 11 * minuteMs
    expect(ringOf(deployed(), name).current(clock.now)).toEqual(first)
    await expect(finish(rotation, name)).resolves.toBeUndefined()
    expect(said.at(-1)).toContain('has no older version')
    clock.now += minuteMs
    expect(ringOf(deployed(), name).current(clock.now)).toMatchObject({ version: 2 })

    needed.set(name, { what: '3 things', until: new Date(clock.now + minuteMs).toISOString() })
    await status(rotation, name)
    expect(said.slice(-2)).toEqual([
      '  needed for: 3 things',
      `  Older versions can be removed from ${new Date(clock.now + minuteMs).toISOString()} on.`,
    ])
    await expect(finish(rotation, name)).rejects.toThrow('still needed: 3 things')
    await start(rotation, name)
    expect(said.at(-1), 'no second rotation starts during the first').toContain('in progress')
    needed.clear()
    await finish(rotation, name)
    expect(ringOf(deployed(), name).versions.map(({ version }) => version)).toEqual([2])
    expect(emptyRings({ ...deployed(), KEYRINGS: deployed().KEYRINGS!.replaceAll(/"from":\d+/g, '"from":1') })).toEqual(
      [],
    )
    expect(readdirSync(join(folder, name)).filter((file) => file.includes('before-')).length).toBe(2)
  }
})

test('an old version is kept while something needs it, even if its date has passed on the operator’s clock @keys-21', async () => {
  const { rotation, clock, needed, said, deployed } = await createDeployment('late')
  await start(rotation, 'PAYOUT_SECRET')
  clock.now += 12 * minuteMs
  needed.set('PAYOUT_SECRET', { what: '1 open payouts', until: new Date(clock.now - minuteMs).toISOString() })
  await status(rotation, 'PAYOUT_SECRET')
  expect(said.slice(-2)).toEqual(['  needed for: 1 open payouts', '  Older versions can’t be removed yet.'])
  await expect(finish(rotation, 'PAYOUT_SECRET')).rejects.toThrow(/still needed: 1 open payouts$/)
  expect(ringOf(deployed(), 'PAYOUT_SECRET').versions).toHaveLength(2)
  needed.clear()
  await status(rotation, 'PAYOUT_SECRET')
  expect(said.at(-1)).toContain('`finish` removes them')
})

test('a rotation killed at any step resumes when it is run again @keys-11', async () => {
  for (const before of [true, false])
    for (const at of [0, 1, 2, 3]) {
      const { rotation, clock, crash, path, deployed } = await createDeployment(`killed-${before}-${at}`)
      const run = async (work: () => Promise<void>) => {
        await work().catch((error: Error) => {
          expect(error.message).toBe('killed')
          crash.in = Number.POSITIVE_INFINITY
          clock.now += 9 * minuteMs
          return work()
        })
      }
      Object.assign(crash, { in: at, before })
      await run(() => start(rotation, 'KEK'))
      const made = ringOf(deployed(), 'KEK').versions.at(-1)!
      expect(made.version).toBe(2)
      expect(made.from - clock.now, 'never sooner than ten minutes after it was distributed').toBeGreaterThanOrEqual(
        10 * minuteMs,
      )
      clock.now = made.from
      await run(() => finish(rotation, 'KEK'))
      expect(ringOf(deployed(), 'KEK').versions).toEqual([{ ...made }])
      const { KEYRINGS, KEK_V1 } = readSecrets(path)
      expect(deployed()).toMatchObject({ KEYRINGS, KEK_V1 })
    }
})

test('the operator key is replaced between two calls to the Provider @keys-12', async () => {
  const { rotation, said, path, deployed } = await createDeployment('operator')
  const old = deployed().OPERATOR_KEY_V1
  startOperatorKey({ ...rotation, isDry: true })
  startOperatorKey(rotation)
  startOperatorKey(rotation)
  const [first, second] = said.filter((line) => line.includes('setOperator'))
  expect(second).toBe(first)
  expect(first).toMatch(/setOperator\(0x[0-9a-fA-F]{40}, true\)/)
  expect(deployed().OPERATOR_KEY_V1).toBe(old)
  await finishOperatorKey(rotation)
  expect(said.at(-1)).toMatch(/setOperator\(0x[0-9a-fA-F]{40}, false\)/)
  expect(deployed().OPERATOR_KEY_V1).not.toBe(old)
  expect(Object.keys(readSecrets(path)).filter((name) => name.startsWith('OPERATOR'))).toEqual(['OPERATOR_KEY_V1'])
})

test(
  'a launch keeps each earlier backup of its secrets, and needs the passphrase to open one @keys-13',
  within(120_000),
  async () => {
    const state = openState(join(folder, 'launch'))
    const passphrase = 'correct horse battery'
    state.write('secrets.backup.json', encrypt({ KEK_V1: '11'.repeat(32) }, passphrase))
    const open = (words: string) => openVault(state, { BURSAR_PASSPHRASE: words }, () => 0)
    expect(() => open('').read()).toThrow('BURSAR_PASSPHRASE')
    expect(() => open('wrong').read()).toThrow('can’t be decrypted')
    const before = readFileSync(state.path('secrets.backup.json'), 'utf8')
    open(passphrase).write({ KEK_V1: '22'.repeat(32) })
    expect(open(passphrase).read()).toEqual({ KEK_V1: '22'.repeat(32) })
    const kept = readFileSync(state.path('secrets.before-1970-01-01T00-00-00-000Z.json'), 'utf8')
    expect(decrypt(kept, passphrase)).toEqual({ KEK_V1: '11'.repeat(32) })
    expect(kept).toBe(before)
    expect(() => openVault(openState(join(folder, 'nothing')), {}, () => 0)).toThrow('neither')
    expect(() => keyringNamed('jwt')).toThrow('rotate which secret?')
    expect(keyringNamed('payout-secret')).toBe('PAYOUT_SECRET')
  },
)
