/** The stages of `npm test`, each a separate command, so that its CPU time can be measured. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

export type Counts = { passed: number; failed: number }
export type Stage = {
  name: string
  command: string[]
  env?: Record<string, string>
  /** Reads the counts from the report or the output; null when there is no report. Without it, a stage is one test. */
  counts?: (output: string) => Counts | null
  /** What its output says it has left out, such as for want of a program. */
  skipped?: (output: string) => string[]
  /** The projects of vitest that it runs, and the stage that runs only some of them. */
  projects?: string[]
  ofProjects?: (chosen: string[]) => Stage
  /** After a failure: the tests that failed, and the stage that runs them again. Null if the report does not name them. */
  again?: () => Again | null
  /** It measures times that the product promises, which a slow machine cannot meet. */
  isPromise?: true
  /** The same tests with patience, in its place on a machine that is too slow. */
  whenSlow?: Stage
}

/** `reason`: what the test reported, such as the seed of a property. */
export type FailedTest = { test: string; reason: string }
export type Again = { failed: FailedTest[]; stage: Stage }

/** `all`: also the tests that `npm test` leaves to `npm test -- --all`. `reports`: the folder of the runners' reports. */
export type Run = { all: boolean; reports: string }

type VitestReport = {
  numPassedTests: number
  numFailedTests: number
  numFailedTestSuites: number
  success: boolean
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { status: string; title: string; failureMessages: string[] }[]
  }[]
}
type PlaywrightTest = { results: { error?: { message?: string } }[] }
type PlaywrightSuite = { specs: { title: string; ok: boolean; tests: PlaywrightTest[] }[]; suites?: PlaywrightSuite[] }
type PlaywrightReport = { stats: { expected: number; unexpected: number; flaky: number }; suites: PlaywrightSuite[] }

const tool = (name: string, ...command: string[]): Stage => ({ name, command })

/** By default tsc checks with four threads, each of which works out the same types: twice the CPU seconds. */
const typeCheck = (name: string, project: string) => tool(name, 'tsc', '-p', project, '--singleThreaded')

/** More cases and widths, for tests that run in both. */
const inAll = ({ all }: Run): Record<string, string> => (all ? { ALL_TESTS: '1' } : {})

/** Of its output: the lines by which tests say that they were left out. */
const skippedIn = (output: string) =>
  [...stripVTControlCharacters(output).matchAll(/^skipped: (.*)$/gm)].map((match) => match[1]!)

type Part = { half?: 1 | 2; files?: string[] }

/** `half`: of their files. Each half has its own chains and workerd. */
function vitest(run: Run, name: string, projects: string[], part: Part = {}): Stage {
  const { half, files = [] } = part
  const report = join(run.reports, `${name.replaceAll(/\W/g, '-')}.json`)
  const chosen = [
    ...projects.flatMap((project) => ['--project', project]),
    ...(half ? [`--shard=${half}/2`] : []),
    ...(run.all ? [] : ['--tagsFilter=!all']),
    ...files,
  ]
  return {
    name,
    command: ['vitest', 'run', ...chosen, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    env: { ...(half && { TEST_HALF: `${half}` }), ...inAll(run) },
    counts() {
      const found = readReport<VitestReport>(report)
      if (!found) return null
      const { numPassedTests: passed, numFailedTests, numFailedTestSuites, success } = found
      return { passed, failed: numFailedTests || (success ? 0 : Math.max(1, numFailedTestSuites)) }
    },
    skipped: skippedIn,
    again() {
      const broken = readReport<VitestReport>(report)?.testResults.filter(({ status }) => status === 'failed') ?? []
      if (broken.length === 0) return null
      const failed = broken.flatMap(({ name, message, assertionResults }): FailedTest[] => {
        const tests = assertionResults.filter(({ status }) => status === 'failed')
        if (tests.length === 0) return [{ test: name, reason: message }]
        return tests.map(({ title, failureMessages }) => ({ test: title, reason: failureMessages.join('\n') }))
      })
      const stage = vitest(run, alone(name), projects, { files: broken.map((file) => file.name) })
      return { failed, stage }
    },
    projects,
    ofProjects: (some) => vitest(run, name, some, part),
  }
}

const alone = (name: string) => `${name}, alone`

const contractTests: Stage = {
  name: 'contract tests',
  command: ['node', 'scripts/forge.ts', 'test'],
  counts(output) {
    const [, passed, failed] = /: (\d+) tests passed, (\d+) failed/.exec(output) ?? []
    return passed === undefined ? null : { passed: Number(passed), failed: Number(failed) }
  },
}

/** The Python SDK. The tests with a real API are in tests/gateway/python.test.ts. */
const pythonTests: Stage = {
  name: 'python SDK',
  command: ['node', 'tests/run/python.ts'],
  counts: (output) => ({ passed: Number(/^Ran (\d+) tests/m.exec(output)?.[1] ?? 0), failed: 0 }),
  skipped: skippedIn,
}

/**
 * Tags of browser tests: `@core` runs in `npm test`, all others only with --all; `@promised` measures times that the product
 * promises and runs in that stage only, `@promised-too` runs in both, and waits longer in the ordinary one.
 */
function browser(run: Run, name: string, chosen: string[], env: Record<string, string> = {}): Stage {
  const report = join(run.reports, `${name.replaceAll(/\W/g, '-')}.json`)
  return {
    name,
    command: ['playwright', 'test', '-c', 'tests/e2e/playwright.config.ts', '--reporter=list,json', ...chosen],
    env: { ...env, ...inAll(run), PLAYWRIGHT_JSON_OUTPUT_NAME: report },
    counts() {
      const stats = readReport<PlaywrightReport>(report)?.stats
      return stats ? { passed: stats.expected, failed: stats.unexpected + stats.flaky } : null
    },
    again() {
      const failed = readReport<PlaywrightReport>(report)?.suites.flatMap(failedIn) ?? []
      if (failed.length === 0) return null
      return { failed, stage: browser(run, alone(name), [...chosen, '--last-failed', '--workers=1'], env) }
    },
  }
}

const failedIn = ({ specs, suites = [] }: PlaywrightSuite): FailedTest[] => [
  ...specs.filter(({ ok }) => !ok).map(({ title, tests }) => ({ test: title, reason: reasonOf(tests) })),
  ...suites.flatMap(failedIn),
]
const reasonOf = (tests: PlaywrightTest[]) =>
  tests.flatMap(({ results }) => results.flatMap(({ error }) => error?.message ?? [])).join('\n')

const browserTests = (run: Run) =>
  browser(run, 'browser tests', [...(run.all ? [] : ['--grep=@core']), '--grep-invert=@promised(?!-too)'])

/** One after another, so that no test waits for another one's work. */
function promisedTimes(run: Run): Stage[] {
  const chosen = [`--grep=${run.all ? '@promised' : '(?=.*@core).*@promised(?!-too)'}`, '--workers=1']
  const ofApi = { ...vitest(run, 'promised times of the API', ['promised']), isPromise: true as const }
  const ofPages: Stage = {
    ...browser(run, 'promised times of pages', chosen, { PROMISED_TIMES: '1' }),
    isPromise: true,
    whenSlow: browser(run, 'the same pages, with patience', chosen),
  }
  return run.all ? [ofApi, ofPages] : [ofPages]
}

/** Groups run one after another; the lanes of a group side by side; the stages of a lane one after another. */
export const groupsOfLanes = (run: Run): Stage[][][] => [
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
      { ...tool('Worker bundle, state, programs', 'node', 'tests/run/prepare.ts'), skipped: skippedIn },
      pythonTests,
    ],
    [tool('contracts: format, build, ABI file', 'node', 'scripts/forge.ts', 'check')],
  ],
  // Each of these has its own chains and ports. Most of them wait for blocks while another uses the processor.
  [
    [vitest(run, 'gateway tests', ['gateway']), vitest(run, 'stack tests', ['stack'])],
    [vitest(run, 'worker tests, first half', ['worker'], { half: 1 })],
    [vitest(run, 'worker tests, second half', ['worker'], { half: 2 })],
    [
      contractTests,
      vitest(run, 'unit tests, Relayer, directories', [
        ...['domain', 'treasury', 'web', 'messages', 'chain', 'relayer', 'directory'],
      ]),
      vitest(run, 'chaos tests', ['chaos']),
    ],
    [browserTests(run)],
  ],
  [promisedTimes(run)],
]

/**
 * The stages that the words choose: a word is a project of vitest, or else a part of stages' names. Without words, all.
 * Throws if a word matches nothing.
 */
export function chooseStages(groups: Stage[][][], words: string[]): Stage[][][] {
  if (words.length === 0) return groups
  const stages = groups.flat(2)
  const projects = words.filter((word) => stages.some((stage) => stage.projects?.includes(word)))
  const names = words.filter((word) => !projects.includes(word))
  const unknown = names.filter((word) => !stages.some(({ name }) => name.includes(word)))
  if (unknown.length > 0) {
    const known = [
      ...stages.map(({ name }) => `  ${name}`),
      `  ${[...new Set(stages.flatMap((each) => each.projects ?? []))].join(', ')}`,
    ]
    throw new UnknownWord(
      `no stage or project of vitest is named ${unknown.join(' or ')}. There are:\n${known.join('\n')}`,
    )
  }
  const chosen = (stage: Stage): Stage[] => {
    if (names.some((word) => stage.name.includes(word))) return [stage]
    const some = stage.projects?.filter((project) => projects.includes(project)) ?? []
    return some.length > 0 ? [stage.ofProjects!(some)] : []
  }
  return groups.map((lanes) => lanes.map((lane) => lane.flatMap(chosen)))
}

export class UnknownWord extends Error {}

function readReport<T>(path: string): T | null {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : null
}
