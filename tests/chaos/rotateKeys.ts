/** Rotates every keyring of a running stack, as `npm run ops -- rotate` does, but without waiting ten minutes. */
import assert from 'node:assert/strict'
import { withNewVersion, withoutOlder } from '../../launch/rotation/rotate.ts'
import { until } from '../../local/client.ts'
import { readSecrets, secretsPathOf, writeSecrets } from '../../local/stack/secrets.ts'
import { type KeyringSettings, keyring, keyringNames } from '../../worker/keyrings/keyring.ts'
import { relayerAccount } from '../../worker/relayer/account.ts'
import type { KeyringState } from '../../worker/schemas/ops.ts'
import { patient } from '../support/patience.ts'
import { rpcOf } from '../support/stackClient.ts'
import type { TestStack } from '../support/testStack.ts'

/** Long enough for the Worker to start with the new versions. */
const soonMs = 4_000

/** Adds a version to each keyring for the Worker's next start, current in `ms`. Funds the new relayers with ETH. */
export async function addVersions(stack: TestStack, ms = soonMs): Promise<void> {
  const path = secretsPathOf(stack.stateDir)
  let secrets = readSecrets(path)
  const from = Math.round(Date.now() + ms)
  for (const name of keyringNames) secrets = withNewVersion(secrets, name, Date.now())
  secrets.KEYRINGS = secrets.KEYRINGS!.replaceAll(/"from":\d+/g, `"from":${from}`)
  writeSecrets(path, secrets)
  const seed = keyring(secrets as KeyringSettings, 'RELAYER_SEED').versions.at(-1)!.secret
  for (const chainId of [8453, 84532] as const) {
    await rpcOf(stack.rpc[chainId])('anvil_setBalance', relayerAccount(seed, chainId, 0).address, '0x56bc75e2d63100000')
  }
}

async function ops<T>(stack: TestStack, method: string, path: string, body?: object): Promise<T> {
  const headers = { 'cf-access-client-id': 'local', 'content-type': 'application/json', origin: stack.url }
  const response = await fetch(`${stack.url}/ops/api${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  const { data, error } = (await response.json()) as { data: T; error?: string }
  if (error) throw new Error(`${path}: ${response.status} ${error}`)
  return data
}

/** Waits until the rotation is done. Returns what each keyring still needs its first version for. */
export async function rotationEnds(stack: TestStack): Promise<Record<string, string[]>> {
  const states = await until(
    'all accounts to be checked',
    async () => {
      await ops(stack, 'POST', '/keys/renew', { reason: 'chaos' })
      await fetch(`${stack.url}/cdn-cgi/local/scheduled`) // which writes the next export, some parts at a time
      const found = await ops<KeyringState[]>(stack, 'GET', '/keys')
      const isDone = found.every(
        ({ remaining }) => !remaining.some((what) => /not (been|be) checked|sealed values|^the export/.test(what)),
      )
      return isDone && found
    },
    patient(180_000),
  )
  for (const { name, versions } of states)
    assert.deepEqual(
      versions.map(({ state }) => state),
      ['older', 'current'],
      name,
    )
  return Object.fromEntries(states.map(({ name, remaining }) => [name, remaining]))
}

/** Removes the first version of these keyrings, for the Worker's next start. */
export function removeFirst(stack: TestStack, names: (typeof keyringNames)[number][]): void {
  const path = secretsPathOf(stack.stateDir)
  writeSecrets(
    path,
    names.reduce((secrets, name) => withoutOlder(secrets, name, Date.now()), readSecrets(path)),
  )
}
