/** Reads the config file. */
import { readFileSync } from 'node:fs'
import JSON5 from 'json5'
import type { z } from 'zod'
import { type Config, configSchema } from './configSchema.ts'
import { LaunchError } from './launchError.ts'

/** Returns the config; the defaults without a path. Throws LaunchError with the field and rule of each invalid value. */
export function readConfig(path: string | undefined): Config {
  const given = path === undefined ? {} : parse(path)
  const result = configSchema.safeParse(given, { reportInput: true })
  if (result.success) return result.data
  throw new LaunchError(`${path ?? 'the config'} has invalid values:\n${problems(result.error).join('\n')}`)
}

function parse(path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    throw new LaunchError(`${path} can’t be read. launch/config.example.jsonc shows what belongs there.`)
  }
  try {
    return JSON5.parse(text)
  } catch (error) {
    throw new LaunchError(`${path} is not JSON with comments: ${(error as Error).message.replace('JSON5: ', '')}`)
  }
}

/** '  production.chain.providerAdmin: must be an address …' */
const problems = (error: z.ZodError): string[] =>
  error.issues.flatMap((issue) => {
    const field = issue.path.reduce<string>(
      (path, key) => (typeof key === 'number' ? `${path}[${key}]` : path ? `${path}.${String(key)}` : String(key)),
      '',
    )
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => `  ${field ? `${field}.` : ''}${key}: is not a field`)
    const isMissing = issue.code === 'invalid_type' && issue.input === undefined
    return [`  ${field || 'the file'}: ${isMissing ? 'is missing' : words(issue.message)}`]
  })

/** zod's own words for a wrong type. */
const words = (message: string) =>
  message.replace(/^Invalid input: expected (\w+), received (\w+)$/, 'must be of type $1, not $2')
