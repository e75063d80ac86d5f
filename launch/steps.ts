/** Runs the steps of a launch in order. Each step first checks what already exists. */

import { ensureBuilt } from '../local/tools/build.ts'
import type { State } from './state.ts'

/** Stops the launch with a message that the operator can act on. Contains no secrets. */
export class LaunchError extends Error {
  override name = 'LaunchError'
}

export type Outcome = {
  /** False if everything already existed. */
  changed: boolean
  /** What was done or found, in a few words without secrets. */
  note: string
}

export type Step = {
  name: string
  /** What it does, for the dry run. */
  effect: string
  /** What it costs, for the dry run. */
  cost: string
  /** Can be repeated at any time, even after an interruption. Throws LaunchError if the operator has to act. */
  run(): Promise<Outcome>
}

type Say = (line: string) => void

export function describeSteps(steps: Step[], state: Pick<State, 'steps'>, say: Say): void {
  const done = state.steps()
  say('Dry run: nothing is changed.\n')
  steps.forEach(({ name, effect, cost }, i) => {
    say(`${String(i + 1).padStart(2)}. ${name}${done[name] ? `   (done ${done[name].at}: ${done[name].note})` : ''}`)
    say(`    does:  ${effect}`)
    say(`    costs: ${cost}`)
  })
}

/** Throws LaunchError naming the step that failed; completed steps are kept. */
export async function runSteps(steps: Step[], state: Pick<State, 'noteStep'>, say: Say): Promise<void> {
  for (const [i, step] of steps.entries()) {
    const position = `[${i + 1}/${steps.length}] ${step.name}`
    say(`${position} …`)
    const startedAt = Date.now()
    let outcome: Outcome
    try {
      outcome = await step.run()
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new LaunchError(
        `${position} failed: ${reason}\nThe steps before it are done. Run the same command again to resume here.`,
        { cause: error },
      )
    }
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1)
    const { changed, note } = outcome
    if (changed) state.noteStep(step.name, note)
    say(`${position}: ${changed ? 'done' : 'unchanged'}, ${note} (${seconds} s)`)
  }
}

export const buildStep: Step = {
  name: 'build',
  effect: 'builds the contracts, the pages and the Worker if their sources have changed',
  cost: 'about a minute the first time',
  async run() {
    const built: string[] = []
    for (const target of ['contracts', 'web', 'worker'] as const) await ensureBuilt(target, () => built.push(target))
    return { changed: built.length > 0, note: built.length > 0 ? built.join(', ') : 'already built' }
  },
}
