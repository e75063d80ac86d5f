/**
 * Measures which lines, branches and functions of contracts/src the contract tests reach, on builds without the optimizer.
 * Fails unless they reach all of them, except those listed here.
 *
 *   node tests/long/contractsCoverage.ts
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, runTool } from '../../local/tools/runTool.ts'

/** Source text of a line that no test can reach, and why. contracts/test/CHECKLIST.md repeats the reasons. */
const unreachable: { path: string; line: string; kind: 'branch'; reason: string }[] = [
  {
    path: 'src/usdc/UsdcAccounts.sol',
    line: 'require(!isBlacklisted(account), "FiatTokenV2_2: Account is blacklisted");',
    kind: 'branch',
    reason: 'every caller has already refused blacklisted accounts; Circle checks twice as well',
  },
]

const report = join(root, '.bursar/lcov.info')
const env = { FOUNDRY_PROFILE: 'test', CONTRACT_BUILDS: 'tests', FOUNDRY_FUZZ_RUNS: '64', FOUNDRY_INVARIANT_RUNS: '16' }
await runTool(['forge', 'coverage', '--report', 'lcov', '--report-file', report], { cwd: 'contracts', env })

type Miss = { path: string; line: number; kind: string; text: string }
const misses: Miss[] = []
const counts = new Map<string, { found: number; hit: number }>()
for (const record of readFileSync(report, 'utf8').split('end_of_record')) {
  const path = /^SF:(.*)$/m.exec(record)?.[1]
  if (!path?.startsWith('src/')) continue
  const lines = readFileSync(join(root, 'contracts', path), 'utf8').split('\n')
  const note = (kind: string, line: number, hits: string) => {
    const count = counts.get(kind) ?? { found: 0, hit: 0 }
    const isHit = hits !== '0' && hits !== '-'
    counts.set(kind, { found: count.found + 1, hit: count.hit + (isHit ? 1 : 0) })
    if (!isHit) misses.push({ path, line, kind, text: lines[line - 1]!.trim() })
  }
  for (const [, line, hits] of record.matchAll(/^DA:(\d+),(\d+)/gm)) note('line', Number(line), hits!)
  for (const [, line, hits] of record.matchAll(/^BRDA:(\d+),\d+,\d+,(\d+|-)/gm)) note('branch', Number(line), hits!)
  const lineOf = new Map([...record.matchAll(/^FN:(\d+),(.*)$/gm)].map(([, line, name]) => [name!, Number(line)]))
  for (const [, hits, name] of record.matchAll(/^FNDA:(\d+),(.*)$/gm)) note('function', lineOf.get(name!)!, hits!)
}

for (const [kind, { found, hit }] of counts) console.log(`${kind.padEnd(10)}${hit} of ${found}`)
for (const miss of misses) {
  const known = unreachable.find(
    ({ path, line, kind }) => path === miss.path && line === miss.text && kind === miss.kind,
  )
  console.log(`${miss.path}:${miss.line} ${miss.kind} not reached: ${known?.reason ?? miss.text}`)
  if (!known) process.exitCode = 1
}
if (counts.size === 0) throw new Error('forge reported no coverage of contracts/src')
