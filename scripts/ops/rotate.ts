/** `npm run ops -- rotate`: see launch/rotation/rotate.ts. Reads the secrets of the deployment, so it runs where they are kept. */
import { parseArgs } from 'node:util'
import { finishOperatorKey, startOperatorKey } from '../../launch/rotation/operatorKey.ts'
import { finish, keyringNamed, type Rotation, rotationSteps, start, status } from '../../launch/rotation/rotate.ts'
import { openVault } from '../../launch/rotation/vault.ts'
import { openState } from '../../launch/state.ts'
import type { KeyringState } from '../../worker/schemas/ops.ts'
import { UsageError } from './command.ts'
import { caller } from './run.ts'

export const rotateHelp = `  npm run ops -- rotate <secret> <step> --state <folder> [--dry-run] [--reason "…"]

Secrets: KEK, PAYOUT_SECRET, ID_SECRET, CODE_PEPPER, PASSWORD_PEPPER, RELAYER_SEED, OPERATOR_KEY
Steps:   start    creates and distributes a version, which is current 12 minutes later; run it again after a failure
         status   lets accounts re-seal their data, and shows what still needs the older version and until when
         finish   removes the older version; refuses while something needs it
--state  the folder of the launch (.bursar/launch/<target>), with BURSAR_PASSPHRASE and CLOUDFLARE_API_TOKEN in the
         environment; or of a local stack (.bursar/<port>), which must be restarted after start and finish
--dry-run shows what would change. All secrets but OPERATOR_KEY need the environment of the other commands.`

type Io = {
  env: Record<string, string | undefined>
  fetch: (url: string, init: RequestInit) => Promise<Response>
  print: (text: string) => void
}

/** Runs the command line `argv`, without `rotate` itself. Throws UsageError and LaunchError. */
export async function runRotate(argv: string[], { env, fetch, print }: Io): Promise<void> {
  const text = { type: 'string' } as const
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: { state: text, reason: text, 'dry-run': { type: 'boolean' } },
  })
  const [name, step] = positionals
  if (!rotationSteps.some((one) => one === step) || !values.state) throw new UsageError(`Usage:\n${rotateHelp}\n`)
  const reason = values.reason ?? `rotation of ${name}`
  const now = () => Date.now()
  const call = () => caller(env, fetch)
  const rotation: Rotation = {
    vault: openVault(openState(values.state), env, now),
    deployment: {
      keyrings: () => call()<KeyringState[]>('GET', '/keys'),
      renew: () => call()<{ accounts: number }>('POST', '/keys/renew', { reason }),
    },
    now,
    isDry: values['dry-run'] === true,
    say: print,
  }
  if (name?.toUpperCase().replaceAll('-', '_') === 'OPERATOR_KEY')
    return step === 'finish' ? finishOperatorKey(rotation) : startOperatorKey(rotation)
  await { start, status, finish }[step as (typeof rotationSteps)[number]](rotation, keyringNamed(name))
}
