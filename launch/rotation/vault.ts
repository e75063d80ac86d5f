/** Stores the secrets of a deployment, and distributes them to it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { readSecrets, secretsPathOf, writeSecrets } from '../../local/stack/secrets.ts'
import { openCloudflare } from '../production/cloudflare.ts'
import { backupName, decrypt, encrypt, type Secrets } from '../production/secrets.ts'
import type { State } from '../state.ts'
import { LaunchError } from '../steps.ts'

export type Vault = {
  read(): Secrets
  /** Stores them, and a copy of the previous ones. Returns the path. */
  write(secrets: Secrets): string
  /** Gives the deployment the secrets with these names. Returns a note on what was done. */
  distribute(secrets: Secrets, names: string[]): Promise<string>
}

type Environment = Record<string, string | undefined>

/** The vault of a launched deployment or of a local stack. Throws LaunchError if the folder belongs to neither. */
export function openVault(state: State, environment: Environment, now: () => number): Vault {
  if (existsSync(state.path(backupName))) return launchVault(state, environment, now)
  const local = secretsPathOf(state.folder)
  if (existsSync(local)) return localVault(local, now)
  throw new LaunchError(`${state.folder} has neither ${backupName} of a launch nor secrets.env of a local stack`)
}

function launchVault(state: State, environment: Environment, now: () => number): Vault {
  const passphrase = environment.BURSAR_PASSPHRASE ?? ''
  if (passphrase === '') throw new LaunchError('set BURSAR_PASSPHRASE: the backup of the secrets is encrypted with it')
  return {
    read: () => decrypt(readFileSync(state.path(backupName), 'utf8'), passphrase),
    write(secrets) {
      const former = readFileSync(state.path(backupName), 'utf8')
      state.write(`secrets.before-${stamp(now())}.json`, former)
      state.write(backupName, encrypt(secrets, passphrase))
      return state.path(backupName)
    },
    async distribute(secrets, names) {
      const config = JSON.parse(readFileSync(state.path('wrangler.json'), 'utf8')) as {
        account_id: string
        name: string
      }
      const changed = Object.fromEntries(names.map((name) => [name, secrets[name]!]))
      await openCloudflare(config.account_id, state, environment).wranglerWithSecrets(changed, 'secret', 'bulk')
      return `uploaded to ${config.name}`
    },
  }
}

function localVault(path: string, now: () => number): Vault {
  return {
    read: () => readSecrets(path),
    write(secrets) {
      writeFileSync(`${path}.before-${stamp(now())}`, readFileSync(path), { mode: 0o600 })
      writeSecrets(path, secrets)
      return path
    },
    distribute: async () => 'restart the local stack to load them',
  }
}

const stamp = (now: number) => new Date(now).toISOString().replaceAll(/[:.]/g, '-')
