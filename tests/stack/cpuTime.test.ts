/** The CPU seconds that `npm test` prints. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { startCpuMeter } from '../run/cpuTime.ts'

/** Uses half a CPU second, whatever else the machine does. */
const burn = 'while (process.cpuUsage().user + process.cpuUsage().system < 500_000) {}'
const inChild = (code: string) =>
  `require('node:child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(code)}]);`

test('CPU seconds of a process include those of all its descendants and of no other process', async () => {
  const meter = startCpuMeter()!
  const start = (code: string) => {
    const child = spawn(process.execPath, ['-e', code], { stdio: 'ignore' })
    return { seconds: meter.follow(child.pid!), ended: once(child, 'exit') }
  }
  const busy = start(inChild(inChild(burn)) + burn)
  const idle = start('')
  await Promise.all([busy.ended, idle.ended])
  expect(busy.seconds()).toBeGreaterThan(0.95)
  expect(busy.seconds()).toBeLessThan(3)
  expect(idle.seconds()).toBeLessThan(0.6)
  meter.stop()
})
