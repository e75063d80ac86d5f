/** Browser APIs that the session code needs, for tests in Node. */
import { vi } from 'vitest'

export function storage(): Storage {
  const map = new Map<string, string>()
  return {
    getItem: (key: string) => map.get(key) ?? null,
    setItem: (key: string, value: string) => void map.set(key, value),
    removeItem: (key: string) => void map.delete(key),
    clear: () => map.clear(),
    key: () => null,
    get length() {
      return map.size
    },
  }
}

/** `navigator.locks`: one holder at a time per name, across all tabs. */
export function locks() {
  const tails = new Map<string, Promise<unknown>>()
  return {
    request<T>(name: string, work: () => Promise<T>): Promise<T> {
      const result = (tails.get(name) ?? Promise.resolve()).then(work)
      tails.set(
        name,
        result.catch(() => undefined),
      )
      return result
    },
  }
}

/** Window events. `fire` dispatches an event by name, with properties. */
export function windowEvents() {
  const target = new EventTarget()
  vi.stubGlobal('addEventListener', target.addEventListener.bind(target))
  vi.stubGlobal('removeEventListener', target.removeEventListener.bind(target))
  vi.stubGlobal('dispatchEvent', target.dispatchEvent.bind(target))
  return {
    on: (name: string, listener: () => void) => target.addEventListener(name, listener),
    fire: (name: string, properties: object = {}) => target.dispatchEvent(Object.assign(new Event(name), properties)),
  }
}
