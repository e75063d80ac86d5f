/** The Worker and its objects with other bindings, for entries of test stacks. */
import type { Env } from '../../worker/env.ts'
import * as bursar from '../../worker/index.ts'

type ObjectClass = new (ctx: DurableObjectState, env: Env) => object

/** A class of objects whose state and bindings are what `change` returns. */
export const changedObject = <Class extends ObjectClass>(
  Real: Class,
  change: (ctx: DurableObjectState, env: Env) => [DurableObjectState, Env],
): Class =>
  class extends (Real as ObjectClass) {
    constructor(ctx: DurableObjectState, env: Env) {
      super(...change(ctx, env))
    }
  } as unknown as Class

const { fetch, scheduled } = bursar.default

/** The Worker itself. `own` answers a request before it does, or returns null. */
export const changedWorker = (
  change: (env: Env) => Env,
  own: (request: Request) => Promise<Response> | null = () => null,
): ExportedHandler<Env> => ({
  fetch: (request, env, ctx) => own(request) ?? fetch(request, change(env), ctx),
  scheduled: (controller, env) => scheduled(controller, change(env)),
})
