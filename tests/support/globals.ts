/** What a test file has replaced of the browser's globals and of time ends with it: files of a project share them. */
import { afterAll, vi } from 'vitest'

afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
