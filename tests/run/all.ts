/**
 * `npm test`: runs all stages, fastest first. With arguments, as in `npm test -- contract browser`, runs only the stages
 * whose names contain one of them. docs/contributing.md says how to run one test file.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runStages } from './runStages.ts'
import { groupsOfLanes, type Stage } from './stages.ts'

const words = process.argv.slice(2)
const isChosen = ({ name }: Stage) => words.length === 0 || words.some((word) => name.includes(word))

const reports = mkdtempSync(join(tmpdir(), 'bursar-test-'))
const groups = groupsOfLanes(reports).map((lanes) => lanes.map((lane) => lane.filter(isChosen)))
if (groups.flat(2).length === 0) throw new Error(`no stage is named ${words.join(' or ')}`)
const { failed } = await runStages(groups)
rmSync(reports, { recursive: true, force: true })
process.exitCode = failed === 0 ? 0 : 1
