/**
 * `npm test`: runs the stages, fastest first. With --all also the tests that take longer. Words choose stages by name or
 * by project of vitest: `npm test -- types domain`. docs/contributing.md says how to run one test file.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runStages } from './runStages.ts'
import { chooseStages, groupsOfLanes, UnknownWord } from './stages.ts'

const { values, positionals } = parseArgs({ options: { all: { type: 'boolean' } }, allowPositionals: true })
const reports = mkdtempSync(join(tmpdir(), 'bursar-test-'))
try {
  const stages = chooseStages(groupsOfLanes({ all: values.all ?? false, reports }), positionals)
  const { failed } = await runStages(stages)
  process.exitCode = failed === 0 ? 0 : 1
} catch (error) {
  if (!(error instanceof UnknownWord)) throw error
  console.error(error.message)
  process.exitCode = 2
} finally {
  rmSync(reports, { recursive: true, force: true })
}
