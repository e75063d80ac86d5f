import type { Env } from '../env.ts'
import { AppError } from '../errors.ts'
import { type SettingProblem, settingProblems } from './settingProblems.ts'

/** 'KEK_V1 is missing' */
export const problemText = ({ name, problem }: SettingProblem) => `${name} ${problem}`

/** Cached by environment object; an isolate has one. */
const known = new WeakMap<Env, string[]>()

/** Descriptions of settings that keep this Worker from working. Empty in tests, which set only what they need. */
export function fatalProblems(env: Env): string[] {
  if (env.ENVIRONMENT === 'test') return []
  const found =
    known.get(env) ??
    settingProblems(env)
      .filter(({ fatal }) => fatal)
      .map(problemText)
  known.set(env, found)
  return found
}

/** 'settings: KEK_V1 is missing; CODE_PEPPER must be 32 bytes in hex' */
export const misconfigured = (problems: string[]) => `settings: ${problems.join('; ')}`

/** Throws `unavailable`, whose cause is one line that names the settings. */
export function refuseMisconfigured(env: Env): void {
  const problems = fatalProblems(env)
  if (problems.length > 0)
    throw new AppError('unavailable', 'This server is not set up correctly.', {
      cause: misconfigured(problems),
    })
}
