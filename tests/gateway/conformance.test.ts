/**
 * Runs the MCP conformance suites against a fixture behind the product's /mcp, and against the product's tools.
 *
 * @module-tag all
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runClient } from '../support/clients.ts'
import { patient } from '../support/patience.ts'
import { createSender } from '../support/stackClient.ts'
import { createTestStack, type TestStack } from '../support/testStack.ts'
import { startBearerProxy } from './conformance/bearerProxy.ts'
import { createAgent, url } from './gateway.ts'

type Proxy = Awaited<ReturnType<typeof startBearerProxy>>

let stack: TestStack
let fixture: Proxy
let product: Proxy
const results = mkdtempSync(join(tmpdir(), 'bursar-conformance-'))

beforeAll(async () => {
  stack = await createTestStack({ entry: 'tests/gateway/conformance/worker.ts' })
  const { agents } = await createSender(stack, { funds: '1', limit: 1 })
  fixture = await startBearerProxy(stack.url, agents[0]!.apiKey)
  product = await startBearerProxy(url, (await createAgent()).apiKey)
}, patient(180_000))
afterAll(async () => {
  await product?.stop()
  await fixture?.stop()
  await stack?.stop()
  rmSync(results, { recursive: true, force: true })
})

const suite = '@modelcontextprotocol/conformance/dist/index.js'
const legacySuite = 'conformance-legacy/dist/index.js'
const file = (name: string) => join(import.meta.dirname, 'conformance', name)
const nodeOptions = { NODE_OPTIONS: `--import=${pathToFileURL(file('patientTimers.ts'))}` }

async function conform(program: string, proxy: Proxy, ...args: string[]) {
  const output = ['--output-dir', join(results, randomUUID())]
  const done = await runClient(program, ['server', '--url', `${proxy.url}/mcp`, ...args, ...output], nodeOptions)
  const report = done.stdout + done.stderr
  const failed = report.split('\n').filter((line) => /^✗|[1-9]\d* failed/.test(line)) // a summary shows the first lines
  expect(done.code, [...failed, report].join('\n')).toBe(0)
  return done.stdout
}

test(
  'the MCP fixture meets every requirement of revision 2026-07-28, without exceptions @mcp-23',
  async () => {
    const expected = ['--expected-failures', file('expected-failures.2026-07-28.yml')]
    const report = await conform(suite, fixture, '--requirements', '2026-07-28', ...expected)
    // 37 scenarios are required; the others (tasks, x-mcp-header) are reported but not counted.
    expect(report.match(/^✓ [\w-]+: [1-9]\d* passed, 0 failed$/gm)?.length).toBeGreaterThanOrEqual(37)
  },
  patient(240_000),
)

test(
  'the MCP fixture passes revision 2025-11-25, except for the listed scenarios that need a session @mcp-24',
  async () => {
    const expected = ['--expected-failures', file('expected-failures.2025-11-25.yml')]
    await conform(legacySuite, fixture, '--suite', 'active', ...expected)
  },
  patient(240_000),
)

test.each(['tools-list', 'server-stateless', 'http-header-validation', 'dns-rebinding-protection'])(
  'the product passes the MCP conformance scenario %s @mcp-25',
  async (scenario) => {
    const expected = ['--expected-failures', file('expected-failures.product.yml')]
    await conform(suite, product, '--scenario', scenario, '--spec-version', '2026-07-28', ...expected)
  },
)

/** `npm run test:long conformance` also runs the others; each scenario starts the suite separately. */
const taskScenarios = ['tasks-lifecycle', 'tasks-mrtr-input']
const otherTaskScenarios = [
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-composition',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-required-task-error',
  'tasks-status-notifications',
]

test.each(process.env.CONFORMANCE_LONG ? [...taskScenarios, ...otherTaskScenarios] : taskScenarios)(
  'the MCP fixture passes the tasks extension’s scenario %s @mcp-30',
  async (scenario) => {
    const expected = ['--expected-failures', file('expected-failures.tasks.yml')]
    const version = ['--spec-version', '2026-07-28', '--force'] // no version lists extensions
    const report = await conform(suite, fixture, '--scenario', scenario, ...version, ...expected)
    expect(report).not.toContain('SKIPPED: scenario')
  },
  patient(120_000),
)
