/** A Worker behind Pages that says what reaches it. */
export default {
  async fetch(request: Request): Promise<Response> {
    const { url, method, headers, cf } = request
    if (new URL(url).pathname === '/api/events') return new Response(endless(), { headers: eventStream })
    const body = await request.text()
    return Response.json({ url, method, headers: Object.fromEntries(headers), cf, body }, { headers: ownHeaders })
  },
} satisfies ExportedHandler

export const ownHeaders = {
  'x-own': 'probe',
  'content-security-policy': "default-src 'none'",
  'cache-control': 'no-store',
}
const eventStream = { 'content-type': 'text/event-stream' }

/** One event at once, then a comment every second until the caller has gone. */
function endless(): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let timer: ReturnType<typeof setInterval>
  return new ReadableStream({
    start(controller) {
      controller.enqueue(encoder.encode('data: first\n\n'))
      timer = setInterval(() => controller.enqueue(encoder.encode(': waiting\n\n')), 1_000)
    },
    cancel: () => clearInterval(timer),
  })
}
