/**
 * `node killWithParent.ts program arguments…`, started as the leader of a process group, with a pipe as stdin: runs the
 * program, and ends it and everything that it started when the pipe closes. The pipe closes when the parent ends, even by
 * SIGKILL, so that nothing outlives it.
 */
import { spawn } from 'node:child_process'

const graceMs = 10_000 // 10 seconds
const [program, ...args] = process.argv.slice(2)
const child = spawn(program!, args, { stdio: ['ignore', 'inherit', 'inherit'] })

/** The whole group, including this process. */
const endAll = () => process.kill(-process.pid, 'SIGKILL')
const end = () => {
  child.kill('SIGTERM')
  setTimeout(endAll, graceMs)
}

process.once('SIGTERM', end)
process.stdin.once('close', end).resume()
child.once('error', endAll)
child.once('exit', endAll) // including processes that the program left behind
