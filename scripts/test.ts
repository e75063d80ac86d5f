/**
 * `npm test`: everything that must hold, quickest first. Stops at the first stage that fails and shows what it said;
 * the last line sums up all stages. A stage without tests of its own counts as one.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aBeginning } from '../tests/stack/aStack.ts'
import { findBrowser } from './browser.ts'
import { build, ensureBuilt, root, run } from './build.ts'

type Counts = { passed: number; failed: number }
/** What a stage counted, and its output where it failed. */
type Outcome = Counts & { output?: string }
type Stage = { name: string; run: () => Promise<Outcome> }

// Compiled once, not by each of some hundred processes.
process.env.NODE_COMPILE_CACHE ??= join(root, '.bursar/compiled')
const reports = mkdtempSync(join(tmpdir(), 'bursar-test-'))
const one: Outcome = { passed: 1, failed: 0 }

const tool = (name: string, command: string[], cwd = '.'): Stage => ({
  name,
  run: async () => {
    await run(command, { cwd })
    return one
  },
})

/** `shard`: a part of the files, with chains of its own. */
const vitest = (name: string, projects: string[], shard?: `${number}/${number}`): Stage => ({
  name,
  run: async () => {
    const report = join(reports, `${name.replaceAll(/\W/g, '-')}.json`)
    const chosen = projects.flatMap((project) => ['--project', project])
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const part = shard ? [`--shard=${shard}`] : []
    const env = { TEST_RUN: shard?.[0] ?? '' }
    const output = await outputOf(['vitest', 'run', ...chosen, ...part, ...reporters], '.', env)
    const { numPassedTests, numFailedTests, numFailedTestSuites, success } = readReport(report, output) as Report
    return counted(numPassedTests, numFailedTests || (success ? 0 : Math.max(1, numFailedTestSuites)), output)
  },
})
type Report = { numPassedTests: number; numFailedTests: number; numFailedTestSuites: number; success: boolean }

const contractTests: Stage = {
  name: 'contract tests',
  run: async () => {
    const output = await outputOf(['node', 'scripts/forge.ts', 'test'])
    const [, passed, failed] = /: (\d+) tests passed, (\d+) failed/.exec(output) ?? []
    return counted(Number(passed ?? 0), Number(failed ?? 1), output)
  },
}

/** Made here, so that lanes side by side do not make them at once. */
const beginning: Stage = {
  name: 'what a stack starts from',
  run: async () => {
    await ensureBuilt('worker', () => {})
    await aBeginning()
    return one
  },
}

/** Before anything needs one: two stages do, and only one can install it. */
const browser: Stage = {
  name: 'a browser is there',
  run: async () => {
    await findBrowser(console.log)
    return one
  },
}

const browserTests: Stage = {
  name: 'browser tests',
  run: async () => {
    const report = join(reports, 'playwright.json')
    const env = { BROWSER_PATH: await findBrowser(console.log), PLAYWRIGHT_JSON_OUTPUT_NAME: report }
    const config = ['playwright.config.ts', 'tests/e2e/playwright.config.ts'].find((path) =>
      existsSync(join(root, path)),
    )
    const output = await outputOf(
      ['playwright', 'test', ...(config ? ['-c', config] : []), '--reporter=list,json'],
      '.',
      env,
    )
    const { stats } = readReport(report, output) as { stats: { expected: number; unexpected: number; flaky: number } }
    return counted(stats.expected, stats.unexpected + stats.flaky, output)
  },
}

/** The build writes the route tree: what it writes must be what is committed. */
const webBuild: Stage = {
  name: 'web build, route tree is current',
  run: async () => {
    const tree = join(root, 'web/src/routeTree.gen.ts')
    const before = readFileSync(tree, 'utf8')
    await build('web')
    if (readFileSync(tree, 'utf8') !== before)
      throw new Error('web/src/routeTree.gen.ts was stale: commit what the build wrote')
    return one
  },
}

/** Of one group the lanes run side by side, the stages of a lane one after another. */
const groups: Stage[][][] = [
  [
    [
      tool('format and lint', ['biome', 'check', '--error-on-warnings']),
      tool('types', ['tsc', '-p', '.']),
      tool('types of web', ['tsc', '-p', 'web']),
      tool('types of browser tests', ['tsc', '-p', 'tests/e2e']),
    ],
    [webBuild, tool('page sizes', ['node', 'scripts/sizes.ts']), beginning, browser],
    [tool('contracts: format, build, ABI file', ['node', 'scripts/forge.ts', 'check'])],
  ],
  // From here on all is of its own chains and ports. Much of it waits for blocks, while another takes the processor.
  [
    [vitest('gateway tests', ['gateway']), vitest('stack tests', ['stack'])],
    [vitest('worker tests, first third', ['worker'], '1/3')],
    [contractTests, vitest('worker tests, second third', ['worker'], '2/3')],
    [
      vitest('unit tests, Relayer, directories', ['domain', 'web', 'chain', 'relayer', 'directory']),
      vitest('chaos tests', ['chaos']),
    ],
    // The browser tests take longest: what is left by then beside them is mostly waiting.
    [vitest('worker tests, last third', ['worker'], '3/3'), browserTests],
  ],
]

const total: Counts = { passed: 0, failed: 0 }
const startedAt = Date.now()
for (const lanes of groups) {
  await Promise.all(lanes.map(runLane))
  if (total.failed > 0) break
}
rmSync(reports, { recursive: true, force: true })
console.log(`\nin ${seconds(startedAt)}`)
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 ? 0 : 1

async function runLane(lane: Stage[]): Promise<void> {
  for (const stage of lane) if (total.failed === 0) await runStage(stage)
}

async function runStage(stage: Stage): Promise<void> {
  const stageAt = Date.now()
  const outcome = await stage.run().catch(asFailure)
  const { passed, failed, output } = outcome
  total.passed += passed
  total.failed += failed
  const counts = passed + failed > 1 ? `  ${passed} passed` : ''
  console.log(`${failed ? '✕' : '✓'} ${stage.name.padEnd(36)} ${seconds(stageAt).padStart(7)}${counts}`)
  if (failed > 0) console.log(`\n${output ?? ''}`)
}

/** The output, whether the tool found failures or not: its report tells. */
function outputOf(command: string[], cwd = '.', env: Record<string, string> = {}): Promise<string> {
  return run(command, { cwd, env }).catch((error: Error) => error.message)
}

/** No tests at all is a failure: something is wrong with how they are looked for. */
function counted(passed: number, failed: number, output: string): Outcome {
  return { passed, failed: passed + failed === 0 ? 1 : failed, output }
}

function readReport(path: string, output: string): unknown {
  if (!existsSync(path)) throw new Error(output)
  return JSON.parse(readFileSync(path, 'utf8'))
}

function asFailure(error: unknown): Outcome {
  return { passed: 0, failed: 1, output: error instanceof Error ? error.message : String(error) }
}

function seconds(since: number): string {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`
}
