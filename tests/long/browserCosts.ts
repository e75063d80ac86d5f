/**
 * What each file of browser tests costs: CPU seconds of the browser, of Playwright and of the stack together. Tests run one
 * at a time, so that a second belongs to one test. Arguments go to Playwright: `browserCosts.ts --grep @core`.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { root } from '../../local/tools/runTool.ts'
import { startCpuMeter } from '../run/cpuTime.ts'

const config = ['-c', 'tests/e2e/playwright.config.ts', '--workers=1', '--reporter=./tests/long/testBoundaries.ts']
const child = spawn('playwright', ['test', ...config, ...process.argv.slice(2)], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
  env: { ...process.env, PATH: `${root}/node_modules/.bin:${process.env.PATH}` },
})
const meter = startCpuMeter()
if (!meter) throw new Error('this machine has no /proc')
const cpuSeconds = meter.follow(child.pid!)

const costs = new Map<string, { tests: number; seconds: number }>()
let before = 0
for await (const line of createInterface({ input: child.stdout })) {
  const [, kind, file, title] = /^(begin|end) (\S+) (.*)$/.exec(line) ?? []
  if (!kind) {
    console.log(line)
    continue
  }
  const now = cpuSeconds()
  if (kind === 'end') {
    const cost = costs.get(file!) ?? { tests: 0, seconds: 0 }
    costs.set(file!, { tests: cost.tests + 1, seconds: cost.seconds + now - before })
    console.log(`${(now - before).toFixed(2).padStart(7)}  ${file} ${title}`)
  }
  before = now
}
meter.stop()
console.log('\nCPU s   tests  file')
const sorted = [...costs].sort(([, a], [, b]) => b.seconds - a.seconds)
for (const [file, { tests, seconds }] of sorted)
  console.log(`${seconds.toFixed(1).padStart(6)}  ${String(tests).padStart(5)}  ${file}`)
const total = sorted.reduce(
  (sum, [, cost]) => ({ tests: sum.tests + cost.tests, seconds: sum.seconds + cost.seconds }),
  {
    tests: 0,
    seconds: 0,
  },
)
console.log(`${total.seconds.toFixed(1).padStart(6)}  ${String(total.tests).padStart(5)}  all`)
