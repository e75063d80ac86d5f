/** Heavy tools that only tests use: tests/clients has a lockfile of its own, so that users of the product need none. */
import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const folder = join(import.meta.dirname, '../clients')

/** A file of an installed package. */
export const clientPath = (path: string) => join(folder, 'node_modules', path)

/** `npm ci`, when it has not been done since the lockfile changed. */
export async function installClients(): Promise<void> {
  const installed = clientPath('.package-lock.json')
  const isCurrent =
    existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(folder, 'package-lock.json')).mtimeMs
  if (!isCurrent)
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
}
