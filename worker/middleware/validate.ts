import { zValidator } from '@hono/zod-validator'
import type { ValidationTargets } from 'hono'
import { z } from 'zod'
import { AppError } from '../errors.ts'

// Applies only to schemas that do not define their own message.
z.config({ customError: describeIssue })

/**
 * Validates one part of the request, which the route then reads with `c.req.valid(target)`. Throws `invalid_input` with the
 * first problem, as a sentence for people, and its `field` (dotted path).
 */
export const validate = <Target extends keyof ValidationTargets, Schema extends z.ZodType>(
  target: Target,
  schema: Schema,
) =>
  zValidator(target, schema, (result) => {
    if (result.success) return
    const issue = result.error.issues[0]
    const field = issue?.path.map(String).join('.')
    throw new AppError('invalid_input', issue?.message ?? 'The request is not valid.', field ? { field } : {})
  })

function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  const key = issue.path?.findLast((part) => typeof part === 'string')
  if (key === undefined && issue.code === 'invalid_type') return 'The request body must be a JSON object.'
  const name = sentenceCase(String(key ?? 'request'))
  if (issue.code === 'unrecognized_keys') return `Unknown field: ${issue.keys.slice(0, 5).join(', ').slice(0, 100)}`
  if (issue.code === 'invalid_type' && issue.input === undefined) return `${name} is required`
  if (issue.code === 'invalid_type') return `${name} must be ${typeNames[issue.expected] ?? 'of a different type'}`
  if (issue.code === 'too_big') return `${name} is too ${issue.origin === 'string' ? 'long' : 'large'}`
  if (issue.code === 'too_small') return issue.origin === 'string' ? `${name} is required` : `${name} is too small`
  return `${name} is not valid`
}

const typeNames: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

/** newPassword → New password */
const sentenceCase = (key: string) =>
  key
    .replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`)
    .replace(/^./, (c) => c.toUpperCase())
