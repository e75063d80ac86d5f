/** Browser tests against one whole stack. `npm test` says where the browser is. */
import { defineConfig } from '@playwright/test'

const flags =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

export default defineConfig({
  testDir: '.',
  globalSetup: './stack.ts',
  outputDir: '../../test-results',
  // Each test makes its own data, or only looks. They wait for blocks half of the time: more of them than cores.
  fullyParallel: true,
  workers: 4,
  forbidOnly: true,
  // For the longest of them; what fails is told by the wait for one thing.
  timeout: 150_000,
  expect: { timeout: 15_000 },
  use: {
    // From stack.ts, which runs before the worker reads this.
    baseURL: process.env.BURSAR_URL,
    viewport: { width: 1400, height: 900 },
    contextOptions: { reducedMotion: 'reduce' }, // frames of motion are most of what a page costs here
    launchOptions: {
      executablePath: process.env.BROWSER_PATH ?? '/usr/bin/chromium-headless-shell',
      args: flags.split(' '),
    },
    screenshot: 'only-on-failure', // a trace of every test costs a third of the time: ask for it with --trace on
  },
})
