import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { root, runTool } from '../../local/tools/runTool.ts'
import { factorVariable } from '../support/patience.ts'
import { startCpuMeter } from './cpuTime.ts'
import { measureMachine, mostForPromisedTimes } from './machine.ts'
import type { Again, Counts, FailedTest, Stage } from './stages.ts'

/** A machine that others use too becomes slower while the tests run, and a limit costs nothing until something hangs. */
const margin = 2

/** More failures than these have a reason that they share. */
const mostAgain = 8

/**
 * Runs groups of lanes of stages. Prints a line for each stage, and the output of one that fails; starts no stage after
 * that. A few tests that failed beside others run once more at the end of their group, alone: if they pass, they were too
 * slow or waited for the wrong thing, or met a random case: the summary names them and what they reported. Then prints what all of it took: seconds, CPU seconds of
 * all processes, how slow the machine was, what was not measured because of that, what was skipped, and the sum of tests
 * as the last line.
 */
export async function runStages(groups: Stage[][][]): Promise<Counts> {
  // Compiles modules once, not in each of some hundred processes.
  process.env.NODE_COMPILE_CACHE ??= join(root, '.bursar/compiled')
  let factor = 1
  const notMeasured: string[] = []
  const skipped: string[] = []
  const passedAlone: FailedTest[] = []
  const again: (Again & { output: string })[] = []
  const meter = startCpuMeter()
  const total: Counts = { passed: 0, failed: 0 }
  const startedAt = Date.now()
  let cpuSeconds = 0

  const runStage = async (stage: Stage) => {
    const stageStartedAt = Date.now()
    let cpuOfStage = () => 0
    const started = (pid: number) => {
      if (meter) cpuOfStage = meter.follow(pid)
    }
    const outcome = await outcomeOf(stage, started)
    cpuSeconds += cpuOfStage()
    const repeat = outcome.failed > 0 ? stage.again?.() : null
    const isRepeated = repeat && repeat.failed.length <= mostAgain
    if (isRepeated) again.push({ ...repeat, output: outcome.output })
    total.passed += outcome.passed
    total.failed += isRepeated ? 0 : outcome.failed
    skipped.push(...outcome.skipped)
    const counts = outcome.passed + outcome.failed > 1 ? `${outcome.passed} passed` : ''
    const columns = [
      stage.name.padEnd(36),
      secondsSince(stageStartedAt).padStart(9),
      cpuText(cpuOfStage()).padStart(13),
    ]
    console.log(`${outcome.failed ? '✕' : '✓'} ${columns.join('')}  ${counts}`.trimEnd())
    if (isRepeated) for (const { test } of repeat.failed) console.log(`    failed, and runs again alone: ${test}`)
    else if (outcome.failed > 0) console.log(`\n${outcome.output}`)
    return outcome
  }
  const runLane = async (lane: Stage[]) => {
    for (const stage of lane) {
      if (total.failed > 0) return
      const now = stage.isPromise ? await measureMachine() : 1
      if (now <= mostForPromisedTimes) await runStage(stage)
      else {
        notMeasured.push(`${stage.name}, because the machine is ${now} times as slow as two idle cores`)
        if (stage.whenSlow) await runStage(stage.whenSlow)
      }
    }
  }

  for (const lanes of groups.filter((each) => each.flat().length > 0)) {
    factor = Math.max(factor, await measureMachine())
    process.env[factorVariable] = String(factor * margin)
    await Promise.all(lanes.map(runLane))
    for (const { stage, failed, output } of again.splice(0)) {
      const { again: _, ...last } = stage
      const { passed } = total
      if (total.failed === 0 && (await runStage(last)).failed === 0) {
        total.passed = passed + failed.length
        passedAlone.push(...failed)
      } else {
        total.failed ||= failed.length
        console.log(`\n${output}`)
      }
    }
    if (total.failed > 0) break
  }
  meter?.stop()
  const { user, system } = process.cpuUsage()
  const cpu = meter ? `, ${cpuText(cpuSeconds + (user + system) / 1e6)} of all processes` : ''
  console.log(`\nin ${secondsSince(startedAt)}${cpu}; time limits × ${factor * margin}`)
  for (const each of notMeasured) console.log(`not measured: ${each}`)
  for (const { test, reason } of passedAlone)
    console.log(`passed alone, but failed beside other tests: ${test}${firstLines(reason)}`)
  for (const each of new Set(skipped)) console.log(`skipped: ${each}`)
  console.log(`${total.passed} passed, ${total.failed} failed`)
  return total
}

/** A stage that reports no tests at all has failed: something is wrong with how they are found. */
async function outcomeOf(
  { command, env = {}, counts, skipped }: Stage,
  started: (pid: number) => void,
): Promise<Counts & { output: string; skipped: string[] }> {
  try {
    const output = await runTool(command, { env, started })
    const { passed, failed } = counts ? (counts(output) ?? { passed: 0, failed: 1 }) : { passed: 1, failed: 0 }
    const left = skipped?.(output) ?? []
    return { passed, failed: passed + failed + left.length === 0 ? 1 : failed, output, skipped: left }
  } catch (error) {
    const output = error instanceof Error ? error.message : String(error)
    const { passed, failed } = counts?.(output) ?? { passed: 0, failed: 1 }
    return { passed, failed: Math.max(1, failed), output, skipped: [] }
  }
}

/** Enough for the seed and the counterexample of a property, or for what a page's assertion expected and received. */
const firstLines = (reason: string) =>
  stripVTControlCharacters(reason)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, 8)
    .map((line) => `\n    ${line.slice(0, 500)}`)
    .join('')

const secondsSince = (since: number) => `${((Date.now() - since) / 1000).toFixed(1)} s`
const cpuText = (seconds: number) => `${seconds.toFixed(1)} CPU s`
