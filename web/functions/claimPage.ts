/** The page of a claim link with its data, for whoever serves the files: Pages, and in `npm run dev` the Worker. */

type Server = { fetch(request: Request): Response | Promise<Response> }

const longestWaitMs = 1_000 // 1 second

/**
 * Adds the reply of GET /api/escrow/claim/{token} to the page as inert JSON (web/src/queries/claim.ts reads it), so that the page
 * does not have to ask for it once its scripts are there. Sends the first part of the page at once; browsers load the
 * scripts while `api` is being asked. A reply that takes longer than `waitMs`, or that reports a passing failure, is left
 * out, and the page asks by itself.
 */
export async function claimPage(
  request: Request,
  files: Server,
  api: Server,
  waitMs = longestWaitMs,
): Promise<Response> {
  const [, accessToken] = /^\/claim\/([\w.-]+)$/.exec(new URL(request.url).pathname) ?? []
  if (request.method !== 'GET' || !accessToken) return files.fetch(request)
  const reply = replyAsScript(request, accessToken, api, waitMs)
  const page = await files.fetch(request)
  if (!page.ok) return page
  const html = await page.text()
  const end = html.lastIndexOf('</body>')

  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const send = async () => {
    const writer = writable.getWriter()
    const encoder = new TextEncoder()
    await writer.write(encoder.encode(html.slice(0, end)))
    await writer.write(encoder.encode((await reply) + html.slice(end)))
    await writer.close()
  }
  send().catch(() => undefined) // the visitor has left
  const headers = new Headers(page.headers)
  headers.delete('etag')
  headers.delete('content-length')
  headers.set('cache-control', 'no-store')
  return new Response(readable, { status: page.status, headers })
}

/** Returns an empty string if there is no reply that the page could use. */
async function replyAsScript(request: Request, accessToken: string, api: Server, waitMs: number): Promise<string> {
  try {
    const url = new URL(`/api/escrow/claim/${accessToken}`, request.url)
    const reply = await api.fetch(new Request(new Request(url, request), { signal: AbortSignal.timeout(waitMs) }))
    if (reply.status === 429 || reply.status >= 500) return ''
    // No text in it can end the script.
    const json = JSON.stringify({ status: reply.status, body: await reply.json() }).replaceAll('<', '\\u003c')
    return `<script type="application/json" id="reply">${json}</script>`
  } catch {
    return ''
  }
}
