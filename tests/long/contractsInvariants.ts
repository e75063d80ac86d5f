/**
 * Runs the invariants of the contracts for longer than `npm test` does: 1,000 runs of 200 calls each.
 *
 *   node tests/long/contractsInvariants.ts    a random seed, which is printed
 *   SEED=7 …                                  the runs of that seed
 */
import { randomInt } from 'node:crypto'
import { minuteMs } from '#domain/time.ts'
import { ensureBuilt } from '../../local/tools/build.ts'
import { runTool } from '../../local/tools/runTool.ts'

const seed = Number(process.env.SEED ?? randomInt(1_000_000))
const startedAt = Date.now()
console.log(`seed ${seed}`)
await ensureBuilt('contracts', console.log)
const env = { FOUNDRY_PROFILE: 'test', FOUNDRY_INVARIANT_RUNS: '1000', FOUNDRY_INVARIANT_DEPTH: '200' }
const flags = ['--match-path', 'test/invariant/*', '--fuzz-seed', `0x${seed.toString(16)}`]
const output = await runTool(['forge', 'test', ...flags], { cwd: 'contracts', env })
console.log([...output.matchAll(/^\[PASS\].*$/gm)].join('\n'))
console.log(`seed ${seed}: passed in ${((Date.now() - startedAt) / minuteMs).toFixed(1)} min`)
