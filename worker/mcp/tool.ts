import type {
  CallToolResult,
  McpServer,
  ScopeChallengeHandler,
  StandardSchemaWithJSON,
  ToolAnnotations,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { parseIdempotencyKey } from '#domain/idempotencyKey.ts'
import type { Scope } from '#domain/scopes.ts'
import { PaymentId, Problem } from '#schemas/payment.ts'
import type { AgentPrincipal } from '../appEnv.ts'
import type { Env } from '../env.ts'
import { isUpdating, toAppError } from '../failure.ts'
import { logError } from '../observability/log.ts'
import { type Refused, type Result, refuse } from '../result.ts'
import { missingScope, paymentContext } from '../services/agentPayments.ts'
import { type InputSchema, plainArguments } from './arguments.ts'
import { cardMeta } from './card/card.ts'
import { declaresTasks, type Task, taskCreated } from './tasks.ts'

/** One request to /mcp. A tool sets `rejected` if the Treasury refuses the agent's credentials. */
export type McpCall = {
  env: Pick<Env, 'TREASURY' | 'API_ORIGIN' | 'APP_ORIGIN'>
  agent: AgentPrincipal
  requestId: string
  rejected?: Refused
}

/** Returned instead of a tool's output: a /v1 problem without the HTTP-specific fields. */
export const Refusal = Problem.omit({ type: true, title: true, status: true, instance: true })
export type Refusal = z.infer<typeof Refusal>

/** The argument that is a header of the REST API. */
export const idempotencyKey = (description: string) =>
  z
    .string()
    .transform((text, ctx) => {
      const key = parseIdempotencyKey(text)
      if (key === null)
        ctx.addIssue({ code: 'custom', message: 'idempotency_key must be 1 to 255 visible ASCII characters' })
      return key ?? z.NEVER
    })
    .meta({ description, minLength: 1, maxLength: 255 })

export const paymentId = PaymentId.describe('The id that a pay_ tool or list_payments returned.')

/** The scope that the token must have. Null if it cannot be determined, for example for another agent's payment id. */
type RequiredScope = Scope | ((call: McpCall, args: unknown) => Promise<Scope | null>)

type Spec<Input extends z.ZodType, Output extends z.ZodType> = {
  name: string
  title: string
  description: string
  input: Input
  output: Output
  annotations: ToolAnnotations
  scope: RequiredScope
  run: (call: McpCall, input: z.output<Input>) => Promise<Result<z.input<Output>>>
  /** For clients that support tasks: the task that the result starts, or null if the result is final. */
  taskOf?: (output: z.input<Output>) => { id: string; task: Task } | null
  /** For clients that support MCP Apps: the result is shown as a card. */
  hasCard?: boolean
}
export type Tool = { name: string; register: (server: McpServer, call: McpCall) => void }

/**
 * Creates a tool. Its JSON schemas are generated once per isolate. Arguments are validated here rather than by the SDK, so
 * that errors have a code and name the argument.
 */
export function tool<Input extends z.ZodType, Output extends z.ZodType>(spec: Spec<Input, Output>): Tool {
  const input = jsonSchemaOf(spec.input)
  const inputSchema = published(input)
  // Some clients validate refusals against the output schema as well.
  const outputSchema = published(jsonSchemaOf(z.union([spec.output, Refusal])))
  const { name, title, description, annotations } = spec
  const _meta = spec.hasCard ? { _meta: cardMeta } : {}
  return {
    name,
    register(server, call) {
      const plain = (args: unknown) => plainArguments(input as InputSchema, args)
      const scopeChallenge = challengeFor(spec.scope, call, plain)
      const config = { title, description, annotations, inputSchema, outputSchema, scopeChallenge, ..._meta }
      server.registerTool(name, config, (args, ctx) => run(spec, call, plain(args), declaresTasks(ctx)))
    },
  }
}

async function run<Input extends z.ZodType, Output extends z.ZodType>(
  spec: Spec<Input, Output>,
  call: McpCall,
  args: unknown,
  knowsTasks: boolean,
): Promise<CallToolResult> {
  const input = spec.input.safeParse(args)
  if (!input.success) return toResult(invalid(call, input.error), true)
  try {
    const result = (await scopeRefusal(spec.scope, call, args)) ?? (await spec.run(call, input.data))
    if (result.ok) {
      const pending = knowsTasks ? spec.taskOf?.(result.value) : null
      const shown = toResult(result.value as object)
      return pending ? taskCreated(pending.id, pending.task, shown) : shown
    }
    if (result.code === 'unauthenticated') call.rejected = result
    return toResult(toolRefusal(call, result, args), true)
  } catch (error) {
    // As for REST, the details are logged and not sent.
    logError('mcp_tool_failed', { tool: spec.name }, error)
    if (isUpdating(error)) {
      const { code, message, retryAfter } = toAppError(error)
      return toResult(toolRefusal(call, refuse(code, message, { retryAfter: retryAfter! }), args), true)
    }
    const next = 'The outcome is unknown. Repeat the call with the same arguments.'
    return toResult({ code: 'internal', detail: 'Something went wrong.', request_id: call.requestId, next }, true)
  }
}

/** Responds 403 with the scope (RFC 6750) if another token would help. Otherwise the tool's result says to ask the owner. */
const challengeFor =
  (required: RequiredScope, call: McpCall, plain: (args: unknown) => unknown): ScopeChallengeHandler =>
  async ({ request }) => {
    const scope = (await scopeRefusal(required, call, plain(request.params?.arguments)))?.stepUpTo
    return scope && { scopes: [scope], errorDescription: `This tool needs the scope ${scope}.` }
  }

/** Null if the token has the scope. `stepUpTo` is set if the group allows the scope, so that a new token could have it. */
async function scopeRefusal(
  required: RequiredScope,
  call: McpCall,
  args: unknown,
): Promise<(Refused & { stepUpTo?: Scope }) | null> {
  const scope = typeof required === 'string' ? required : await required(call, args)
  const missing = scope && missingScope(call.agent, scope)
  if (!missing) return null
  const context = await paymentContext(call, {})
  if (!context.ok) return context
  return context.value.policy_group.scopes.includes(scope) ? { ...missing, stepUpTo: scope } : groupLacks(scope)
}

const groupLacks = (scope: Scope): Refused => ({
  ok: false,
  code: 'insufficient_scope',
  message: `The agent's policy group does not allow this: it lacks the scope ${scope}.`,
  refusal: { rule: scope, next: `Ask the owner to add the scope ${scope}.`, max_allowed_now: '0' },
})

/** Structured content, repeated as text for clients that read only text. */
function toResult(value: object, isError = false): CallToolResult {
  const content = [{ type: 'text' as const, text: JSON.stringify(value) }]
  return { content, structuredContent: value as Record<string, unknown>, ...(isError && { isError }) }
}

function toolRefusal(call: McpCall, refused: Refused, args: unknown): Refusal {
  const { code, message, field, retryAfter, refusal } = refused
  const { id, ...figures } = refusal ?? {}
  const argument = field && (argumentOf[field] ?? field)
  const isGiven = argument && Object.hasOwn(Object(args), argument)
  return {
    code,
    detail: message,
    request_id: call.requestId,
    ...figures,
    ...(id && { payment_id: id }),
    ...(retryAfter && { next: `Try again in ${retryAfter} seconds.` }),
    ...(isGiven && !refusal && { errors: [{ pointer: `/${argument}`, detail: message }] }),
  }
}

/** Names of tool arguments that differ from the fields of /v1. */
const argumentOf: Record<string, string> = {
  'Idempotency-Key': 'idempotency_key',
  'to.address': 'address',
  'to.contactId': 'contact_id',
  'to.phone': 'phone',
}

function invalid(call: McpCall, { issues }: z.ZodError): Refusal {
  const errors = issues.map(({ path, message }) => ({ pointer: `/${path.map(String).join('/')}`, detail: message }))
  return {
    code: 'invalid_input',
    detail: errors[0]?.detail ?? 'The arguments are not valid.',
    request_id: call.requestId,
    errors: errors.slice(0, 20),
  }
}

/** JSON Schema 2020-12 */
const jsonSchemaOf = (schema: z.ZodType) => ({
  ...z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' }),
  type: 'object' as const,
})

/** Only for publication; `run` validates. */
function published(json: ReturnType<typeof jsonSchemaOf>): StandardSchemaWithJSON {
  const validate = (value: unknown) => ({ value })
  return {
    '~standard': { version: 1, vendor: 'bursar', validate, jsonSchema: { input: () => json, output: () => json } },
  }
}
