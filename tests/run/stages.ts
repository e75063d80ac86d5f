/** The stages of `npm test`, each a separate command, so that its CPU time can be measured. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Counts = { passed: number; failed: number }
export type Stage = {
  name: string
  command: string[]
  env?: Record<string, string>
  /** Reads the counts from the report or the output; null when there is no report. Without it, a stage is one test. */
  counts?: (output: string) => Counts | null
}

type VitestReport = { numPassedTests: number; numFailedTests: number; numFailedTestSuites: number; success: boolean }
type PlaywrightReport = { stats: { expected: number; unexpected: number; flaky: number } }

const tool = (name: string, ...command: string[]): Stage => ({ name, command })

/** By default tsc checks with four threads, each of which works out the same types: twice the CPU seconds. */
const typeCheck = (name: string, project: string) => tool(name, 'tsc', '-p', project, '--singleThreaded')

/** `half`: of their files. Each half has its own chains and workerd. */
export function vitest(name: string, projects: string[], reports: string, half?: 1 | 2): Stage {
  const report = join(reports, `${name.replaceAll(/\W/g, '-')}.json`)
  const chosen = [...projects.flatMap((project) => ['--project', project]), ...(half ? [`--shard=${half}/2`] : [])]
  return {
    name,
    command: ['vitest', 'run', ...chosen, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    ...(half && { env: { TEST_HALF: `${half}` } }),
    counts() {
      const found = readReport<VitestReport>(report)
      if (!found) return null
      const { numPassedTests: passed, numFailedTests, numFailedTestSuites, success } = found
      return { passed, failed: numFailedTests || (success ? 0 : Math.max(1, numFailedTestSuites)) }
    },
  }
}

export const contractTests: Stage = {
  name: 'contract tests',
  command: ['node', 'scripts/forge.ts', 'test'],
  counts(output) {
    const [, passed, failed] = /: (\d+) tests passed, (\d+) failed/.exec(output) ?? []
    return passed === undefined ? null : { passed: Number(passed), failed: Number(failed) }
  },
}

export function browserTests(reports: string): Stage {
  const report = join(reports, 'playwright.json')
  return {
    name: 'browser tests',
    command: ['playwright', 'test', '-c', 'tests/e2e/playwright.config.ts', '--reporter=list,json'],
    env: { PLAYWRIGHT_JSON_OUTPUT_NAME: report },
    counts() {
      const stats = readReport<PlaywrightReport>(report)?.stats
      return stats ? { passed: stats.expected, failed: stats.unexpected + stats.flaky } : null
    },
  }
}

/** Groups run one after another; the lanes of a group side by side; the stages of a lane one after another. */
export const groupsOfLanes = (reports: string): Stage[][][] => [
  [
    [
      tool('format and lint', 'biome', 'check', '--error-on-warnings'),
      typeCheck('types', '.'),
      typeCheck('types of web', 'web'),
      typeCheck('types of browser tests', 'tests/e2e'),
    ],
    [
      tool('web build', 'node', 'tests/run/buildWeb.ts'),
      tool('page sizes', 'node', 'scripts/sizes.ts'),
      tool('Worker bundle, state, browser', 'node', 'tests/run/prepare.ts'),
    ],
    [tool('contracts: format, build, ABI file', 'node', 'scripts/forge.ts', 'check')],
  ],
  // Each of these has its own chains and ports. Most of them wait for blocks while another uses the processor.
  [
    [vitest('gateway tests', ['gateway'], reports), vitest('stack tests', ['stack'], reports)],
    [vitest('worker tests, first half', ['worker'], reports, 1)],
    [vitest('worker tests, second half', ['worker'], reports, 2)],
    [
      contractTests,
      vitest(
        'unit tests, Relayer, directories',
        ['domain', 'treasury', 'web', 'messages', 'chain', 'relayer', 'directory'],
        reports,
      ),
      vitest('chaos tests', ['chaos'], reports),
    ],
    [browserTests(reports)],
  ],
]

function readReport<T>(path: string): T | null {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : null
}
