import { z } from 'zod'
import { waitForApprovals } from '../services/agentPayments.ts'
import { paymentTasks } from './paymentTasks.ts'
import { knowsTasks, needsTasks, type Tasks } from './tasks.ts'
import type { McpCall } from './tool.ts'

/** Status notifications of tasks: `subscriptions/listen` with the task ids that the tasks extension adds to its filter. */

export const listenMethod = 'subscriptions/listen'
const waitMs = 15_000 // 15 seconds, then a comment keeps the connection open
/** After this the client has to listen again. */
const longestMs = 15 * 60_000 // 15 minutes
const maxTasks = 20

const Listen = z.object({
  id: z.union([z.string(), z.number()]),
  params: z.object({ notifications: z.object({ taskIds: z.array(z.string().max(64)).min(1) }), _meta: z.unknown() }),
})
type Id = z.infer<typeof Listen>['id']

/**
 * Takes over a call that the SDK has accepted. The SDK does not know task ids, so it would only send an empty
 * acknowledgment and end the stream.
 */
export async function listenToTasks(body: string, call: McpCall, response: Response): Promise<Response> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  const wanted = Listen.safeParse(JSON.parse(body))
  if (!wanted.success) return response
  await response.body?.cancel()
  const { id, params } = wanted.data
  if (!knowsTasks(params._meta)) return Response.json({ jsonrpc: '2.0', id, error: needsTasks() }, { status: 400 })
  const tasks = paymentTasks(call)
  const open = new Set<string>()
  for (const taskId of params.notifications.taskIds.slice(0, maxTasks)) if (await tasks.get(taskId)) open.add(taskId)
  const events = eventsOf(id, call, tasks, open)
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await events.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await events.return(undefined)
    },
  })
  return new Response(stream, response)
}

/** Notifies once per task when it has ended, with the content of tasks/get. Includes tasks that ended before this call. */
async function* eventsOf(id: Id, call: McpCall, tasks: Tasks, open: Set<string>): AsyncGenerator<string, undefined> {
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id }
  const notifications = open.size === 0 ? {} : { taskIds: [...open] }
  yield message({ method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta } })
  const until = Date.now() + longestMs
  while (open.size > 0 && Date.now() < until) {
    for (const taskId of open) {
      const task = await tasks.get(taskId)
      if (task?.status === 'working') continue
      open.delete(taskId)
      if (task) yield message({ method: 'notifications/tasks', params: { taskId, ...task, _meta } })
    }
    if (open.size > 0 && !(await waitForApprovals(call, [...open], waitMs))) break
    yield ': keepalive\n\n'
  }
  yield message({ id, result: { resultType: 'complete', _meta } })
  return undefined
}

const message = (value: object) => `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...value })}\n\n`
