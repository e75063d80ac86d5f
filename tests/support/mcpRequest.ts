type Params = Record<string, unknown>

/** One request to /mcp of a running stack as a program sends it, in the protocol of 2026. Returns its result. */
// biome-ignore lint/suspicious/noExplicitAny: tests read results of any shape
export async function mcpRequest(url: string, token: string, method: string, params: Params): Promise<any> {
  const name = params.name ?? params.uri
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope } }),
  })
  const { result, error } = (await response.json()) as { result?: object; error?: { message: string } }
  if (!result) throw new Error(`${method}: ${error?.message}`)
  return result
}

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {
    extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
  },
}
