import { parseJsonObject } from '#domain/json.ts'

/** What models send as arguments of a tool: null or nothing for what they leave out, and JSON as text. */

type Property = { type?: string; anyOf?: Property[]; oneOf?: Property[] }
/** The published schema of a tool's input, as far as it matters here. */
export type InputSchema = { properties?: Record<string, Property>; required?: string[] }

/**
 * The arguments as the schema describes them: without null or empty text for what is optional, and with the value of JSON text
 * where no text can be meant. The schema itself decides about the rest.
 */
export function plainArguments({ properties = {}, required = [] }: InputSchema, args: unknown): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args
  const plain = Object.entries(args).flatMap(([name, value]) => {
    const isOmitted = value === null || (value === '' && Object.hasOwn(properties, name))
    if (isOmitted && !required.includes(name)) return []
    const types = typesOf(properties[name])
    return [[name, typeof value === 'string' && !types.has('string') ? jsonValueOf(value, types) : value]]
  })
  return Object.fromEntries(plain)
}

function typesOf(property: Property | undefined): Set<string> {
  // What is not known is left as it is.
  if (!property) return new Set(['string'])
  const { type, anyOf = [], oneOf = [] } = property
  return new Set([...(type ? [type] : []), ...[...anyOf, ...oneOf].flatMap((one) => [...typesOf(one)])])
}

function jsonValueOf(text: string, types: Set<string>): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return types.has(typeOf(value)) ? value : text
  } catch {
    return text
  }
}

const typeOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value

/** The message with arguments that are null or JSON text as an object, because the protocol allows no others. */
export function plainMessage(body: string): string {
  const message = parseJsonObject(body)
  const params = message?.method === 'tools/call' && (message.params as Record<string, unknown> | null | undefined)
  if (!params || typeof params !== 'object') return body
  const args = params.arguments
  const plain = args === null ? {} : typeof args === 'string' ? parseJsonObject(args || '{}') : undefined
  return plain ? JSON.stringify({ ...message, params: { ...params, arguments: plain } }) : body
}
