import type {
  CallToolResult,
  McpServer,
  ScopeChallengeHandler,
  StandardSchemaWithJSON,
  ToolAnnotations,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { AgentPrincipal } from '../appEnv.ts'
import type { Scope } from '../domain/scopes.ts'
import type { Env } from '../env.ts'
import type { Refused, Result } from '../errors.ts'
import { PaymentId, Problem } from '../schemas/payment.ts'
import { missingScope, paymentContext } from '../services/agentPayments.ts'

/** One request to /mcp. `refusedAs` is set by a tool that the Treasury answered as `unauthenticated`. */
export type McpCall = {
  env: Pick<Env, 'TREASURY' | 'API_ORIGIN'>
  agent: AgentPrincipal
  requestId: string
  refusedAs?: Refused
}

/** What a tool answers in place of its output: the problem of /v1 without its HTTP parts. */
export const Refusal = Problem.omit({ type: true, title: true, status: true, instance: true })
export type Refusal = z.infer<typeof Refusal>

export const paymentId = PaymentId.describe('As answered by the pay_ tools and list_payments.')

/** Of the token; what the group allows is the Treasury's to say. Null when that cannot be known, such as of a stranger's id. */
type ScopeNeeded = Scope | ((call: McpCall, args: unknown) => Promise<Scope | null>)

type Spec<Input extends z.ZodType, Output extends z.ZodType> = {
  name: string
  title: string
  description: string
  input: Input
  output: Output
  annotations: ToolAnnotations
  scope: ScopeNeeded
  run: (call: McpCall, input: z.output<Input>) => Promise<Result<z.input<Output>>>
}
export type Tool = { name: string; register: (server: McpServer, call: McpCall) => void }

/**
 * A tool of the server. Its JSON schemas are made once per isolate. Arguments are checked here and not by the SDK, whose
 * refusal is a sentence: ours has a code and says which argument is wrong.
 */
export function tool<Input extends z.ZodType, Output extends z.ZodType>(spec: Spec<Input, Output>): Tool {
  const inputSchema = listedAs(spec.input)
  // Some clients hold refusals against the output schema as well.
  const outputSchema = listedAs(z.union([spec.output, Refusal]))
  const { name, title, description, annotations } = spec
  return {
    name,
    register(server, call) {
      const scopeChallenge = challengeFor(spec.scope, call)
      const config = { title, description, annotations, inputSchema, outputSchema, scopeChallenge }
      server.registerTool(name, config, (args) => answer(spec, call, args))
    },
  }
}

async function answer<Input extends z.ZodType, Output extends z.ZodType>(
  spec: Spec<Input, Output>,
  call: McpCall,
  args: unknown,
): Promise<CallToolResult> {
  const input = spec.input.safeParse(args)
  if (!input.success) return asResult(invalid(call, input.error), true)
  try {
    const result = (await scopeRefusal(spec.scope, call, args)) ?? (await spec.run(call, input.data))
    if (result.ok) return asResult(result.value as object)
    if (result.code === 'unauthenticated') call.refusedAs = result
    return asResult(refusalOf(call, result, args), true)
  } catch (error) {
    // As for REST: logged whole and answered blank.
    console.error('mcp', spec.name, error)
    const next = 'Nothing is known about the outcome: repeat the call with the same arguments.'
    return asResult({ code: 'internal', detail: 'Something went wrong.', request_id: call.requestId, next }, true)
  }
}

/** 403 with the scope (RFC 6750) where another token helps; else the tool answers, and the agent reads whom to ask. */
const challengeFor =
  (needed: ScopeNeeded, call: McpCall): ScopeChallengeHandler =>
  async ({ request }) => {
    const scope = (await scopeRefusal(needed, call, request.params?.arguments))?.stepUpTo
    return scope && { scopes: [scope], errorDescription: `This tool needs the scope ${scope}.` }
  }

/** Null when the token carries the scope. A token that lacks what the group allows now can be replaced by a better one. */
async function scopeRefusal(
  needed: ScopeNeeded,
  call: McpCall,
  args: unknown,
): Promise<(Refused & { stepUpTo?: Scope }) | null> {
  const scope = typeof needed === 'string' ? needed : await needed(call, args)
  const missing = scope && missingScope(call.agent, scope)
  if (!missing) return null
  const context = await paymentContext(call)
  if (!context.ok) return context
  return context.value.policy_group.scopes.includes(scope) ? { ...missing, stepUpTo: scope } : groupLacks(scope)
}

const groupLacks = (scope: Scope): Refused => ({
  ok: false,
  code: 'insufficient_scope',
  message: `The policy group of this agent does not allow this: it needs the scope ${scope}.`,
  refusal: { rule: scope, next: `Ask the owner for the scope ${scope}.`, max_allowed_now: '0' },
})

/** Structured, and the same as text for clients that read only that. */
function asResult(value: object, isError = false): CallToolResult {
  const content = [{ type: 'text' as const, text: JSON.stringify(value) }]
  return { content, structuredContent: value as Record<string, unknown>, ...(isError && { isError }) }
}

function refusalOf(call: McpCall, refused: Refused, args: unknown): Refusal {
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

/** What the Treasury calls a field where a tool's argument has another name. */
const argumentOf: Record<string, string> = {
  'Idempotency-Key': 'idempotency_key',
  toAddress: 'address',
  contactId: 'contact_id',
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

/** JSON Schema 2020-12 of what a client sends or reads; values pass unchecked, see `answer`. */
function listedAs(schema: z.ZodType): StandardSchemaWithJSON {
  const json = { ...z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' }), type: 'object' as const }
  const validate = (value: unknown) => ({ value })
  return {
    '~standard': { version: 1, vendor: 'bursar', validate, jsonSchema: { input: () => json, output: () => json } },
  }
}
