import { type McpServer, ResourceNotFoundError } from '@modelcontextprotocol/server'

/**
 * The card that a chat shows beside a payment, a request for budget or a payout run (MCP Apps 2026-01-26). It shows a tool's
 * result as text and links to our page. It decides nothing, and no tool exists that it could decide with (I25). Clients that
 * don't know the extension ignore `_meta` of the tools.
 */
const uri = 'ui://bursar/payment.html'
const mimeType = 'text/html;profile=mcp-app'

/** `_meta` of the tools whose results the card shows. */
export const cardMeta = { ui: { resourceUri: uri } }

/** An empty `csp` asks for no domain: the host then blocks the network. */
const resourceMeta = { ui: { csp: {}, prefersBorder: true } }

/** The card is no document for people to attach, so the list leaves it out; hosts know it from the tools. */
export function serveCard({ server }: McpServer, appOrigin: string): void {
  server.registerCapabilities({ resources: { listChanged: false } })
  server.setRequestHandler('resources/list', () => ({ resources: [] }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }))
  server.setRequestHandler('resources/read', async ({ params }) => {
    if (params.uri !== uri) throw new ResourceNotFoundError(params.uri)
    // Loaded by hosts that show it, so that other calls do not wait for it.
    const { cardPage } = await import('./page.ts')
    return { contents: [{ uri, mimeType, text: cardPage(appOrigin), _meta: resourceMeta }] }
  })
}
