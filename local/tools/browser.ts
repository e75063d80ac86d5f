/** Finds a Chromium for the browser tests, or installs one. */
import { existsSync } from 'node:fs'
import { chromium } from 'playwright'
import { canInstall, installPackages } from './debian.ts'
import { runTool } from './runTool.ts'

/** The headless shell first: tests run a fifth faster in it. */
const usualPaths = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
)

/** Returns the path of an installed browser, CHROMIUM_PATH's first; null if none. Throws if CHROMIUM_PATH does not exist. */
export function installedBrowser(): string | null {
  const chosen = process.env.CHROMIUM_PATH
  if (chosen && !existsSync(chosen)) throw new Error(`CHROMIUM_PATH is ${chosen}, which does not exist`)
  return chosen || ([...usualPaths, chromium.executablePath()].find((path) => existsSync(path)) ?? null)
}

/** Returns the path of an installed browser, and installs one if there is none. Throws if that fails. */
export async function findBrowser(say: (line: string) => void): Promise<string> {
  const found = installedBrowser()
  if (found) return found
  say('installing a browser …')
  await install()
  return installedBrowser() ?? fail()
}

async function install(): Promise<void> {
  if (canInstall()) {
    try {
      // Older Debians have no package for the headless shell.
      return await installPackages('chromium-headless-shell').catch(() => installPackages('chromium'))
    } catch (error) {
      console.error(`apt-get could not install chromium, trying Playwright's own:\n${error}`)
    }
  }
  await runTool(['playwright', 'install', 'chromium'])
}

function fail(): never {
  throw new Error('No browser: install Chromium, or set CHROMIUM_PATH to one')
}
