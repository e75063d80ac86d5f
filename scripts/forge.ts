/**
 * Runs forge on our contracts, and exits with its code.
 *   build   compile the deployed contracts, and refresh worker/chain/abi.ts
 *   test    the same, then the contract tests (further arguments go to forge)
 *   check   fail if a source is not formatted or worker/chain/abi.ts is stale
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { foundryProgram } from '../local/tools/runTool.ts'

const contracts = join(import.meta.dirname, '../contracts')

function run(program: string, args: string[], env: Record<string, string> = {}): void {
  const { status } = spawnSync(program, args, { cwd: contracts, stdio: 'inherit', env: { ...process.env, ...env } })
  if (status !== 0) process.exit(status ?? 1)
}
const forge = (args: string[], profile = 'default') => run(foundryProgram('forge'), args, { FOUNDRY_PROFILE: profile })
const abi = (...flags: string[]) => run(process.execPath, [join(import.meta.dirname, 'abi.ts'), ...flags])

const [task, ...rest] = process.argv.slice(2)
if (task === 'build') {
  forge(['build'])
  abi()
} else if (task === 'test') {
  forge(['build'])
  forge(['test', ...rest], 'test')
} else if (task === 'check') {
  forge(['fmt', '--check'])
  forge(['build'])
  abi('--check')
} else {
  console.error('usage: forge.ts build | test [forge flags] | check')
  process.exit(2)
}
