/** The clock of `npm run dev -- --sample`. */
import { json } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { hourMs } from '#domain/time.ts'
import { startClock } from '../../local/sample/clock.ts'
import { serve } from '../../local/standIns/server.ts'

test('the sample stops if its Worker was restarted and so is back at today’s date', async () => {
  let aheadMs = 0
  const { url, stop } = await serve(async (request, response) => {
    const previousMs = aheadMs
    aheadMs = ((await json(request)) as { aheadMs: number }).aheadMs
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ previousMs }))
  })
  try {
    const startsAt = Date.now() - hourMs
    const clock = await startClock(url, [], startsAt)
    await clock.goTo(startsAt + 600_000)
    expect(Math.abs(aheadMs + 3_000_000)).toBeLessThan(60_000)
    aheadMs = 0 // the variable of a new Worker
    await expect(clock.goTo(startsAt + 1_200_000)).rejects.toThrow('restarted')
  } finally {
    await stop()
  }
})
