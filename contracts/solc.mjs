#!/usr/bin/env node
// Lets forge use the npm `solc` (WebAssembly): prints the version, or compiles standard JSON from stdin.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

if (process.argv.includes('--version')) {
  // forge asks on every start, and loading the compiler takes most of a second.
  const { version } = createRequire(import.meta.url)('solc/package.json')
  console.log(`solc, the solidity compiler commandline interface\nVersion: ${version}`)
} else {
  const { default: solc } = await import('solc')
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
}
