/** Processes that a test or `npm run dev` starts do not outlive it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test, vi } from 'vitest'
import { within } from '../support/patience.ts'

const killWithParent = join(import.meta.dirname, '../../local/stack/killWithParent.ts')
const idle = 'setInterval(() => {}, 1000)'
/** Like wrangler, starts a child and leaves it running on exit. */
const parent = `require('node:child_process').spawn(process.execPath, ['-e', '${idle}'], { stdio: 'ignore' }); ${idle}`
const starter = `
  const { spawn } = require('node:child_process')
  const command = ['--no-warnings', ${JSON.stringify(killWithParent)}, process.execPath, '-e', ${JSON.stringify(parent)}]
  const child = spawn(process.execPath, command, { stdio: ['pipe', 'inherit', 'inherit'], detached: true })
  console.log(child.pid)
  ${idle}`

async function start(): Promise<{ process: ChildProcess; group: number }> {
  const child = spawn(process.execPath, ['-e', starter], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return { process: child, group: Number(line) }
}

/** Returns whether any process of the group is still running. */
function isRunning(group: number): boolean {
  try {
    return process.kill(-group, 0)
  } catch {
    return false
  }
}

test.each([
  ['its starter is killed', (started: Awaited<ReturnType<typeof start>>) => started.process.kill('SIGKILL')],
  ['it receives SIGTERM', (started: Awaited<ReturnType<typeof start>>) => process.kill(started.group, 'SIGTERM')],
])('all processes of a group end when %s', async (_, end) => {
  const started = await start()
  expect(isRunning(started.group)).toBe(true)
  end(started)
  await vi.waitFor(() => expect(isRunning(started.group)).toBe(false), within(15_000))
  started.process.kill('SIGKILL')
})
