/** The one who calls, in a process of its own, so that the client of the other account waits for nothing. */
import { randomUUID } from 'node:crypto'
import type { World } from './build.ts'
import { worstRequests } from './requests.ts'

/** The first one is the world. */
export type Order = World | { begin: string } | 'stop'
/** Replies by status, or `closed` for a connection that the server closed, and the time of the slowest. */
export type Counts = { statuses: Record<string, number>; longestMs: number }

let world: World
let n = 0
let isOver = true
let counts: Counts = { statuses: {}, longestMs: 0 }
let calling: Promise<void> = Promise.resolve()

async function call(route: string): Promise<void> {
  const { by, worst } = worstRequests[route]!
  const { path = [], query, body, type, key } = typeof worst === 'function' ? worst({ world, n: n++ }) : worst
  const [method, pattern] = route.split(' ') as [string, string]
  const values = [...path]
  const place = pattern.replace(/:\w+|\*/g, () => encodeURIComponent(values.shift()!))
  const token = { nobody: undefined, account: world.token, agent: world.apiKey }[by]
  const headers = {
    'cf-connecting-ip': '203.0.113.1',
    ...(token && { authorization: `Bearer ${token}` }),
    ...(type && { 'content-type': type }),
    ...(key && { 'idempotency-key': randomUUID() }),
  }
  const startedAt = performance.now()
  const status = await fetch(`${world.url}${place}${query ? `?${new URLSearchParams(query)}` : ''}`, {
    ...{ method, headers, redirect: 'manual' as const },
    ...(body !== undefined && { body }),
  }).then(
    async (response) => {
      await response.arrayBuffer()
      return response.status
    },
    () => 'closed' as const,
  )
  counts.longestMs = Math.max(counts.longestMs, performance.now() - startedAt)
  counts.statuses[status] = (counts.statuses[status] ?? 0) + 1
}

async function callUntilOver(route: string): Promise<void> {
  while (!isOver) await call(route)
}

process.on('message', async (order: Order) => {
  if (order === 'stop') {
    isOver = true
    await calling
  } else if ('url' in order) world = order
  else {
    counts = { statuses: {}, longestMs: 0 }
    isOver = false
    calling = callUntilOver(order.begin)
  }
  process.send!(counts)
})
