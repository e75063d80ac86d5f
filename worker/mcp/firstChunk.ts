/**
 * The same response, once the first part of its body is there. Until then its status can still be decided: with the protocol
 * of 2025 a response begins as a stream before the tool has been called.
 */
export async function afterFirstChunk(response: Response): Promise<Response> {
  const reader = response.body?.getReader()
  if (!reader) return response
  const first = await reader.read()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (first.done) controller.close()
      else controller.enqueue(first.value)
    },
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(body, response)
}
