import {
  type CallToolResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { declaresTasks, requireTasks, serveTasks, type Task, taskCreated } from '../../../worker/mcp/tasks.ts'

/** The task tools of the conformance suite, behind the product's tasks/get, tasks/update and tasks/cancel. */

type Ending = { result: CallToolResult } | { error: { code: number; message: string } }
type Kept = {
  createdAt: number
  /** ms */
  endsAt: number
  ending: (answers: Record<string, unknown>) => Ending
  cancelled: boolean
  asks: Record<string, unknown>
  answers: Record<string, unknown>
}
/** The tasks of this isolate, which handles all requests of one run. */
const kept = new Map<string, Kept>()

const says = (text: string, isError = false): CallToolResult => ({
  resultType: 'complete',
  content: [{ type: 'text', text }],
  ...(isError && { isError }),
})
const elicit = (message: string) => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] },
  },
})

function start(seconds: number, ending: Kept['ending'], asks: Record<string, unknown> = {}): CallToolResult {
  const id = `task_${crypto.randomUUID().replaceAll('-', '')}`
  const now = Date.now()
  kept.set(id, { createdAt: now, endsAt: now + seconds * 1000, ending, cancelled: false, asks, answers: {} })
  return taskCreated(id, stateOf(kept.get(id)!))
}

function stateOf({ createdAt, endsAt, ending, cancelled, asks, answers }: Kept): Task {
  const times = {
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date().toISOString(),
    ttlMs: 3_600_000,
    pollIntervalMs: 100,
  }
  if (cancelled) return { ...times, status: 'cancelled' }
  if (Object.keys(asks).length > 0) return { ...times, status: 'input_required', inputRequests: asks }
  if (Date.now() < endsAt) return { ...times, status: 'working' }
  const end = ending(answers)
  return 'result' in end ? { ...times, status: 'completed', ...end } : { ...times, status: 'failed', ...end }
}

export function registerTaskTools(server: McpServer): void {
  const none = z.object({})
  const ended =
    (text: string, isError = false) =>
    () => ({ result: says(text, isError) })
  server.registerTool(
    'greet',
    { description: 'Greets', inputSchema: z.object({ name: z.string() }) },
    async ({ name }: { name: string }) => says(`Hello, ${name}!`),
  )
  const slow = z.object({ seconds: z.number(), label: z.string().optional() })
  server.registerTool(
    'slow_compute',
    { description: 'Takes its time', inputSchema: slow },
    async ({ seconds, label = '' }: z.output<typeof slow>, ctx: ServerContext) =>
      declaresTasks(ctx) ? start(seconds, ended(`computed ${label}`)) : says(`computed ${label}`),
  )
  server.registerTool(
    'failing_job',
    { description: 'Fails', inputSchema: none },
    async (_: unknown, ctx: ServerContext) => {
      requireTasks(ctx)
      return start(1, ended('the job failed', true))
    },
  )
  server.registerTool(
    'protocol_error_job',
    { description: 'Breaks', inputSchema: none },
    async (_: unknown, ctx: ServerContext) => {
      requireTasks(ctx)
      return start(0, () => ({ error: { code: -32603, message: 'Internal error' } }))
    },
  )
  server.registerTool(
    'confirm_delete',
    { description: 'Asks first', inputSchema: z.object({ filename: z.string() }) },
    async ({ filename }: { filename: string }, ctx: ServerContext) => {
      requireTasks(ctx)
      return start(0, ended(`deleted ${filename}`), { confirm: elicit(`Delete ${filename}?`) })
    },
  )
  server.registerTool(
    'multi_input',
    { description: 'Asks twice', inputSchema: none },
    async (_: unknown, ctx: ServerContext) => {
      requireTasks(ctx)
      return start(0, ended('done'), { first: elicit('First?'), second: elicit('Second?') })
    },
  )
  server.registerTool(
    'test_tool_with_task',
    { description: 'Asks, then takes its time', inputSchema: none },
    async (_: unknown, ctx: ServerContext) => {
      requireTasks(ctx)
      const answer = inputResponse(ctx.mcpReq.inputResponses, 'user_name')
      if (answer.kind === 'elicit') return start(0, ended(`Hello, ${String(answer.content?.name)}!`))
      const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } } }
      const user_name = inputRequired.elicit({ message: 'Your name?', requestedSchema })
      return inputRequired({ inputRequests: { user_name } })
    },
  )
  serveTasks(server, {
    get: async (id) => {
      const task = kept.get(id)
      return task ? stateOf(task) : null
    },
    async cancel(id) {
      const task = kept.get(id)
      if (task && ['working', 'input_required'].includes(stateOf(task).status)) task.cancelled = true
      return task !== undefined
    },
    async update(id, responses) {
      const task = kept.get(id)
      for (const [key, value] of Object.entries(responses))
        if (task && key in task.asks) {
          task.answers[key] = value
          delete task.asks[key]
        }
      return task !== undefined
    },
  })
}
