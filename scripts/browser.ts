/** A Chromium for the browser tests: one that is there, or one that is installed now. */
import { existsSync } from 'node:fs'
import { chromium } from 'playwright'
import { run } from './build.ts'

/** The one without windows first: tests run a fifth faster in it. */
const usual = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
)

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
      const install = ['apt-get', 'install', '--yes', '--no-install-recommends']
      // Older Debians have no package of the shell.
      await run([...install, 'chromium-headless-shell'], { env }).catch(() => run([...install, 'chromium'], { env }))
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
