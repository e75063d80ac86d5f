/** The product's Worker with the conformance fixture at /mcp: same routes, middleware and handler. */
import { createApp } from '../../../worker/app.ts'
import product from '../../../worker/index.ts'
import { conformanceServer } from './server.ts'

export * from '../../../worker/index.ts'

const app = createApp({ mcpServer: conformanceServer })
export default { ...product, fetch: app.fetch }
