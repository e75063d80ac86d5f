/**
 * `npm run test:long rotate-in-demo`: every secret's next version becomes current in the middle of `npm run demo`, whose books
 * have to agree. Afterwards each secret is in the state that its rotation promises.
 *
 * Test id: @keys-16
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { root, runTool } from '../../local/tools/runTool.ts'
import { keyringNames } from '../../worker/keyrings/keyring.ts'
import { addVersions, removeFirst, rotationEnds } from '../chaos/rotateKeys.ts'
import { createTestStack } from '../support/testStack.ts'

/** Time for the Worker to start. */
const startMs = 15_000

await using stack = await createTestStack({ lean: true })

/** Runs the demo. Returns its duration in ms; throws with its output if its books do not agree. */
async function demo(): Promise<number> {
  const startedAt = Date.now()
  await runTool(['node', '--no-warnings', `${root}/scripts/demo.ts`, '--url', stack.url, '--rpc', stack.rpc[8453]])
  return Date.now() - startedAt
}

const usualMs = await demo()
const currentAt = Math.round(Date.now() + startMs + usualMs / 2)
await addVersions(stack, currentAt - Date.now())
await stack.restartWorker()
const beginAt = Math.round(currentAt - usualMs / 2)
assert(Date.now() < beginAt, 'the Worker took too long to start')
await sleep(beginAt - Date.now())
await demo()
assert(Date.now() > currentAt, 'the demo ended before the secrets changed')
console.log('the demo’s books agree, although every secret changed in the middle')

const remaining = await rotationEnds(stack)
console.log(remaining)
assert.deepEqual(remaining.KEK, [], 'nothing is left under the old KEK')
removeFirst(
  stack,
  keyringNames.filter((name) => remaining[name]!.length === 0),
)
await stack.restartWorker()
await demo()
console.log('the demo’s books also agree without the first versions that nothing needs any more')
