import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * The Worker's log: one JSON object per line with `level`, `event`, `request_id` if there is one, the fields, and an error's
 * name, message, stack and causes. Ids are logged; tokens, codes, email addresses, phone numbers and names never are.
 */

export type LogFields = Record<string, string | number | boolean | null | undefined>

const request = new AsyncLocalStorage<string>()

/** Runs `work` so that everything it logs has the request's id. */
export const withRequestId = <T>(requestId: string, work: () => T): T => request.run(requestId, work)

export const logError = (event: string, fields: LogFields = {}, error?: unknown) =>
  console.error(line('error', event, fields, error))
export const logWarning = (event: string, fields: LogFields = {}, error?: unknown) =>
  console.warn(line('warning', event, fields, error))

function line(level: string, event: string, fields: LogFields, error?: unknown): string {
  const requestId = request.getStore()
  const entry = {
    level,
    event,
    ...(requestId && { request_id: requestId }),
    ...fields,
    ...(error !== undefined && { error: errorFields(error) }),
  }
  return redact(JSON.stringify(entry))
}

const maxCauses = 4

function errorFields(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return withoutParameters(String(error))
  const { name, message, stack, cause } = error
  // The stack begins with name and message.
  const frames = stack
    ?.split('\n')
    .slice(message.split('\n').length)
    .filter((line) => /^ +at /.test(line))
    .join('\n')
  return {
    name,
    message: withoutParameters(message),
    ...(frames && { stack: frames }),
    ...(cause !== undefined && depth < maxCauses && { cause: errorFields(cause, depth + 1) }),
  }
}

/** Removes the parameters, which may be anything that people wrote, from the message of drizzle's DrizzleQueryError. */
const withoutParameters = (text: string) => text.replace(/(Failed query: .*?)\nparams: .*/s, '$1')

/**
 * Patterns of values that must never reach a log. Errors of libraries and vendors may repeat their input. Our own secrets
 * are recognizable by prefix or shape.
 */
const secrets: [RegExp, string][] = [
  [/[^\s"<>(),;:/\\@]{1,254}@[^\s"<>(),;:/\\@]+\.[^\s"<>(),;:/\\@]+/g, '[email]'],
  [/\$scrypt\$[\w$=,+/-]+/g, '[password hash]'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '[token]'],
  [/\b(?:bd|bk|bo|bs|br|bu|re|whsec|pm|sk)_[\w+/=-]{16,}/g, '[secret]'],
  [/(\/claim\/)[\w-]{16,}/g, '$1[token]'],
  [/(#token=)[\w-]+/g, '$1[token]'],
  [/\b(Bearer|Basic) [\w.~+/=-]{8,}/g, '$1 [secret]'],
  [/\+\d{8,15}\b/g, '[phone]'],
]
const redact = (text: string) => secrets.reduce((line, [pattern, mask]) => line.replace(pattern, mask), text)
