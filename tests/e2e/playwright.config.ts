/** Browser tests against one whole stack, in the browser that `npm test` installs if there is none. */
import { defineConfig } from '@playwright/test'
import { installedBrowser } from '../../local/tools/browser.ts'
import { patient, within } from '../support/patience.ts'
import { thorough } from './thorough.ts'

const flags =
  '--no-sandbox --disable-gpu --in-process-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

/** A page lives for seconds: optimizing its scripts, and collecting its garbage on other threads, costs more than it saves. */
const engineFlags = '--js-flags=--single-threaded,--no-opt,--no-maglev,--no-flush-bytecode'

export default defineConfig({
  testDir: '.',
  testIgnore: thorough ? [] : ['large.spec.ts', 'locales.spec.ts'],
  globalSetup: './stack.ts',
  outputDir: '../../test-results',
  // Each test makes its own data, or only reads. They wait for blocks half of the time: more of them than cores.
  fullyParallel: true,
  workers: 3,
  forbidOnly: true,
  // For the longest test; a failure shows sooner, as an expectation that times out.
  ...within(150_000),
  expect: within(15_000),
  use: {
    // Set by stack.ts, which runs before a worker reads this.
    baseURL: process.env.BURSAR_URL,
    viewport: { width: 1400, height: 900 },
    // An action that waits longer would never be possible.
    actionTimeout: patient(45_000),
    // A new context for each test would start a renderer and compile the app again.
    reuseContext: true,
    contextOptions: { reducedMotion: 'reduce' }, // frames of motion would be most of a page's cost
    launchOptions: {
      executablePath: installedBrowser() ?? '',
      args: [...flags.split(' '), engineFlags],
    },
    // Tracing every test adds a third of the time: use --trace on. With 'only-on-failure', Playwright takes a picture
    // after every test and deletes those of the passed ones; fixtures.ts takes them of failed ones only.
    screenshot: 'off',
  },
})
