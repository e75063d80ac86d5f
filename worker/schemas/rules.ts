import { z } from 'zod'
import { normalHostPattern, repeatedHost } from '#domain/rules/hostPatterns.ts'
import { type Input, isTimeOfDay, maxHosts } from '#domain/rules/inputs.ts'
import { isSingle, type Rule } from '#domain/rules/rule.ts'
import { isTimeZone, weekDays } from '#domain/rules/timeZone.ts'
import { anyRules, type RuleEdits, type RuleField, type RuleValues, type WireRules } from '#domain/rules/values.ts'
import { usdcAmount, usdcOrZero } from './common.ts'

/** The schemas and types of rules, from their list (domain/rules/list.ts). */

/** What a rule with a window for the whole group has counted: decimal USDC, or a number of payments. */
type Counted<Value> = Value extends { count: number }
  ? { used: number; remaining: number; startsAt: string; resetsAt: string | null }
  : Value extends { limit: string; whenExceeded: string }
    ? unknown
    : Value extends { limit: string }
      ? {
          used: string
          remaining: string
          startsAt: string
          resetsAt: Value extends { period: string } ? string : string | null
        }
      : unknown

/** The rules of a group in replies. Null (or false, 0) if a rule is off. */
export type RuleViews = {
  [Field in RuleField]: WireRules[Field] extends infer Value
    ? Value extends object
      ? Value extends readonly unknown[]
        ? Value
        : Value & Counted<Value>
      : Value
    : never
}

function inputSchema(input: Input): z.ZodType {
  switch (input.kind) {
    case 'amount':
      return input.zero ? usdcOrZero : usdcAmount
    case 'whole': {
      const error = `${input.error} ${input.least} to ${input.most} ${input.unit}`
      return z.int({ error }).min(input.least, error).max(input.most, error)
    }
    case 'list':
      return list(input)
    case 'hosts':
      return hosts
    case 'switch':
      return z.boolean()
    case 'choice':
      return choice(Object.keys(input.options))
    case 'days':
      return z
        .array(choice(Object.keys(weekDays)))
        .min(1, 'Choose at least one day')
        .transform((days) => Object.keys(weekDays).filter((day) => days.includes(day)))
    case 'time':
      return z.string().refine(isTimeOfDay, 'Enter a time such as 09:00')
    case 'zone':
      return z.string().refine(isTimeZone, 'Enter a time zone such as Europe/Berlin or UTC')
  }
}

const choice = (options: string[]) => z.enum(options as [string, ...string[]])

/** Must not be empty, because an empty list could mean "none" or "any". */
const list = ({ normal, what, example }: Input & { kind: 'list' }) =>
  z
    .array(
      z.string().transform((text, ctx) => {
        const value = normal(text)
        if (value === null) {
          ctx.addIssue({ code: 'custom', message: `“${text.slice(0, 60)}” is not a valid ${what}, such as ${example}` })
          return z.NEVER
        }
        return value
      }),
    )
    .min(1, `Enter at least one ${what}, or send null to allow any`)
    .max(100, `At most 100 entries`)
    .transform((values) => [...new Set(values)].sort())

/** Absent or null: no limit of its own. */
const hosts = z
  .array(
    z.strictObject({
      pattern: z.string().transform((text, ctx) => {
        const pattern = normalHostPattern(text)
        if (pattern !== null) return pattern
        const message = `“${text.slice(0, 60)}” is not a valid host, such as api.example.com or *.example.com`
        ctx.addIssue({ code: 'custom', message })
        return z.NEVER
      }),
      maxAmount: usdcAmount.nullable().default(null),
    }),
  )
  .min(1, 'Enter at least one host, or send null to allow any')
  .max(maxHosts, `At most ${maxHosts} hosts`)
  .superRefine((limits, ctx) => {
    const again = repeatedHost(limits)
    if (again === null) return
    ctx.addIssue({ code: 'custom', path: [again, 'pattern'], message: `“${limits[again]!.pattern}” is listed twice` })
  })

function valueSchema({ inputs, problem }: Rule): z.ZodType {
  if (isSingle(inputs)) return inputSchema(inputs)
  const parts = Object.entries(inputs).map(([name, input]) => {
    const schema = inputSchema(input)
    return [name, name === 'whenExceeded' ? schema.default('refuse') : schema] as const
  })
  return z.strictObject(Object.fromEntries(parts)).superRefine((value, ctx) => {
    const found = problem?.(value as never)
    if (found) ctx.addIssue({ code: 'custom', path: [found.input], message: found.message })
  })
}

type Field<Name extends RuleField> = z.ZodOptional<z.ZodType<RuleValues[Name], WireRules[Name]>>

/** Fields of requests. Absent: unchanged (off for a new group); null, where it is allowed: removed. */
export const ruleFields = Object.fromEntries(
  anyRules.map((rule) => [
    rule.field,
    (rule.off === null ? valueSchema(rule).nullable() : valueSchema(rule)).optional(),
  ]),
) as unknown as { [Name in RuleField]: Field<Name> }

/** The rules among the fields of a request. */
export const rulesIn = (input: RuleEdits): RuleEdits =>
  Object.fromEntries(anyRules.map(({ field }) => [field, input[field as RuleField]])) as RuleEdits
