/** The tabs of one account, in a process of their own, so that the client of the other account waits for nothing. */
import { yieldCores } from '../../../local/stack/processTree.ts'
import { pause } from '../../support/stackClient.ts'

export type Tabs = { url: string; accessToken: string; paths: string[]; count: number }
export type Counts = { answers: number; failed: string[]; longestMs: number }

const { url, accessToken, paths, count } = JSON.parse(process.argv[2]!) as Tabs
const counts: Counts = { answers: 0, failed: [], longestMs: 0 }
let isOn = false
let running: Promise<unknown> = Promise.resolve()

async function call(path: string): Promise<void> {
  const startedAt = performance.now()
  const answer = await fetch(`${url}/api${path}`, { headers: { authorization: `Bearer ${accessToken}` } })
  await answer.text()
  // As the pages do, after as long as the answer says.
  if (answer.status === 429) return pause(Number(answer.headers.get('retry-after')) * 1000)
  counts.answers += 1
  counts.longestMs = Math.max(counts.longestMs, performance.now() - startedAt)
  if (answer.status !== 200) counts.failed.push(`${path}: ${answer.status}`)
}

/** Each path in turn, as fast as the answers come. */
async function tab(i: number): Promise<void> {
  for (let turn = i; isOn; turn++) await call(paths[turn % paths.length]!)
}

yieldCores(process.pid)
process.on('message', async (message: 'start' | 'stop') => {
  isOn = message === 'start'
  if (isOn) running = Promise.all(Array.from({ length: count }, (_, i) => tab(i)))
  else {
    await running
    process.send!(counts)
  }
})
