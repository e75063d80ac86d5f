#!/usr/bin/env node
import { pause } from '../pause.ts'
import { run } from './run.ts'

const stop = new AbortController()
// A payment that was sent is not lost: the call ends with the key to repeat it under.
process.once('SIGINT', () => stop.abort(new Error('interrupted')))

process.exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  isTerminal: process.stdout.isTTY === true,
  out: (text) => void process.stdout.write(`${text}\n`),
  err: (text) => void process.stderr.write(`${text}\n`),
  write: (bytes) => void process.stdout.write(bytes),
  signal: stop.signal,
  clock: { now: Date.now, pause },
})
