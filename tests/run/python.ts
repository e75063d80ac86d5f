/**
 * Checks the types of the Python SDK and runs its tests that need no server. Installs pip and mypy if it may, and says what it skips
 * without them.
 * Test id: @python-4
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../../local/tools/runTool.ts'
import { findPython } from '../support/python.ts'

const cwd = join(root, 'sdk/python')

function run(program: string, args: string[]): boolean {
  const env = { ...process.env, PYTHONPATH: 'src', PYTHONDONTWRITEBYTECODE: '1' }
  const { status, error } = spawnSync(program, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] })
  if (error) console.error(error.message)
  return status === 0
}

const python = await findPython(console.log)
if (!python) {
  console.log('skipped: the Python SDK and tests/gateway/python.test.ts, because there is no Python 3.11 or newer')
} else {
  if (!python.hasPip) console.log('skipped: tests/gateway/python.test.ts, because this Python has no pip')
  if (!python.hasMypy) console.log('skipped: types of the Python SDK, because this Python has no mypy')
  const isTyped = !python.hasMypy || run(python.path, ['-m', 'mypy', '--cache-dir', join(root, '.bursar/mypy')])
  process.exitCode = isTyped && run(python.path, ['-m', 'unittest', 'discover', '-s', 'tests']) ? 0 : 1
}
