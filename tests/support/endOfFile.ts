/**
 * Setup file of the projects in workerd, where all test files share one workerd and its objects. At the end of each file
 * its objects are deleted with their alarms, and so are its databases and its transactions, so that nothing of it is left
 * for the next file, in whatever order they run.
 */
import { listDurableObjectIds, reset, runInDurableObject } from 'cloudflare:test'
import { env as bindings } from 'cloudflare:workers'
import { afterAll } from 'vitest'
import { forgetReaders } from '../../worker/stops/reader.ts'
import { deletedObjects } from './deletedObjects.ts'
import { env } from './testEnv.ts'

type Namespace = DurableObjectNamespace<Rpc.DurableObjectBranded>

/** Callers come before those that they call: an object that is called after its deletion would live again. */
const callersFirst = [
  ...([
    'TREASURY',
    'HISTORY',
    'CLAIM_DESK',
    'WEBHOOK_SENDER',
    'RELAYER',
    'SERVICE_STOPS',
    'MESSAGE_COUNTER',
    'WATCH',
  ] as const),
]
/** Their names are used again in the next file. */
const reused: readonly string[] = ['RELAYER', 'SERVICE_STOPS', 'MESSAGE_COUNTER', 'WATCH']

export async function deleteEverything(): Promise<void> {
  for (const name of callersFirst) {
    const namespace = (bindings as unknown as Record<string, Namespace | undefined>)[name]
    if (!namespace) continue
    // An object stays in this list after its deletion.
    const ids = (await listDurableObjectIds(namespace)).filter(
      (id) => reused.includes(name) || !deletedObjects.has(`${id}`),
    )
    await Promise.all(ids.map((id) => deleteObject(namespace.get(id))))
    for (const id of ids) deletedObjects.add(`${id}`)
  }
  // The databases, but not the objects above: `unsafePreventEviction` also keeps them from this.
  await reset()
  // An isolate that has read a newer state would follow none of what the next file stops.
  forgetReaders()
  for (const url of [env.NODE_URL_8453, env.NODE_URL_84532])
    if (url) await fetch(url, { method: 'POST', headers, body: JSON.stringify(dropTransactions) })
}
const headers = { 'content-type': 'application/json' }
const dropTransactions = { jsonrpc: '2.0', id: 1, method: 'anvil_dropAllTransactions', params: [] }

async function deleteObject(stub: DurableObjectStub): Promise<void> {
  await runInDurableObject(stub, async (_, state) => {
    await state.storage.deleteAlarm()
    await state.storage.deleteAll()
    await state.storage.sync()
    state.abort(aborted)
  }).catch((error) => {
    if (!String(error).includes(aborted)) throw error
  })
}
/** Begins with the words that the plugin leaves out of the output: workerd reports every abort as an uncaught exception. */
const aborted = 'Instance disposed: the test file has ended'

afterAll(deleteEverything)
