import {
  type CallToolResult,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

/** The extension of protocol 2026-07-28 for calls that end later (SEP-2663). A client declares it with each request. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** Times are ISO 8601. `ttlMs`: how long after its creation it can be asked for at least. */
export type Task = {
  createdAt: string
  lastUpdatedAt: string
  ttlMs: number | null
  pollIntervalMs: number
  statusMessage?: string
} & (
  | { status: 'working' | 'cancelled' }
  | { status: 'input_required'; inputRequests: Record<string, unknown> }
  | { status: 'completed'; result: CallToolResult }
  | { status: 'failed'; error: { code: number; message: string } }
)

/** Where tasks live. Null and false: there is no such task for this caller. */
export interface Tasks {
  get(taskId: string): Promise<Task | null>
  cancel(taskId: string): Promise<boolean>
  update(taskId: string, inputResponses: Record<string, unknown>): Promise<boolean>
}

const clientCapabilities = z.object({
  'io.modelcontextprotocol/clientCapabilities': z.object({ extensions: z.record(z.string(), z.unknown()) }),
})

/** May this request be answered with a task? */
export const declaresTasks = ({ mcpReq }: ServerContext): boolean => knowsTasks(mcpReq.envelope)

/** The same of a request's `_meta`. */
export function knowsTasks(meta: unknown): boolean {
  const declared = clientCapabilities.safeParse(meta)
  return declared.success && tasksExtension in declared.data['io.modelcontextprotocol/clientCapabilities'].extensions
}

/** Throws the error that names the extension. */
export function requireTasks(ctx: ServerContext): void {
  if (!declaresTasks(ctx)) throw missingTasks()
}

const missingTasks = () =>
  new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } })

/** The same error as JSON. */
export function needsTasks() {
  const { code, message, data } = missingTasks()
  return { code, message, data }
}

/** The result of a call that ends later. `pending`: what the tool has to say already. */
export function taskCreated(taskId: string, task: Task, pending: Partial<CallToolResult> = {}): CallToolResult {
  const { createdAt, lastUpdatedAt, ttlMs, pollIntervalMs, status, statusMessage } = task
  return {
    content: [],
    ...pending,
    resultType: 'task',
    taskId,
    status,
    createdAt,
    lastUpdatedAt,
    ttlMs,
    pollIntervalMs,
    ...(statusMessage !== undefined && { statusMessage }),
  }
}

const TaskParams = z.object({ taskId: z.string().min(1).max(64) })

/** Serves tasks/get, tasks/update and tasks/cancel, to clients that declare the extension. */
export function serveTasks({ server }: McpServer, tasks: Tasks): void {
  server.registerCapabilities({ extensions: { [tasksExtension]: {} } })
  server.setRequestHandler('tasks/get', { params: TaskParams }, async ({ taskId }, ctx) => {
    requireTasks(ctx)
    const task = await tasks.get(taskId)
    if (!task) throw unknownTask()
    return { taskId, ...task }
  })
  server.setRequestHandler('tasks/update', { params: TaskParams }, async ({ taskId }, ctx) => {
    requireTasks(ctx)
    // The SDK has taken them out of the parameters.
    if (!(await tasks.update(taskId, { ...ctx.mcpReq.inputResponses }))) throw unknownTask()
    return {}
  })
  server.setRequestHandler('tasks/cancel', { params: TaskParams }, async ({ taskId }, ctx) => {
    requireTasks(ctx)
    if (!(await tasks.cancel(taskId))) throw unknownTask()
    return {}
  })
}

const unknownTask = () => new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown task.')
