/**
 * `node leash.ts program arguments…`, started as a process group of its own with a pipe as stdin: runs the program and
 * ends it, with everything it started, once that pipe closes. It closes when the starter is gone, even by SIGKILL, so
 * nothing outlives it.
 */
import { spawn } from 'node:child_process'

const graceMs = 10_000 // 10 seconds
const [program, ...args] = process.argv.slice(2)
const child = spawn(program!, args, { stdio: ['ignore', 'inherit', 'inherit'] })

/** The whole group, this process too. */
const endAll = () => process.kill(-process.pid, 'SIGKILL')
const end = () => {
  child.kill('SIGTERM')
  setTimeout(endAll, graceMs)
}

process.once('SIGTERM', end)
process.stdin.once('close', end).resume()
child.once('error', endAll)
child.once('exit', endAll) // whatever the program left behind
