/** What `npm test` does about stages that fail, with commands that only exit. */
import { expect, test, vi } from 'vitest'
import { runStages } from '../run/runStages.ts'
import type { Stage } from '../run/stages.ts'

vi.mock('../run/machine.ts', () => ({ measureMachine: () => Promise.resolve(1), mostForPromisedTimes: 1.5 }))

const exits = (code: 0 | 1) => ['node', '-e', `process.exitCode = ${code}`]
/** A stage of ten tests, of which `failed` fail beside others, and alone if `isBroken`. */
function tenTests(failed: number, isBroken = false): Stage {
  const stage = (broken: number, name: string): Stage => ({
    name,
    command: exits(broken > 0 ? 1 : 0),
    counts: () => ({ passed: 10 - broken, failed: broken }),
  })
  const names = Array.from({ length: failed }, (_, i) => ({
    test: `test ${i}`,
    reason: `\u001b[31mseed: ${i}\u001b[39m`,
  }))
  return {
    ...stage(failed, 'tests'),
    again: () => ({ failed: names, stage: stage(isBroken ? failed : 0, 'tests, alone') }),
  }
}

async function run(...stages: Stage[]) {
  const log = vi.spyOn(console, 'log').mockReturnValue()
  const counts = await runStages([stages.map((stage) => [stage]), [[{ name: 'the next group', command: exits(0) }]]])
  const printed = log.mock.calls.join('\n')
  log.mockRestore()
  return { counts, printed }
}

test('tests that fail beside others and pass alone are named, and the run goes on', async () => {
  const { counts, printed } = await run(tenTests(2), tenTests(0))
  expect(counts).toEqual({ passed: 21, failed: 0 })
  expect(printed).toContain('passed alone, but failed beside other tests: test 1\n    seed: 1')
  expect(printed).toContain('the next group')
})

test('tests that fail alone too, or too many of them, fail the run', async () => {
  for (const stage of [tenTests(2, true), tenTests(9)]) {
    const { counts, printed } = await run(stage)
    expect(counts.failed).toBeGreaterThan(0)
    expect(printed).not.toContain('the next group')
    expect(printed).not.toContain('passed alone')
  }
})
