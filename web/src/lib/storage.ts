/**
 * What the browser keeps for this site. Browsers inside apps have no storage, people block it, and it can be full: the page then
 * keeps the values itself, until it is closed. No other file uses the browser's storage (tests/domain/webSource.test.ts).
 */
function storageOf(name: 'localStorage' | 'sessionStorage') {
  const memory = new Map<string, string>()

  /** Null also if the storage is missing or throws. Reading the property alone may throw. */
  function attempt<T>(use: (storage: Storage) => T): T | null {
    try {
      return use(globalThis[name])
    } catch {
      return null
    }
  }

  const remove = (key: string): void => {
    memory.delete(key)
    attempt((storage) => storage.removeItem(key))
  }

  return {
    /** A value in the storage is newer than one in memory: `set` removes the other one. */
    get: (key: string): string | null => attempt((storage) => storage.getItem(key)) ?? memory.get(key) ?? null,
    set(key: string, value: string): void {
      memory.delete(key)
      if (attempt((storage) => storage.setItem(key, value)) !== null) return
      remove(key)
      memory.set(key, value)
    },
    remove,
    keys: (): string[] => [...memory.keys(), ...(attempt(Object.keys) ?? [])],
    /** Whether the value had to stay in memory, where another document or tab does not find it. */
    isInMemory: (key: string): boolean => memory.has(key),
  }
}

/** Shared by all tabs, and kept when they are closed. */
export const browserStorage = storageOf('localStorage')
/** Of this tab, until it is closed. */
export const tabStorage = storageOf('sessionStorage')
