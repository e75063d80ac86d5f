import { messageIn, modernRequest } from './mcpEnvelope.ts'

const capabilities = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }

/** One request to /mcp of a running stack as a program that shows cards sends it, in the protocol of 2026. Returns its result. */
// biome-ignore lint/suspicious/noExplicitAny: tests read results of any shape
export async function mcpRequest(url: string, token: string, method: string, params: object): Promise<any> {
  const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
  const { headers, body } = modernRequest(method, { ...params }, meta)
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { result, error } = messageIn<{ result?: object; error?: { message: string } }>(await response.text())
  if (!result) throw new Error(`${method}: ${error?.message}`)
  return result
}
