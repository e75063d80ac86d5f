import { runInDurableObject } from 'cloudflare:test'

/** Aborts an object's instance immediately, whatever it is doing. Its storage is kept. */
export const kill = (object: { id: DurableObjectId }): Promise<void> =>
  runInDurableObject(object as DurableObjectStub, (_, state) => state.abort('killed')).catch(() => undefined)
