/** A Chromium for the browser tests: one that is there, or one that is installed now. */
import { existsSync } from 'node:fs'
import { chromium } from 'playwright'
import { run } from './build.ts'

const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Path of its program. Throws when none could be found or installed. */
export async function findBrowser(say: (line: string) => void): Promise<string> {
  const chosen = process.env.CHROMIUM_PATH
  if (chosen && !existsSync(chosen)) throw new Error(`CHROMIUM_PATH names ${chosen}, where nothing is`)
  const found = chosen || installed()
  if (found) return found
  say('installing a browser …')
  await install()
  return installed() ?? fail()
}

const installed = () => [...usual, chromium.executablePath()].find((path) => existsSync(path))

async function install(): Promise<void> {
  const asRoot = process.getuid?.() === 0
  if (asRoot && existsSync('/usr/bin/apt-get')) {
    const env = { DEBIAN_FRONTEND: 'noninteractive' }
    try {
      await run(['apt-get', 'update'], { env })
      await run(['apt-get', 'install', '--yes', '--no-install-recommends', 'chromium'], { env })
      return
    } catch (error) {
      console.error(`apt-get could not install chromium, trying Playwright's own:\n${error}`)
    }
  }
  await run(['playwright', 'install', 'chromium'])
}

function fail(): never {
  throw new Error('No browser: install Chromium, or set CHROMIUM_PATH to one')
}
