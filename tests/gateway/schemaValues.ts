/** Values generated from JSON schemas: valid ones, and ones with a single fault. */
import fc from 'fast-check'

export type JsonSchema = {
  $ref?: string
  type?: string
  const?: unknown
  enum?: unknown[]
  pattern?: string
  minLength?: number
  maxLength?: number
  oneOf?: JsonSchema[]
  anyOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean
}
type Resolve = (ref: string) => JsonSchema
type Value = fc.Arbitrary<unknown>

/** Generates any value that the schema allows. */
export function validValues(schema: JsonSchema, resolve: Resolve): Value {
  if (schema.$ref) return validValues(resolve(schema.$ref), resolve)
  const variants = schema.oneOf ?? schema.anyOf
  if (variants) return fc.oneof(...variants.map((variant) => validValues(variant, resolve)))
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.properties) {
    const fields = Object.entries(schema.properties).map(([name, field]) => [name, validValues(field, resolve)])
    const requiredKeys = (schema.required ?? []) as never[]
    return fc.record(Object.fromEntries(fields), { requiredKeys })
  }
  if (schema.type !== 'string') throw new Error(`no values for ${JSON.stringify(schema)}`)
  const { minLength = 0, maxLength = 200 } = schema
  if (schema.pattern)
    return fc
      .stringMatching(new RegExp(schema.pattern))
      .filter((text) => text.length >= minLength && text.length <= maxLength)
  return fc.string({ minLength, maxLength, unit: 'grapheme' }).filter((text) => text.length <= maxLength)
}

type Faulty = fc.Arbitrary<{ value: unknown; fault: string }>

/** Generates values with one defect: a field that is missing, unknown, of the wrong type or out of range. */
export function invalidValues(schema: JsonSchema, resolve: Resolve): Faulty {
  if (schema.$ref) return invalidValues(resolve(schema.$ref), resolve)
  const wrongTypes = (types: unknown[]): Faulty =>
    fc.constantFrom(...types).map((value) => ({ value, fault: `${typeof value}` }))
  const variants = schema.oneOf ?? schema.anyOf
  if (variants)
    return fc.oneof(
      ...variants.map((variant) => invalidValues(variant, resolve)),
      wrongTypes([null, 5, 'text', [], { type: 'iban' }, {}]),
    )
  if ('const' in schema || schema.enum) return wrongTypes([null, 7, '', 'something else', {}, []])
  if (schema.properties) {
    const whole = validValues(schema, resolve) as fc.Arbitrary<Record<string, unknown>>
    const missing = (schema.required ?? []).map((name) =>
      whole.map(({ [name]: _, ...rest }) => ({ value: rest as unknown, fault: `without ${name}` })),
    )
    const unknown = fc
      .tuple(whole, fc.constantFrom('currency', 'extra', '__proto', 'metadata', 'Amount', ' amount'))
      .map(([value, name]) => ({ value: { ...value, [name]: 'x' } as unknown, fault: `unknown ${name}` }))
    const inside = Object.entries(schema.properties).map(([name, field]) =>
      fc.tuple(whole, invalidValues(field, resolve)).map(([value, inner]) => ({
        value: { ...value, [name]: inner.value } as unknown,
        fault: `${name}: ${inner.fault}`,
      })),
    )
    return fc.oneof(...missing, unknown, ...inside)
  }
  const { maxLength, minLength, pattern } = schema
  const texts = [
    ...(maxLength ? ['x'.repeat(maxLength + 1), '🦉'.repeat(maxLength + 1)] : []),
    ...(minLength ? [''] : []),
    ...(pattern ? ['', ' ', '-1', '1e3', '\u202e1', 'x'.repeat(5_000), '{{7*7}}', "'; --"] : []),
    'a\u0000b',
  ]
  return fc.oneof(
    wrongTypes([null, 0, 1.5, -1, true, [], {}, ['1']]),
    fc
      .constantFrom(...texts)
      .map((value) => ({ value: value as unknown, fault: `text ${JSON.stringify(value.slice(0, 20))}` })),
  )
}
