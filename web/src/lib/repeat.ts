import { type HttpOptions, http, type Method } from './http.ts'

/** In seconds. A longer wait is not about how many calls there are, but about codes, passwords or the day's gas. */
const maxRetryAfter = 5
const patienceMs = 60_000 // 1 minute
/** People are told about longer waits. */
const unnoticedMs = 3_000 // 3 seconds

/**
 * From now on, calls that the server refuses because there are too many wait as long as it says and are repeated, if they
 * may take effect twice. `onWaiting` gets the number of calls that wait for long when it changes. Only for the dashboard:
 * pages without a session load less code.
 */
export function waitWhenRefused(onWaiting: (count: number) => void): void {
  const { send } = http
  let waiting = 0

  http.send = async (method, path, options) => {
    let isTold = false
    try {
      for (let waitedMs = 0; ; ) {
        const response = await send(method, path, options)
        const seconds = response.status === 429 && Number(response.headers.get('retry-after'))
        if (!seconds || seconds > maxRetryAfter || waitedMs > patienceMs || !mayRepeat(method, path, options))
          return response
        const ms = seconds * 1000 * (1 + Math.random() / 2) // calls that were refused together do not return together
        waitedMs += ms
        if (!isTold && waitedMs > unnoticedMs) {
          isTold = true
          onWaiting(++waiting)
        }
        await pause(ms, options.signal)
      }
    } finally {
      if (isTold) onWaiting(--waiting)
    }
  }
}

/** The server refuses a refresh of the session for this reason before it reads the token. */
const mayRepeat = (method: Method, path: string, { idempotencyKey }: HttpOptions) =>
  method !== 'POST' || idempotencyKey !== undefined || path === '/auth/cognito/refresh'

const pause = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
