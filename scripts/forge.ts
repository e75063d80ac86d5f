/**
 * `node scripts/forge.ts <any forge command>`, in contracts/ and with forge's own exit code, which its npm wrapper drops.
 * `test` runs in the profile that has the tests; it deploys what `build` made.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { foundryProgram } from './foundry.ts'

const args = process.argv.slice(2)
const { status } = spawnSync(foundryProgram('forge'), args, {
  cwd: join(import.meta.dirname, '../contracts'),
  stdio: 'inherit',
  env: { ...process.env, FOUNDRY_PROFILE: args[0] === 'test' ? 'test' : 'default' },
})
process.exitCode = status ?? 1
