/** What a test file has replaced of the browser's globals ends with it: files of a project share them. */
import { afterAll, vi } from 'vitest'

afterAll(() => {
  vi.unstubAllGlobals()
})
