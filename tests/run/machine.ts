/**
 * How slow this machine is right now: 1 on two idle cores of 2025, at most 8. `npm test` measures it first and multiplies the
 * time limits of tests with it, but never the times that the product promises.
 */
import { createHash } from 'node:crypto'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'

/** Above this factor a measured time would say more about the machine than about the product. */
export const mostForPromisedTimes = 1.5
/** What `fixedWork` takes where the factor is 1. */
const referenceMs = 500
/** The limits were chosen on two cores. */
const cores = 2

/** Measures the same piece of work on two threads at once. The slower one counts, since a test may run on either core. */
export async function measureMachine(): Promise<number> {
  const times = await Promise.all(Array.from({ length: cores }, timeInThread))
  const factor = Math.max(...times) / referenceMs
  return Math.round(Math.min(8, Math.max(1, factor)) * 10) / 10
}

function timeInThread(): Promise<number> {
  const thread = new Worker(import.meta.filename)
  return new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject))
}

/** JSON and hashes, as in most tests. */
function fixedWork(): void {
  const rows = Array.from({ length: 400 }, (_, id) => ({ id, name: `row ${id}`, amount: `${id}.50`, tags: ['a', 'b'] }))
  let text = JSON.stringify(rows)
  for (let round = 0; round < 800; round++) {
    const digest = createHash('sha256').update(text).digest('hex')
    const copy = JSON.parse(text) as typeof rows
    copy[round % copy.length]!.name = digest
    text = JSON.stringify(copy.sort((a, b) => a.name.localeCompare(b.name)))
  }
}

if (!isMainThread) {
  fixedWork() // compiles it
  const startedAt = performance.now()
  fixedWork()
  parentPort?.postMessage(performance.now() - startedAt)
}
