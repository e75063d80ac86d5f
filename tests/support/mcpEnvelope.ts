type Params = Record<string, unknown>

export const modern = '2026-07-28'

/** The headers and the body of a request to /mcp as clients of the protocol of 2026 send it. `meta` adds to the envelope's fields. */
export function modernRequest(method: string, params: Params, meta: Params = {}, id = 1) {
  const name = params.name ?? params.uri
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': modern,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return {
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': modern,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...envelope, ...meta } } },
  }
}

/** The one message of a reply: JSON, or the last event of a stream. */
export function messageIn<Message>(text: string): Message {
  const event = text.split('\n').findLast((line) => line.startsWith('data: '))
  return JSON.parse(event?.slice('data: '.length) ?? text) as Message
}
