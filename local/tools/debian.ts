import { existsSync } from 'node:fs'
import { runTool } from './runTool.ts'

/** Whether programs can be installed without asking anybody. */
export const canInstall = (): boolean => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

/** Installs packages of Debian. Throws if that fails. */
export async function installPackages(...names: string[]): Promise<void> {
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  await runTool(['apt-get', 'update'], { env })
  await runTool(['apt-get', 'install', '--yes', '--no-install-recommends', ...names], { env })
}
