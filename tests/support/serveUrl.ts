import { vi } from 'vitest'

/**
 * Replies to requests to URLs that start with `prefix`, until `vi.restoreAllMocks()`. All others are really fetched,
 * because objects may still work on what an earlier test left. Returns the requests so far, with their bodies unread.
 */
export function serveUrl(prefix: string, answer: (request: Request) => Response | Promise<Response>): Request[] {
  const requests: Request[] = []
  const { fetch } = globalThis
  const others = vi.isMockFunction(fetch) ? fetch.getMockImplementation()! : fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    if (!url.startsWith(prefix)) return others(input, init)
    const request = new Request(input, init)
    requests.push(request.clone())
    return answer(request)
  })
  return requests
}
