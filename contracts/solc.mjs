#!/usr/bin/env node
// Lets forge use the npm `solc` (WebAssembly): answers `--version`, otherwise compiles standard JSON from stdin.
import { readFileSync } from 'node:fs'
import solc from 'solc'

if (process.argv.includes('--version')) {
  console.log('solc, the solidity compiler commandline interface')
  console.log(`Version: ${solc.version()}`)
} else {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
}
