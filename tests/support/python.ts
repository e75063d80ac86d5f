/** The Python that runs the tests of the Python SDK. */
import { spawnSync } from 'node:child_process'

export type Python = { path: string; hasMypy: boolean; hasPip: boolean }

/** Null without Python 3.11 or newer. `PYTHON` names another program than python3. */
export function findPython(): Python | null {
  const named = process.env.PYTHON ? [process.env.PYTHON] : ['python3', '/usr/bin/python3']
  const candidates = named.filter((path) => run(path, 'import sys; sys.exit(sys.version_info < (3, 11))'))
  const withMypy = candidates.find((path) => run(path, 'import mypy'))
  const path = withMypy ?? candidates[0]
  return path === undefined ? null : { path, hasMypy: withMypy !== undefined, hasPip: run(path, 'import pip') }
}

const run = (path: string, code: string) => spawnSync(path, ['-c', code], { stdio: 'ignore' }).status === 0
