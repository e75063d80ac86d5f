import { afterEach, describe, expect, test, vi } from 'vitest'
import { storage } from './browser.ts'

const refuse = () => {
  throw new DOMException('Access is denied for this document.', 'SecurityError')
}
const quota = () => {
  throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
}

afterEach(() => vi.unstubAllGlobals())

/** The wrapper over a browser whose storage is `value`, or throws when it is read. */
async function storageOver(value: (() => unknown) | unknown) {
  vi.resetModules()
  const names = ['localStorage', 'sessionStorage']
  for (const name of names)
    if (typeof value === 'function')
      Object.defineProperty(globalThis, name, { get: value as () => never, configurable: true })
    else vi.stubGlobal(name, value)
  return import('#web/lib/storage.ts')
}

describe.each([
  ['missing', null],
  ['blocked: the property throws', refuse],
  ['blocked: each use throws', { getItem: refuse, setItem: refuse, removeItem: refuse }],
  ['full', { ...storage(), setItem: quota }],
])('storage that is %s', (_, value) => {
  test('the page keeps the values itself @browsers-3', async () => {
    const { browserStorage, tabStorage } = await storageOver(value)
    for (const kept of [browserStorage, tabStorage]) {
      expect(kept.get('a')).toBeNull()
      kept.set('a', '1')
      kept.set('b', '2')
      expect([kept.get('a'), kept.get('b'), kept.isInMemory('a')]).toEqual(['1', '2', true])
      expect(kept.keys()).toEqual(expect.arrayContaining(['a', 'b']))
      kept.remove('a')
      expect([kept.get('a'), kept.get('b'), kept.isInMemory('a')]).toEqual([null, '2', false])
    }
  })
})

test('a value that finds no room replaces the stored one, and goes back to the storage when there is room', async () => {
  const browser = storage()
  const { browserStorage } = await storageOver(browser)
  browserStorage.set('token', 'old')
  const setItem = vi.spyOn(browser, 'setItem').mockImplementation(quota)
  browserStorage.set('token', 'new')
  expect(browserStorage.get('token')).toBe('new')
  expect(browser.getItem('token'), 'no other tab finds the old value').toBeNull()
  browserStorage.set('token', 'newer')
  setItem.mockRestore()
  browserStorage.set('token', 'newest')
  expect([browser.getItem('token'), browserStorage.get('token')]).toEqual(['newest', 'newest'])
  expect(browserStorage.isInMemory('token')).toBe(false)
})

test('what another tab has stored since is newer than what this page keeps itself', async () => {
  const browser = storage()
  const { browserStorage } = await storageOver(browser)
  const setItem = vi.spyOn(browser, 'setItem').mockImplementation(quota)
  browserStorage.set('token', 'of this tab')
  setItem.mockRestore()
  browser.setItem('token', 'of another tab')
  expect(browserStorage.get('token')).toBe('of another tab')
})
