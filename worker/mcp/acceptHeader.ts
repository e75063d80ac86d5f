/** How a client wants to be answered, by its Accept header. */

/** `json` if it does not name event streams, `stream` if it names nothing else, `either` if the server may choose. */
export type Accepted = 'json' | 'stream' | 'either'

/**
 * The protocol requires clients to accept JSON and event streams. Many name one of them, everything, or nothing; each can be
 * answered.
 */
export function acceptedBy(header: string | undefined): Accepted {
  const types = (header ?? '*/*').toLowerCase()
  if (!types.includes('text/event-stream')) return 'json'
  return /\*\/\*|application\/(json|\*)/.test(types) ? 'either' : 'stream'
}

/** What the SDK asks of clients. */
export const acceptsBoth = 'application/json, text/event-stream'

/**
 * The response to one message as JSON. Under the protocol of 2025 the SDK always begins a stream; ours has the result, and
 * nothing before it.
 */
export async function asJson(response: Response): Promise<Response> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  const events = (await response.text()).split('\n').filter((line) => line.startsWith('data:'))
  const result = events.at(-1)?.slice('data:'.length).trim()
  if (!result) throw new Error('a stream without a result')
  return new Response(result, { status: response.status, headers: { 'content-type': 'application/json' } })
}
