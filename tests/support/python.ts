/** The Python that runs the tests of the Python SDK. */
import { spawnSync } from 'node:child_process'
import { canInstall, installPackages } from '../../local/tools/debian.ts'

export type Python = { path: string; hasMypy: boolean; hasPip: boolean }

/** Null without Python 3.11 or newer. `PYTHON` names another program than python3. */
export function installedPython(): Python | null {
  const named = process.env.PYTHON ? [process.env.PYTHON] : ['python3', '/usr/bin/python3']
  const candidates = named.filter((path) => run(path, 'import sys; sys.exit(sys.version_info < (3, 11))'))
  const withMypy = candidates.find((path) => run(path, 'import mypy'))
  const path = withMypy ?? candidates[0]
  return path === undefined ? null : { path, hasMypy: withMypy !== undefined, hasPip: run(path, 'import pip') }
}

/** Also installs what is missing, where nobody has to be asked. What cannot be installed stays missing. */
export async function findPython(say: (line: string) => void): Promise<Python | null> {
  const found = installedPython()
  if ((found?.hasMypy && found.hasPip) || process.env.PYTHON || !canInstall()) return found
  say('installing pip and mypy …')
  try {
    await installPackages('python3-pip', 'mypy')
  } catch (error) {
    console.error(`apt-get could not install pip and mypy:\n${error}`)
  }
  return installedPython()
}

const run = (path: string, code: string) => spawnSync(path, ['-c', code], { stdio: 'ignore' }).status === 0
