import { expect, test, vi } from 'vitest'
import { endChanges } from '#web/queries/changes.ts'
import { storage } from './browser.ts'

test('more changes than one call takes end in several, and their counts are added @changes-2', async () => {
  vi.stubGlobal('localStorage', storage())
  vi.stubGlobal('sessionStorage', storage())
  vi.stubGlobal('location', new URL('http://localhost:3001'))
  const sent: number[][] = []
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    const { ids } = JSON.parse(body) as { ids: number[] }
    sent.push(ids)
    const data = { webhooks: 1, agents: ids.length, credentials: 0, connections: 0, permissions: 2, people: 1 }
    return Response.json({ success: true, data })
  })
  const ids = Array.from({ length: 2_300 }, (_, i) => i + 1)
  const ended = await endChanges(ids)
  vi.unstubAllGlobals()
  expect(sent.map(({ length }) => length)).toEqual([1_000, 1_000, 300])
  expect(sent.flat()).toEqual(ids)
  expect(ended).toEqual({ webhooks: 3, agents: 2_300, credentials: 0, connections: 0, permissions: 6, people: 3 })
})
