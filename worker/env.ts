import type { Bindings } from './bindings.ts'
import type { Treasury } from './treasury/treasury.ts'

/** The Worker's environment: settings and the bindings in wrangler.toml. */
export type Env = Bindings & { TREASURY: DurableObjectNamespace<Treasury> }
