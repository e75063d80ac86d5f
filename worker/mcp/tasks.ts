import {
  type CallToolResult,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

/** The extension of protocol 2026-07-28 for calls that finish later (SEP-2663). Clients declare it with each request. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** Times are ISO 8601. The task can be retrieved for at least `ttlMs` after its creation. */
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

/** Store of tasks. Methods return null or false if there is no such task for this caller. */
export interface Tasks {
  get(taskId: string): Promise<Task | null>
  cancel(taskId: string): Promise<boolean>
  update(taskId: string, inputResponses: Record<string, unknown>): Promise<boolean>
}

const clientCapabilities = z.object({
  'io.modelcontextprotocol/clientCapabilities': z.object({ extensions: z.record(z.string(), z.unknown()) }),
})

/** Whether the response to this request may be a task. */
export const declaresTasks = ({ mcpReq }: ServerContext): boolean => knowsTasks(mcpReq.envelope)

/** Whether a request's `_meta` declares the extension. */
export function knowsTasks(meta: unknown): boolean {
  const declared = clientCapabilities.safeParse(meta)
  return declared.success && tasksExtension in declared.data['io.modelcontextprotocol/clientCapabilities'].extensions
}

/** Throws an error that names the extension unless the request declares it. */
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

/** The result of a call that finishes later. `pending` is the tool's preliminary result. */
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

/** Serves tasks/get, tasks/update and tasks/cancel to clients that declare the extension. */
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
    // The SDK has removed the input responses from the parameters.
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
