/** History objects in a workerd of their own. On Cloudflare, too, they share no thread with other accounts' Treasuries. */
import { join } from 'node:path'

type Binding = 'HISTORY' | 'TREASURY'

/** Miniflare's options of the whole Worker. */
type WorkerOptions = {
  name: string
  modulesRoot: string
  modules: { type: 'ESModule' | 'CompiledWasm'; path: string }[]
  durableObjects: Record<Binding, object>
}

const historyName = 'histories'

/** The Worker's program, except that objects of one class pass each call on to the object of the same name in the other workerd. */
const program = (className: string, binding: Binding) => `
import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers'
export * from './index.js'
export { default } from './index.js'

export class ${className} extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env)
    return new Proxy(this, {
      get: (own, method) =>
        method in own ? own[method] : (...input) => env.OTHER.call('${binding}', ctx.id.name, method, input),
    })
  }
}

export class Objects extends WorkerEntrypoint {
  call(binding, name, method, input) {
    return this.env[binding].getByName(name)[method](...input)
  }
}
`

/**
 * Options of two Workers that find each other through files in the folder `registry`: `history` with the History objects, at
 * the same paths as those of `worker`, to be started first, and `others` with everything else. Objects that Miniflare itself
 * binds across processes do not know their names, so `program` passes them on.
 */
export function withHistoryApart<Options extends WorkerOptions>(worker: Options, registry: string) {
  const { name, modulesRoot, modules, durableObjects } = worker
  const forwards = (className: string, binding: Binding, to: string) => ({
    unsafeDevRegistryPath: registry,
    modules: [
      { type: 'ESModule', path: join(modulesRoot, 'apart.js'), contents: program(className, binding) },
      ...modules,
    ],
    serviceBindings: { OTHER: { name: to, entrypoint: 'Objects' } },
  })
  /** In the folder `path`, where forwarding objects must not meet the files of the real ones. */
  const storedIn = (path: string, binding: Binding) => ({ ...durableObjects[binding], unsafeUniqueKey: path })
  const history = {
    ...worker,
    ...forwards('Treasury', 'TREASURY', name),
    name: historyName,
    port: 0,
    // Two processes must not open the same files. A History uses D1 only to report trouble.
    d1Databases: {},
    r2Buckets: {},
    durableObjects: {
      HISTORY: storedIn(`${name}-History`, 'HISTORY'),
      TREASURY: storedIn('forwarding-Treasury', 'TREASURY'),
    },
  }
  const others = {
    ...worker,
    ...forwards('History', 'HISTORY', historyName),
    durableObjects: { ...durableObjects, HISTORY: storedIn('forwarding-History', 'HISTORY') },
  }
  return { history, others }
}
